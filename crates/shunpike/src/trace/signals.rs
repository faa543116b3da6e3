//! Which signals may stop the tracer (`-I`).

use anyhow::Context;
use engine::Mechanism;
use kernel::interrupts;

use crate::cli::TraceOptions;
use crate::cli::{Interruptible, Target};

/// `SIGHUP`, `SIGINT`, `SIGQUIT`, `SIGPIPE`, `SIGTERM`.
const FATAL: &[i32] = &[1, 2, 3, 13, 15];
/// `SIGTSTP`, `SIGTTOU`, `SIGTTIN`: the terminal's job control.
const JOB_CONTROL: &[i32] = &[20, 22, 21];

/// Whether the trace ends where nobody reads what is shown on stderr any more: `2>&1 | head`.
pub(super) fn ends_with_reader(options: &TraceOptions) -> bool {
    let may_end = matches!(wanted(options), Interruptible::Anywhere | Interruptible::Waiting);
    may_end && options.output.target == Target::Stderr
}

/// Has the trace end for want of a reader, as if `SIGPIPE` had done it.
pub(super) fn reader_gone() {
    const SIGPIPE: i32 = 13;
    interrupts::note_one(SIGPIPE);
}

/// When signals may stop the tracer.
fn wanted(options: &TraceOptions) -> Interruptible {
    let to_file = options.output.target != Target::Stderr && !options.command.is_empty();
    let default = match options.launch.daemonize {
        Some(_) => Interruptible::NeverTstp,
        None if to_file => Interruptible::Never,
        None => Interruptible::Waiting,
    };
    options.follow.interruptible.unwrap_or(default)
}

/// Catches or ignores signals as the options say. By a mechanism whose programs do not outlive the tracer
/// it has to let them go first, also where signals may end it anywhere.
///
/// # Errors
/// The kernel refuses.
pub(super) fn set_up(options: &TraceOptions, mechanism: Mechanism) -> anyhow::Result<()> {
    let result = match wanted(options) {
        Interruptible::Anywhere if mechanism == Mechanism::Ptrace => interrupts::die_at_once(FATAL),
        Interruptible::Anywhere | Interruptible::Waiting => interrupts::catch(FATAL),
        Interruptible::Never => interrupts::ignore(FATAL),
        Interruptible::NeverTstp => {
            interrupts::ignore(FATAL).and_then(|()| interrupts::ignore(JOB_CONTROL))
        }
    };
    result.context("cannot set up signals")
}
