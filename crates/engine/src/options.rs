//! What a session is to do.

use std::path::PathBuf;

use contract::{CallSet, Enforcement, FdDetails};
use kernel::memory::Method;
use kernel::ptrace::SyscallSource;

use crate::{Asides, Emulation, Log, Mechanism, SecurityContexts};

/// What a session is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// How calls are intercepted.
    pub mechanism: Mechanism,
    /// Whether [`Mechanism::Sysemu`] emulates calls; it may change while guests run.
    pub emulation: Emulation,
    /// So many of the calls that the agent could make go through the net in each program that a
    /// session starts, before the agent comes in.
    pub agent_after: u32,
    /// What is forbidden to the guests that are started, if anything is.
    pub enforcement: Option<Enforcement>,
    /// How to learn about a call at its stop; `None`: the better way, if the kernel knows it.
    pub syscall_source: Option<SyscallSource>,
    /// The calls to tell of.
    pub calls: CallSet,
    /// Of these the calls that must be told of while the guest is stopped: an agent leaves them to
    /// the net.
    pub stopping: CallSet,
    /// What of the guests' output comes to the place where the observer shows their calls.
    pub shown_beside: ShownBeside,
    /// Follow new processes and threads.
    pub follow: bool,
    /// Kill the guests when the supervisor ends.
    pub kill_on_exit: bool,
    /// Whether a signal that ends the session kills the guests, which otherwise are let go.
    pub kill_on_interrupt: bool,
    /// A guest thread that makes all the stops shares the supervisor's processor, unnoticed.
    pub share_processor: bool,
    /// Let go of a guest when it has executed another program.
    pub detach_on_exec: bool,
    /// Let go of all guests after so many calls were told of from entry to exit.
    pub call_limit: Option<u64>,
    /// Copy what the calls' plans name; else only registers are captured.
    pub memory: bool,
    /// How guest memory is read; `None`: the cheapest way that works here.
    pub memory_method: Option<Method>,
    /// Note the CPU time that calls take.
    pub cpu_time: bool,
    /// What to look up of the file descriptors that calls mention.
    pub fds: FdDetails,
    /// The security contexts to look up, of files that calls name. These have to be `stopping`.
    pub contexts: SecurityContexts,
    /// Look at the stacks of calls and of signals, if at all. All these calls have to be `stopping`.
    pub stacks: Option<StackOptions>,
    /// Look where threads are that get signals.
    pub signal_ips: bool,
    /// What else to look up of calls that have returned. These have to be `stopping`.
    pub asides: Asides,
    /// How much is copied.
    pub limits: Limits,
    /// Size of the memory in which each thread with an agent records its calls, in bytes: a power of
    /// two in [`RING_LENS`]. Where it is full its calls go through the net.
    pub ring_len: u32,
    /// The directory in which the agent keeps what it knows of programs' system calls from one
    /// session to the next; it is made where it is missing.
    pub site_cache: Option<PathBuf>,
    /// Who is told what the session does, if anybody is.
    pub log: Option<Log>,
}

/// The default of [`Options::ring_len`].
pub const RING_LEN: u32 = agent::abi::RING_LEN as u32;
/// What [`Options::ring_len`] can be.
pub const RING_LENS: std::ops::RangeInclusive<u32> = 1 << 14..=1 << 24;

/// What guests write to the place where their calls are shown: whatever comes before is told before that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ShownBeside {
    /// Nothing.
    #[default]
    Nothing,
    /// Their standard error.
    Errors,
    /// Their standard output and error.
    Both,
}

impl ShownBeside {
    /// The descriptors by which they write there.
    pub fn streams(self) -> &'static [u32] {
        match self {
            ShownBeside::Nothing => &[],
            ShownBeside::Errors => &[2],
            ShownBeside::Both => &[1, 2],
        }
    }
}

/// How much memory is copied for one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of data and of strings that are no paths.
    pub string: usize,
    /// Elements of arrays.
    pub elements: usize,
    /// Copy the strings of environments too.
    pub environment: bool,
}

/// What is told of stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackOptions {
    /// So many frames at most.
    pub frames: usize,
    /// Lines of source too.
    pub sources: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mechanism: Mechanism::Ptrace,
            emulation: Emulation::default(),
            agent_after: 0,
            enforcement: None,
            syscall_source: None,
            calls: CallSet::ALL,
            stopping: CallSet::NONE,
            shown_beside: ShownBeside::Nothing,
            follow: false,
            kill_on_exit: false,
            kill_on_interrupt: false,
            share_processor: true,
            detach_on_exec: false,
            call_limit: None,
            memory: true,
            memory_method: None,
            cpu_time: false,
            fds: FdDetails::NONE,
            contexts: SecurityContexts::None,
            stacks: None,
            signal_ips: false,
            asides: Asides::default(),
            limits: Limits::default(),
            ring_len: RING_LEN,
            site_cache: None,
            log: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { string: 32, elements: 32, environment: false }
    }
}
