//! Waiting for children, some of which have ended only for the others: `wait4(2)`, `waitid(2)`.
//!
//! The kernel does not know of those ends ([`super::ends`]). So a call that waits is answered in its
//! place where it could tell of one. Else it is made, and looked at once more when it returns: it
//! is interrupted when another process ends so.

use std::io;

use kernel::memory::read_ranges;
use kernel::proc;
use kernel::ptrace::{RESTARTS, Registers, Resume, Stopped, Tracee};
use libc::c_long;

use super::Guest;
use super::ended::Ended;

/// A call that waits for children.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    registers: Registers,
    whom: Whom,
    /// There is nobody to wait for but those whose ends have been taken, as far as is known: it is made
    /// such that it does not wait.
    alone: bool,
}

/// For whom it waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whom {
    Any,
    Process(i32),
    Group(i32),
    /// Nobody who is held: by a descriptor, or for stops only.
    Others,
}

/// The size of `struct rusage`, in bytes.
const USAGE: usize = 144;
/// How much of a `siginfo_t` is written, in bytes.
const INFO: usize = 28;

impl Wait {
    fn of(registers: Registers, own_group: i32) -> Wait {
        let (rdi, rsi) = (registers.rdi as i32, registers.rsi as i32);
        let group = |id: i32| Whom::Group(if id == 0 { own_group } else { id });
        let mut whom = match (is_waitid(&registers), rdi as u32, rdi) {
            (true, libc::P_ALL, _) | (false, _, -1) => Whom::Any,
            (true, libc::P_PID, _) => Whom::Process(rsi),
            (true, libc::P_PGID, _) => group(rsi),
            (true, ..) => Whom::Others,
            (false, _, 1..) => Whom::Process(rdi),
            (false, ..) => group(-rdi),
        };
        let options = options(&registers);
        let for_ends = !is_waitid(&registers) || options & libc::WEXITED != 0;
        if !for_ends || options & libc::__WCLONE != 0 {
            whom = Whom::Others;
        }
        Wait { registers, whom, alone: false }
    }

    fn is_for(&self, ended: &Ended) -> bool {
        match self.whom {
            Whom::Any => true,
            Whom::Process(pid) => ended.pid == pid,
            Whom::Group(group) => ended.group == group,
            Whom::Others => false,
        }
    }

    /// What the call returns that tells of this end, which it writes.
    fn answer(&self, tid: i32, ended: &mut Ended) -> u64 {
        let registers = &self.registers;
        let (info, status) = (ended.info(), ended.status.to_ne_bytes());
        let (told, usage_at): (&[u8], u64) = match is_waitid(registers) {
            true => (&info[..INFO], registers.r8),
            false => (&status, registers.r10),
        };
        let at = if is_waitid(registers) { registers.rdx } else { registers.rsi };
        let places = [(usage_at, [0; USAGE].as_slice()), (at, told)];
        let written = places
            .into_iter()
            .filter(|(place, _)| *place != 0)
            .try_for_each(|place| kernel::memory::write(tid, &[place]).map(drop));
        ended.taken = options(registers) & libc::WNOWAIT == 0;
        match (written, is_waitid(registers)) {
            (Err(_), _) => -i64::from(libc::EFAULT) as u64,
            (Ok(()), true) => 0,
            (Ok(()), false) => ended.pid as u64,
        }
    }

    /// Its registers, such that it does not wait.
    fn without_patience(&self) -> Registers {
        let patience = libc::WNOHANG as u64;
        let Registers { rdx, r10, .. } = self.registers;
        match is_waitid(&self.registers) {
            true => Registers { r10: r10 | patience, ..self.registers },
            false => Registers { rdx: rdx | patience, ..self.registers },
        }
    }

    /// Whether it has found nobody, by what it has returned.
    fn found_nobody(&self, tid: i32, result: i64) -> bool {
        /// Where in a `siginfo_t` the child is.
        const CHILD: u64 = 12;
        if result != 0 || !is_waitid(&self.registers) {
            return result == 0;
        }
        let mut child = [0; 4];
        let mut ranges = [(self.registers.rdx + CHILD, child.as_mut_slice())];
        matches!(read_ranges(tid, &mut ranges), Ok(1)) && child == [0; 4]
    }
}

fn is_waitid(registers: &Registers) -> bool {
    registers.orig_rax as c_long == libc::SYS_waitid
}

fn options(registers: &Registers) -> i32 {
    if is_waitid(registers) { registers.r10 as i32 } else { registers.rdx as i32 }
}

impl Guest {
    /// Serves a call that waits for children, before it.
    pub(super) fn begin_wait(&mut self, tid: i32, tracee: Tracee<Stopped>) -> io::Result<()> {
        let process = self.thread(tid).process;
        let is_single = self.snapshot.as_ref().is_none_or(|tree| tree.processes.len() == 1);
        if is_single && self.ends.is_empty() {
            return tracee.resume(Resume::Continue, 0).map(drop);
        }
        let own_group = proc::status(process).map_or(0, |status| status.group);
        let mut wait = Wait::of(tracee.registers()?, own_group);
        if let Some(answer) = self.answer(tid, process, &wait) {
            let orig_rax = u64::MAX;
            tracee.set_registers(&Registers { rax: answer, orig_rax, ..wait.registers })?;
            return tracee.resume(Resume::Continue, 0).map(drop);
        }
        let only_held = self.ends.of(process).any(|ended| wait.is_for(ended));
        if only_held && (matches!(wait.whom, Whom::Process(_)) || !self.has_children(process)) {
            wait.alone = true;
            tracee.set_registers(&wait.without_patience())?;
        }
        self.thread(tid).waits = Some(wait);
        tracee.resume(Resume::Syscall, 0).map(drop)
    }

    /// The same, behind it.
    pub(super) fn finish_wait(&mut self, tid: i32, tracee: Tracee<Stopped>) -> io::Result<()> {
        let process = self.thread(tid).process;
        if let Some(wait) = self.thread(tid).waits.take() {
            let registers = tracee.registers()?;
            let result = registers.rax as i64;
            let nobody = wait.alone && wait.found_nobody(tid, result);
            let mut rax = registers.rax;
            if nobody || RESTARTS.contains(&result) {
                let childless = nobody.then_some(-i64::from(libc::ECHILD) as u64);
                rax = self.answer(tid, process, &wait).or(childless).unwrap_or(rax);
            }
            let Registers { rdx, r10, .. } = wait.registers;
            tracee.set_registers(&Registers { rax, rdx, r10, ..registers })?;
        }
        tracee.resume(Resume::Continue, 0).map(drop)
    }

    /// What this call returns, if it can tell of an end.
    fn answer(&mut self, tid: i32, process: i32, wait: &Wait) -> Option<u64> {
        let is_wanted = |ended: &Ended| ended.parent == process && wait.is_for(ended);
        self.ends.first(is_wanted).map(|ended| wait.answer(tid, ended))
    }

    /// Whether a process has children that have not ended, for others or at all.
    fn has_children(&self, process: i32) -> bool {
        let is_child = |child: i32| {
            !self.ends.has(child)
                && proc::status(child).is_ok_and(|status| status.parent == process)
        };
        self.threads.iter().any(|(tid, thread)| *tid == thread.process && is_child(*tid))
    }
}
