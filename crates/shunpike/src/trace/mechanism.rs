//! Which mechanism is to intercept the calls, and why.

use anyhow::bail;
use engine::Mechanism;
use kernel::probe;

use crate::cli::Mechanism as Wish;
use crate::cli::TraceOptions;

/// A mechanism, and what the user should know of the choice.
#[derive(Debug)]
pub(super) struct Choice {
    /// It.
    pub mechanism: Mechanism,
    /// Whether the kernel tells of calls by `PTRACE_GET_SYSCALL_INFO`.
    pub syscall_info: bool,
    /// What was wished for and is not to be had.
    pub warnings: Vec<String>,
}

/// Chooses: the filter where it spares stops and nothing speaks against it.
///
/// # Errors
/// A mechanism was demanded that is not to be had here.
pub(super) fn choose(options: &TraceOptions) -> anyhow::Result<Choice> {
    let obstacle = obstacle(options);
    let mut warnings = Vec::new();
    let mechanism = match options.mechanism {
        Wish::Ptrace => Mechanism::Ptrace,
        Wish::Seccomp => {
            if let Some(obstacle) = obstacle {
                bail!("--mechanism=seccomp cannot be used: {obstacle}; use --mechanism=auto");
            }
            Mechanism::Seccomp
        }
        Wish::Auto if options.seccomp_bpf => match obstacle {
            Some(obstacle) => {
                warnings.push(format!("--seccomp-bpf is not used: {obstacle}"));
                Mechanism::Ptrace
            }
            None => Mechanism::Seccomp,
        },
        // A filter that lets nothing pass spares nothing.
        Wish::Auto if options.filter.calls.is_all() || obstacle.is_some() => Mechanism::Ptrace,
        Wish::Auto => Mechanism::Seccomp,
    };
    Ok(Choice { mechanism, syscall_info: probe::syscall_info().is_ok(), warnings })
}

/// What speaks against a filter.
fn obstacle(options: &TraceOptions) -> Option<&'static str> {
    if !options.follow.forks {
        Some("a filter reaches children too, so it needs -f/--follow-forks")
    } else if options.command.is_empty() || !options.attach.is_empty() {
        Some("a filter can only be put into a program that is started, not with -p/--attach")
    } else if options.follow.detach_on_execve || options.follow.syscall_limit.is_some() {
        Some("a guest under a filter cannot be let go (-b/--detach-on, --syscall-limit)")
    } else if options.launch.daemonize.is_some() {
        Some("a guest under a filter does not outlive its tracer (-D/--daemonize)")
    } else if probe::filter_trace().is_err() {
        Some("this kernel has no seccomp filters that tell a tracer; see 'shunpike doctor'")
    } else {
        None
    }
}
