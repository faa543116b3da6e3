//! What guests are told of seccomp: what they would be told without us.
//!
//! Who finds itself under a filter may leave out its own: `man` does.

use std::io;

use contract::{Arch, Tid};
use kernel::proc;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use table::arch::x86_64;

use crate::mechanism::Mechanism;
use crate::mechanism::agent::PR_GET_SECCOMP;
use crate::session::Session;

/// What it returns under a filter (`SECCOMP_MODE_FILTER` of `linux/seccomp.h`).
const MODE_FILTER: i64 = 2;

impl Session {
    /// A thread is about to make a call. Whether that asks for its mode, and it has no filter but ours.
    pub(crate) fn asks_for_mode(
        &mut self,
        tid: Tid,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) -> bool {
        let Some(tracee) = self.tracees.get_mut(tid) else { return false };
        tracee.asks_mode = arch.native_number(number) == x86_64::PRCTL.number.into()
            && u64::from(args[0] as u32) == PR_GET_SECCOMP
            && matches!(tracee.mechanism, Mechanism::Seccomp | Mechanism::Agent);
        tracee.asks_mode
    }

    /// A thread stands behind a call that has returned this. What it is to return: if it has asked for
    /// its mode, ours, which is what it would have had from us.
    pub(crate) fn hide_filter(
        &self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        value: i64,
    ) -> io::Result<i64> {
        let asked = self.tracees.get(tid).is_some_and(|tracee| tracee.asks_mode);
        if !asked
            || value != MODE_FILTER
            || proc::is_filtered(std::process::id() as i32).unwrap_or(true)
        {
            return Ok(value);
        }
        stopped.set_result(0)?;
        Ok(0)
    }
}
