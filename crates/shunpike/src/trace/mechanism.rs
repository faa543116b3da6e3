//! Which mechanism is to intercept the calls, and why.

use anyhow::bail;
use contract::CallSet;
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
    pub why: String,
    /// What was wished for and is not to be had.
    pub warnings: Vec<String>,
}

/// Chooses: the agent, or else the filter, where it spares stops and nothing speaks against it.
///
/// # Errors
/// A mechanism was demanded that is not to be had here.
pub(crate) fn choose(options: &TraceOptions) -> anyhow::Result<Choice> {
    Ok(match options.mechanism {
        MechanismChoice::Ptrace => Choice::of(Mechanism::Ptrace, DEMANDED),
        MechanismChoice::Seccomp => match obstacle(options) {
            None => Choice::of(Mechanism::Seccomp, DEMANDED),
            Some(obstacle) => refuse("seccomp", obstacle)?,
        },
        MechanismChoice::Agent if options.command.is_empty() => match attached_obstacle(options) {
            Some(obstacle) => refuse("agent", obstacle)?,
            None if probe::dispatch().is_err() => {
                let warning = format!("--mechanism=agent is not used: {NO_DISPATCH}");
                Choice { warnings: vec![warning], ..Choice::of(Mechanism::Ptrace, NO_DISPATCH) }
            }
            None => Choice::of(Mechanism::Dispatch, DEMANDED),
        },
        MechanismChoice::Agent => match obstacle(options).or_else(|| agent_obstacle(options)) {
            None => Choice::of(Mechanism::Agent, DEMANDED),
            Some(obstacle) => refuse("agent", obstacle)?,
        },
        MechanismChoice::Auto => automatic(options),
    })
}

impl Choice {
    fn of(mechanism: Mechanism, why: impl Into<String>) -> Choice {
        Choice { mechanism, why: why.into(), warnings: Vec::new() }
    }

    /// The mechanism's name, and why it was chosen.
    pub(crate) fn described(&self) -> String {
        format!("{:<9} {}", self.mechanism.name(), self.why)
    }
}

/// What was demanded is not to be had.
fn refuse(name: &str, obstacle: &str) -> anyhow::Result<Choice> {
    bail!("--mechanism={name} cannot be used: {obstacle}; use --mechanism=auto")
}

/// The cheapest one that can do what is asked, and changes nothing that the program may do.
fn automatic(options: &TraceOptions) -> Choice {
    let wanted = calls::wanted(options);
    let no_agent = agent_obstacle(options).or_else(|| idle(options, &wanted));
    if let Some(why) = no_agent.filter(|_| wanted.is_all() && !options.seccomp_bpf) {
        // Nor would a filter spare a stop.
        return Choice::of(Mechanism::Ptrace, why);
    }
    match (rights_obstacle(options).or_else(|| obstacle(options)), no_agent) {
        (Some(obstacle), _) => {
            let unmet = options.seccomp_bpf;
            let warning = unmet.then(|| format!("--seccomp-bpf is not used: {obstacle}"));
            let warnings = warning.into_iter().collect();
            Choice { warnings, ..Choice::of(Mechanism::Ptrace, obstacle) }
        }
        (None, None) => {
            Choice::of(Mechanism::Agent, "the program records its calls, without a stop for each")
        }
        (None, _) if options.seccomp_bpf => Choice::of(Mechanism::Seccomp, DEMANDED),
        (None, Some(why)) => {
            Choice::of(Mechanism::Seccomp, format!("only calls that are wanted stop; {why}"))
        }
    }
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
        Some("the agent does not measure system CPU time (add -w/--summary-wall-clock)")
    } else {
        None
    }
}

/// Why the agent would be no gain where it can be had.
fn idle(options: &TraceOptions, wanted: &CallSet) -> Option<&'static str> {
    let stopping = calls::stopping(options);
    if options.seccomp_bpf {
        Some("--seccomp-bpf prefers a filter")
    } else if wanted.numbers().any(|call| stopping.contains(call)) {
        Some("calls whose descriptors are looked up stop under the agent too (-y/--decode-fds, -P)")
    } else if !wanted.contains(u64::MAX) {
        Some("to bring in the agent costs more than few of them")
    } else {
        None
    }
}

/// What a filter would take from a program that may have it.
fn rights_obstacle(options: &TraceOptions) -> Option<&'static str> {
    let has_user = options.launch.user.is_some();
    has_user.then_some("a filter takes their rights from set-user-ID programs (-u/--user)")
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
    } else if !probe::has_filter_trace() {
        Some("this kernel has no seccomp filters that tell a tracer; see 'shunpike doctor'")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Command, Program};

    #[test]
    fn what_is_asked_for_decides() {
        if probe::filter_trace().is_err() || !probe::reads_gs_base() || !clock::tsc_is_invariant() {
            eprintln!("skipped: there can be no agent here");
            return;
        }
        let cases = [
            ("-f p", Mechanism::Agent),
            ("-f -e trace=!futex p", Mechanism::Agent),
            ("-f -c -w p", Mechanism::Agent),
            ("-f --seccomp-bpf p", Mechanism::Seccomp),
            ("-f -e trace=openat p", Mechanism::Seccomp),
            ("-f -c -e trace=openat p", Mechanism::Seccomp),
            ("-f -e trace=openat -u user p", Mechanism::Ptrace),
            ("-f -c p", Mechanism::Ptrace),
            ("-f -y p", Mechanism::Ptrace),
            ("-f -b execve p", Mechanism::Ptrace),
            ("-f --syscall-limit=3 p", Mechanism::Ptrace),
            ("-f -D p", Mechanism::Ptrace),
            ("-f -p 1", Mechanism::Ptrace),
            ("-f -p 1 p", Mechanism::Ptrace),
            ("p", Mechanism::Ptrace),
            ("--mechanism=ptrace -f p", Mechanism::Ptrace),
            ("--mechanism=seccomp -f p", Mechanism::Seccomp),
            ("--mechanism=agent -f -y p", Mechanism::Agent),
        ];
        for (line, expected) in cases {
            let words = ["trace"].into_iter().chain(line.split(' '));
            let Ok(Command::Trace(options)) = Program::new(None).parse(words.map(Into::into))
            else {
                panic!("not understood: {line}");
            };
            let choice = choose(&options).unwrap();
            assert_eq!(choice.mechanism, expected, "{line}: {}", choice.why);
            assert!(!choice.why.is_empty(), "{line}");
        }
    }
}
