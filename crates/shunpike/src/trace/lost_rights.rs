//! Programs that would have more rights if nobody traced them.

use std::collections::HashSet;
use std::fs;

use contract::Tid;
use kernel::{gains, proc};

use crate::cli::{QuietSet, TraceOptions};
use crate::errors::say;

/// The bits of `CAP_SYS_PTRACE` and `CAP_SYS_ADMIN`: who is traced by whom has the one keeps what a program
/// gives, and a filter takes it unless who puts it on has the other.
const NEEDED: u64 = 1 << 19 | 1 << 21;

/// Whether programs may lose what their files give them.
pub(crate) fn may_lose(options: &TraceOptions) -> bool {
    let keeps = may_grant() && options.launch.user.is_none();
    !keeps && !gains::are_off()
}

/// Whether we are somebody under whom programs may gain rights.
fn may_grant() -> bool {
    let own = proc::identity(std::process::id() as i32).map_or(0, |own| own.rights.capabilities);
    own & NEEDED == NEEDED
}

/// Says once of each program that it runs without what its file gives.
#[derive(Debug)]
pub(super) struct LostRights {
    /// What the command was called by.
    name: String,
    /// What takes them, and what to do.
    why: &'static str,
    /// Of which it was said, by device and inode.
    told: HashSet<(u64, u64)>,
}

impl LostRights {
    /// `None` where programs gain what they do natively. strace says nothing of it, so neither does `trace`.
    pub(super) fn new(options: &TraceOptions, name: &str) -> Option<LostRights> {
        let wanted = options.run.is_some() && options.quiet() != QuietSet::ALL;
        wanted.then_some(()).filter(|()| may_lose(options))?;
        let why = if may_grant() {
            "a filter that another user puts on takes them; --mechanism=ptrace leaves them"
        } else {
            "who is traced by an ordinary user gains none; root can give them, by --user=NAME"
        };
        Some(LostRights { name: name.to_owned(), why, told: HashSet::new() })
    }

    /// A thread stands before a program that it has executed.
    pub(super) fn look(&mut self, tid: Tid) {
        let Ok(Some(gains)) = gains::of_program(tid.0) else { return };
        let Ok(identity) = proc::identity(tid.0) else { return };
        let has = &identity.rights;
        let what = if gains.user.is_some_and(|user| user != has.uid) {
            "the rights of its set-user-ID bit"
        } else if gains.group.is_some_and(|group| group != has.gid) {
            "the rights of its set-group-ID bit"
        } else if gains.capabilities && has.capabilities == 0 {
            "its file's capabilities"
        } else {
            return;
        };
        if self.told.insert(gains.file)
            && let Ok(program) = fs::read_link(format!("/proc/{}/exe", tid.0))
        {
            say(format_args!(
                "{}: {} runs without {what}: {}",
                self.name,
                program.display(),
                self.why
            ));
        }
    }
}
