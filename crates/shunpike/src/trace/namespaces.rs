//! What process ids of guests in other pid namespaces are in ours (`--decode-pids=pidns`).

use std::collections::HashMap;
use std::sync::Mutex;

use kernel::proc::pid_namespaces::{self, PidNamespace};
use outputs::text::Outside;
use record::Tid;

/// How many ids are remembered.
const KEPT: usize = 4096;

/// What tells of an id, as a thread has it, what it is in our namespace, if that is another.
pub(super) fn outside() -> Outside {
    let own = pid_namespaces::of(std::process::id() as i32);
    let known: Mutex<HashMap<(PidNamespace, i32), i32>> = Mutex::default();
    Box::new(move |tid: Tid, id: i32| {
        let namespace = pid_namespaces::of(tid.0).filter(|namespace| Some(*namespace) != own)?;
        let mut known = known.lock().ok()?;
        if let Some(outside) = known.get(&(namespace, id)).copied()
            && pid_namespaces::is_called(outside, namespace, id)
        {
            return Some(outside);
        }
        let outside = pid_namespaces::find(namespace, id)?;
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert((namespace, id), outside);
        Some(outside)
    })
}
