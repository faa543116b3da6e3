//! Which mechanism is to intercept the calls, and why.

use anyhow::bail;
use engine::Mechanism;
use kernel::{clock, probe};

use super::calls;
use crate::cli::{MechanismChoice, SummaryMode, TraceOptions};

/// A mechanism, and what the user should know of the choice.
#[derive(Debug)]
pub(crate) struct Choice {
    /// It.
    pub mechanism: Mechanism,
    /// Why this one.
    pub why: &'static str,
    /// Whether the kernel tells of calls by `PTRACE_GET_SYSCALL_INFO`.
    pub syscall_info: bool,
    /// What was wished for and is not to be had.
    pub warnings: Vec<String>,
}

/// Chooses: the filter where it spares stops and nothing speaks against it.
///
/// # Errors
/// A mechanism was demanded that is not to be had here.
pub(crate) fn choose(options: &TraceOptions) -> anyhow::Result<Choice> {
    let mut warnings = Vec::new();
    let (mechanism, why) = match options.mechanism {
        MechanismChoice::Ptrace => (Mechanism::Ptrace, DEMANDED),
        MechanismChoice::Auto if calls::wanted(options).is_all() && !options.seccomp_bpf => {
            (Mechanism::Ptrace, "every call is wanted, so a filter would spare no stop")
        }
        MechanismChoice::Agent if options.command.is_empty() => match attached_obstacle(options) {
            Some(obstacle) => {
                bail!("--mechanism=agent cannot be used: {obstacle}; use --mechanism=auto");
            }
            None if probe::dispatch().is_err() => {
                warnings.push(format!("--mechanism=agent is not used: {NO_DISPATCH}"));
                (Mechanism::Ptrace, NO_DISPATCH)
            }
            None => (Mechanism::Dispatch, DEMANDED),
        },
        MechanismChoice::Agent => match obstacle(options).or_else(|| agent_obstacle(options)) {
            None => (Mechanism::Agent, DEMANDED),
            Some(obstacle) => {
                bail!("--mechanism=agent cannot be used: {obstacle}; use --mechanism=auto");
            }
        },
        choice => match obstacle(options) {
            None if choice == MechanismChoice::Seccomp || options.seccomp_bpf => {
                (Mechanism::Seccomp, DEMANDED)
            }
            None => (Mechanism::Seccomp, "a filter lets the calls that are not wanted pass"),
            Some(obstacle) if choice == MechanismChoice::Seccomp => {
                bail!("--mechanism=seccomp cannot be used: {obstacle}; use --mechanism=auto");
            }
            Some(obstacle) => {
                if options.seccomp_bpf {
                    warnings.push(format!("--seccomp-bpf is not used: {obstacle}"));
                }
                (Mechanism::Ptrace, obstacle)
            }
        },
    };
    Ok(Choice { mechanism, why, syscall_info: probe::syscall_info().is_ok(), warnings })
}

const DEMANDED: &str = "it was asked for";
const NO_DISPATCH: &str =
    "with -p/--attach it needs syscall user dispatch for tracers (Linux 6.4 or newer)";

/// What speaks against an agent in programs that run already.
fn attached_obstacle(options: &TraceOptions) -> Option<&'static str> {
    if options.follow.forks {
        agent_obstacle(options)
    } else {
        Some("an agent reaches children too, so it needs -f/--follow-forks")
    }
}

/// What speaks against an agent, where nothing speaks against a filter.
fn agent_obstacle(options: &TraceOptions) -> Option<&'static str> {
    let counts = options.summary.mode != SummaryMode::Off;
    if !probe::reads_gs_base() {
        Some("programs may not use rdgsbase here (Linux before 5.9, or an old processor)")
    } else if !clock::tsc_is_invariant() {
        Some("this processor's time stamp counter does not run evenly")
    } else if counts && !options.summary.wall_clock {
        Some("it does not measure system CPU time; add -w/--summary-wall-clock")
    } else {
        None
    }
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
