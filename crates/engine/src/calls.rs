//! System call stops: from registers to captures, and on to the observer.

use std::io;

use ::agent::abi::slot;
use contract::{Arch, Event, GuestAddr, Outcome, Phase, Pid, Tid, What};
use kernel::ptrace::{
    AUDIT_ARCH_X86_64, Resume, Side, Stopped, SyscallSource, SyscallStop, SyscallStopKind,
    Tracee as Ptraced, is_gone,
};
use kernel::wait::Stop;
use table::arch::x86_64;

use crate::bpf;
use crate::chain::Ready;
use crate::mechanism::agent::{self, PR_SET_SECCOMP};
use crate::mechanism::seccomp;
use crate::multiplexed::{self, Told};
use crate::observer::Observer;
use crate::session::{Session, now};
use crate::sites::SYSCALL_LEN;
use crate::tracee::Position;

/// Where `%rax` lies in the `ucontext` to which the stack points at `rt_sigreturn(2)`
/// (`asm/ucontext.h`, `asm/sigcontext.h`).
const RESULT_IN_FRAME: u64 = 144;
/// `clone(2)`'s flag for a task in the same memory.
const CLONE_VM: u64 = 0x100;
/// `clone(2)`'s flag for a task whose maker waits until it executes a program or ends.
const CLONE_VFORK: u64 = 0x4000;
/// `clone(2)`'s flag for a task that is not to be traced.
const CLONE_UNTRACED: u64 = 0x80_0000;
/// `seccomp(2)`'s flag that puts the filter upon every thread.
const SECCOMP_FILTER_FLAG_TSYNC: u64 = 1;

/// Who has to do with a call that is about to be made.
#[derive(Clone, Copy)]
struct Interest {
    /// The observer is told of it.
    is_told: bool,
    /// The observer or a module has asked for it.
    is_asked: bool,
    /// The agent could serve its site.
    is_served: bool,
}

impl Session {
    /// A stop at a call's entry or exit.
    pub(crate) fn syscall(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        cpu: u64,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        match tracee.position {
            Position::Outside => self.entry(tid, stopped, Stop::Syscall, cpu, observer),
            Position::Ignored => {
                tracee.position = Position::Outside;
                self.hide_handler(tid, &stopped)?;
                self.place_between_calls(tid);
                self.after_net_call(tid, stopped, Stop::Syscall)
            }
            Position::Followed => self.exit(tid, stopped, cpu, observer),
            Position::Preparing => self.prepared(tid, stopped),
            Position::Returning => {
                tracee.position = Position::Outside;
                self.go_on(tid, stopped, 0)
            }
        }
    }

    /// The call at whose entry or exit a thread stopped.
    pub(crate) fn syscall_stop(
        &mut self,
        stopped: &Ptraced<Stopped>,
        side: Side,
    ) -> io::Result<SyscallStop> {
        let source = self.options.syscall_source;
        match stopped.syscall(source.unwrap_or(SyscallSource::Info), side) {
            // An older kernel, or a sandbox that has not heard of the request.
            Err(error) if source.is_none() && !is_gone(&error) => {
                self.options.syscall_source = Some(SyscallSource::Registers);
                stopped.syscall(SyscallSource::Registers, side)
            }
            stop => stop,
        }
    }

    /// A stop before a call: at its entry, or since a filter picked it.
    pub(crate) fn entry(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        at: Stop,
        cpu: u64,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let stop = self.syscall_stop(&stopped, Side::Entry)?;
        if stop.what == SyscallStopKind::None {
            return Err(superseded());
        }
        if let SyscallStopKind::Entry { arch, number, args } = stop.what {
            self.toll.calls_seen += 1;
            let raw_number = number;
            let (arch, number) = abi(arch, number);
            self.log(format_args!("call: {tid} stands before {arch:?} {number}"));
            self.note_abi(tid, arch, GuestAddr(stop.ip), observer);
            let told = multiplexed::told(&stopped, Told { arch, raw_number, number, args });
            let wanted = self.is_wanted(tid, arch, told.number);
            let claimed = self.chain.is_asked(arch, told.number);
            let mut is_told = false;
            if let Some(tracee) = self.tracees.get_mut(tid) {
                tracee.verdict = None;
                tracee.registers = args;
            }
            if !claimed && self.is_emulated(tid) {
                return self.return_to_call(tid, stopped, (raw_number, stop.ip));
            }
            if wanted || claimed {
                self.begin(tid, &stop, told, cpu, observer)?;
                self.toll.calls_told += u64::from(wanted);
                is_told = wanted && self.observer_wants(tid, observer);
                if claimed {
                    match self.decide(tid, &stopped, &stop, observer)? {
                        Ready::Yes => {}
                        Ready::Prepares => return self.prepare(tid, stopped),
                        Ready::Emulated => {
                            return self.return_to_call(tid, stopped, (raw_number, stop.ip));
                        }
                    }
                }
                if is_told {
                    self.note_stack_before(tid, &stopped);
                    self.entered(tid, observer);
                }
            } else {
                self.note_site(tid, &stop, (arch, number, args));
            }
            let could_serve = self.agent_could_serve(tid, (arch, told.number), stop.ip);
            let interest = Interest {
                is_told,
                is_asked: wanted || claimed,
                is_served: could_serve && !self.serve_before_call(tid, &stopped)?,
            };
            self.before_call(tid, &stopped, &stop, (arch, number, args), interest, observer)?;
        }
        self.go_into_call(tid, stopped, at, observer)
    }

    /// A call is about to be made: notes what has to be known of it, and whether its end is to be
    /// seen.
    fn before_call(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        stop: &SyscallStop,
        (arch, number, args): (Arch, u64, [u64; 6]),
        Interest { is_told, is_asked, is_served }: Interest,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let sure =
            if is_told { self.sure_result(tid, stopped, (arch, number), stop.sp) } else { None };
        let asks_mode = self.asks_for_mode(tid, (arch, number, args));
        let followed = is_told && sure.is_none() || self.is_awaited(tid) || is_served || asks_mode;
        if let Some(tracee) = self.tracees.get_mut(tid) {
            tracee.told = is_told;
            tracee.fresh = false;
        }
        if self.is_written_beside(tid, arch, number, args[0]) {
            self.tell_before_output(tid, observer);
        }
        if followed {
            self.bring_together(tid, arch, number);
        }
        self.place_before_call(tid, arch, number, &args, is_asked)?;
        if self.is_made(tid) {
            self.note_made(tid, stopped, stop, (arch, number, args))?;
        }
        self.set_position(tid, followed);
        if let Some(value) = sure.filter(|_| !followed) {
            let cpu = self.tracees.get(tid).map_or(0, |tracee| tracee.call.cpu);
            self.end_call(tid, Outcome::of(value, now(), cpu), observer)?;
        }
        Ok(())
    }

    /// A filter picks a call of which the stop at its entry has told all. If it is the guest's own
    /// filter, that asks for a tracer which is not there natively: the call is not made, and fails
    /// with the `ENOSYS` that the kernel has put in place of its result.
    pub(crate) fn picked_again(&mut self, tid: Tid, stopped: Ptraced<Stopped>) -> io::Result<()> {
        if stopped.event_message()? != u64::from(seccomp::MESSAGE) {
            stopped.set_call_number(u64::MAX)?;
        }
        self.go_on(tid, stopped, 0)
    }

    /// A thread is about to make a call: notes what has to be known of it.
    fn note_made(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        stop: &SyscallStop,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) -> io::Result<()> {
        self.note_mapping(tid, (arch, number, args));
        self.note_action(tid, stopped, (arch, number, args));
        self.note_agent_call(tid, (arch, number, args));
        self.note_last_call(tid, (arch, number), stop.ip.wrapping_sub(SYSCALL_LEN));
        self.note_clone(tid, stopped, (arch, number, args))?;
        self.note_netlink(tid, (arch, number, args));
        self.note_shown(tid, (arch, number, args));
        self.note_own_dispatch(tid, stopped, (arch, number, args))?;
        if let Some(all_threads) = installs_filter(arch, number, &args) {
            self.filtered_by_itself(tid, all_threads);
        }
        Ok(())
    }

    /// A thread with an agent may be about to make a task that is not traced.
    fn note_clone(
        &mut self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        (arch, number, args): (Arch, u64, [u64; 6]),
    ) -> io::Result<()> {
        if self.agent.is_none() {
            return Ok(());
        }
        let flags = clone_flags(stopped, arch, number, &args);
        if self.is_outlived() && (flags.is_some() || is_fork(arch, number)) {
            self.leave_slot(tid, stopped)?;
        }
        let Some(flags) = flags else { return Ok(()) };
        let untraced = flags & CLONE_UNTRACED != 0;
        if untraced {
            // The child has the register from its maker, and nobody to give it another.
            self.close_seat(tid);
            stopped.set_gs_base(0)?;
        }
        // Its maker waits for one that is let go by `CLONE_VFORK`, until it has another memory.
        let let_go = !self.options.follow && flags & CLONE_VFORK == 0;
        if flags & CLONE_VM != 0 && (untraced || let_go) {
            self.share_with_untraced(tid);
        }
        Ok(())
    }

    /// A thread may be about to make a socket of netlink: the agents of its process shall know.
    fn note_netlink(&mut self, tid: Tid, (arch, number, args): (Arch, u64, [u64; 6])) {
        let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else { return };
        if !self.netlink.note_call(process, arch, number, &args) {
            return;
        }
        self.tell_agents(process, slot::NETLINK, self.netlink.candidates(process));
    }

    /// A thread may be about to have another descriptor for where calls are shown.
    fn note_shown(&mut self, tid: Tid, (arch, number, args): (Arch, u64, [u64; 6])) {
        let Some(process) = self.tracees.get(tid).map(|tracee| tracee.process) else { return };
        if self.shown.note_call(process, arch, number, &args) {
            self.tell_agents(process, slot::SHOWN, self.shown.of(process));
        }
    }

    /// Puts a word into the slots of a process's threads.
    fn tell_agents(&mut self, process: Pid, field: u64, word: u64) {
        let threads = self.tracees.iter_mut().filter(|(_, tracee)| tracee.process == process);
        for seat in threads.filter_map(|(_, tracee)| tracee.seat.as_ref()) {
            seat.slot.store(field, word);
        }
    }

    fn is_wanted(&self, tid: Tid, arch: Arch, number: u64) -> bool {
        let starting = self.tracees.get(tid).is_some_and(|tracee| tracee.starting);
        if starting && number != u64::from(x86_64::EXECVE.number) {
            return false;
        }
        self.options.calls.contains_of(arch, number)
    }

    /// A thread may go on in another ABI: a 32-bit program in place of a 64-bit one, or `int 0x80`.
    fn note_abi(&mut self, tid: Tid, arch: Arch, ip: GuestAddr, observer: &mut dyn Observer) {
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        if std::mem::replace(&mut tracee.arch, arch) != arch {
            self.tell(tid, What::RunsIn { arch, ip }, observer);
        }
    }

    /// Captures a call's entry half.
    pub(crate) fn begin(
        &mut self,
        tid: Tid,
        stop: &SyscallStop,
        told: Told,
        cpu: u64,
        observer: &dyn Observer,
    ) -> io::Result<()> {
        let wanted = self.is_wanted(tid, told.arch, told.number);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let call = &mut tracee.call;
        call.enter(told.arch, told.number, told.args, GuestAddr(stop.ip), GuestAddr(stop.sp));
        call.raw_number = told.raw_number;
        call.cpu = cpu;
        let plan = self.plans.of(told.arch, told.number);
        if self.options.memory {
            call.netlink = self.netlink.look_up(tracee.process, tid, call);
            self.capturer.copy_all(observer.wants_data(call));
            self.capturer.copy_vectors(wanted);
            self.capturer.fill(tid, call, &plan.entry, Phase::Entry)?;
            call.bpf_object = bpf::look_up(tid, call);
            if call.bpf_object.is_some() {
                // Now it is known what lies behind its attributes.
                self.capturer.fill(tid, call, &plan.entry, Phase::Entry)?;
            }
        }
        self.descriptors.look_up(tracee.process, tid, call, &self.options.contexts);
        self.options.contexts.look_up(tid, call);
        call.entered = now();
        Ok(())
    }

    fn observer_wants(&self, tid: Tid, observer: &mut dyn Observer) -> bool {
        self.tracees.get(tid).is_some_and(|tracee| observer.wants(tid, &tracee.call))
    }

    /// Tells of a call's entry.
    fn entered(&mut self, tid: Tid, observer: &mut dyn Observer) {
        let alone = self.is_alone(tid);
        let Some(tracee) = self.tracees.get(tid) else { return };
        let call = &tracee.call;
        let event = Event { tid, time: call.entered, what: What::Enter(call) };
        agent::tell(&mut self.agent, alone, &event, observer);
    }

    /// What a call will return before which a thread stands, where that is known and the call need not
    /// stop at its end: `rt_sigreturn(2)` returns what its frame says. A handler that is called again and
    /// again, as Go's scheduler does it, leaves its thread little time between its stops.
    fn sure_result(
        &self,
        tid: Tid,
        stopped: &Ptraced<Stopped>,
        (arch, number): (Arch, u64),
        sp: u64,
    ) -> Option<i64> {
        if arch != Arch::X86_64 || number != x86_64::RT_SIGRETURN.number.into() {
            return None;
        }
        let tracee = self.tracees.get(tid)?;
        let ends_unseen = tracee.mechanism.inside_call(false) == Resume::Continue;
        if !ends_unseen || tracee.verdict.is_some() || self.options.cpu_time {
            return None;
        }
        let result = stopped.peek(sp.wrapping_add(RESULT_IN_FRAME)).ok()?;
        Some(result as i64)
    }

    fn set_position(&mut self, tid: Tid, followed: bool) {
        let Some(tracee) = self.tracees.get_mut(tid) else { return };
        tracee.position = if followed {
            Position::Followed
        } else if tracee.mechanism.inside_call(false) == Resume::Continue {
            Position::Outside
        } else {
            Position::Ignored
        };
    }

    /// A stop after a call.
    fn exit(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        cpu: u64,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let time = now();
        let stop = self.syscall_stop(&stopped, Side::Exit)?;
        if stop.what == SyscallStopKind::None {
            return Err(superseded());
        }
        self.hide_handler(tid, &stopped)?;
        match stop.what {
            SyscallStopKind::Exit { value, failed } => {
                let value = self.hide_filter(tid, &stopped, value)?;
                self.log(format_args!("call: {tid} stands behind one that returned {value}"));
                let outcome = Outcome { time, cpu, value, failed };
                self.behind_call(tid, stopped, (Stop::Syscall, outcome), observer)
            }
            _ => self.after_net_call(tid, stopped, Stop::Syscall),
        }
    }

    /// The stop in an `execve(2)` that has succeeded. Its exit is still to come, but tells nothing
    /// new: where no stop has to be made for it, none is.
    pub(crate) fn exec(
        &mut self,
        tid: Tid,
        stopped: Ptraced<Stopped>,
        cpu: u64,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        if tracee.mechanism.outside_call() == Resume::Syscall {
            return self.go_on(tid, stopped, 0);
        }
        if tracee.position == Position::Followed {
            let outcome = Outcome { time: now(), cpu, value: 0, failed: false };
            return self.behind_call(tid, stopped, (Stop::Exec, outcome), observer);
        }
        tracee.position = Position::Outside;
        self.after_net_call(tid, stopped, Stop::Exec)
    }

    /// Captures the exit half of a call, and tells of it.
    pub(crate) fn end_call(
        &mut self,
        tid: Tid,
        outcome: Outcome,
        observer: &mut dyn Observer,
    ) -> io::Result<()> {
        let alone = self.is_alone(tid);
        let Some(tracee) = self.tracees.get_mut(tid) else { return Ok(()) };
        let call = &mut tracee.call;
        call.outcome = Some(outcome);
        let plan = self.plans.of(call.arch, call.number);
        if self.options.memory {
            self.capturer.copy_all(observer.wants_data(call));
            let fetches = match outcome.failed {
                false => &plan.exit,
                true if call.was_interrupted() => &plan.interrupted,
                true => &plan.failed,
            };
            self.capturer.fill(tid, call, fetches, Phase::Exit)?;
        }
        self.descriptors.look_up(tracee.process, tid, call, &self.options.contexts);
        self.options.contexts.look_up(tid, call);
        let counts = observer.counts(&tracee.call);
        let event = Event { tid, time: outcome.time, what: What::Exit(&tracee.call) };
        agent::tell(&mut self.agent, alone, &event, observer);
        self.calls_ended += u64::from(counts);
        Ok(())
    }
}

/// The ABI and the number within it.
pub(crate) fn abi(audit_arch: u32, number: u64) -> (Arch, u64) {
    if audit_arch != AUDIT_ARCH_X86_64 {
        (Arch::I386, number)
    } else if number & Arch::X32_BIT != 0 && number >> 31 == 0 {
        (Arch::X32, number & !Arch::X32_BIT)
    } else {
        (Arch::X86_64, number)
    }
}

/// The flags of a call that makes a task, if it has any.
fn clone_flags(
    stopped: &Ptraced<Stopped>,
    arch: Arch,
    number: u64,
    args: &[u64; 6],
) -> Option<u64> {
    let is = |id: table::Id| arch == Arch::X86_64 && number == id.number.into();
    if is(x86_64::CLONE) {
        Some(args[0])
    } else if is(x86_64::CLONE3) {
        // The first field of its struct.
        stopped.peek(args[0]).ok()
    } else {
        None
    }
}

/// Whether this call makes a process, with nothing to choose.
fn is_fork(arch: Arch, number: u64) -> bool {
    let number = arch.native_number(number);
    [x86_64::FORK, x86_64::VFORK].iter().any(|id| number == u64::from(id.number))
}

/// Whether this call installs a seccomp filter, and if so whether for all threads of the process.
fn installs_filter(arch: Arch, number: u64, args: &[u64; 6]) -> Option<bool> {
    let number = arch.native_number(number);
    if number == x86_64::SECCOMP.number.into() {
        Some(args[1] & SECCOMP_FILTER_FLAG_TSYNC != 0)
    } else if number == x86_64::PRCTL.number.into() && u64::from(args[0] as u32) == PR_SET_SECCOMP {
        Some(false)
    } else {
        None
    }
}

/// The error for a stop at which the thread is no more: it was killed there, and another thread,
/// which called `execve(2)`, goes by its id. That one's stop is reported by itself.
fn superseded() -> io::Error {
    kernel::ptrace::gone()
}
