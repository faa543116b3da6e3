//! Which signals may stop the tracer (`-I`).

use anyhow::Context;
use kernel::interrupts;

use crate::cli::TraceOptions;
use crate::cli::{Interruptible, Target};

/// `SIGHUP`, `SIGINT`, `SIGQUIT`, `SIGPIPE`, `SIGTERM`.
const FATAL: &[i32] = &[1, 2, 3, 13, 15];
/// `SIGTSTP`, `SIGTTOU`, `SIGTTIN`: the terminal's job control.
const JOB_CONTROL: &[i32] = &[20, 22, 21];

/// Catches or ignores signals as the options say.
///
/// # Errors
/// The kernel refuses.
pub(super) fn set_up(options: &TraceOptions) -> anyhow::Result<()> {
    let to_file = options.output.target != Target::Stderr && !options.command.is_empty();
    let default = match options.launch.daemonize {
        Some(_) => Interruptible::NeverTstp,
        None if to_file => Interruptible::Never,
        None => Interruptible::Waiting,
    };
    let result = match options.follow.interruptible.unwrap_or(default) {
        Interruptible::Anywhere | Interruptible::Waiting => interrupts::catch(FATAL),
        Interruptible::Never => interrupts::ignore(FATAL),
        Interruptible::NeverTstp => {
            interrupts::ignore(FATAL).and_then(|()| interrupts::ignore(JOB_CONTROL))
        }
    };
    result.context("cannot set up signals")
}
