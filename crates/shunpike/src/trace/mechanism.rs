//! Which mechanism is to intercept the calls, and why.

use anyhow::bail;
use contract::{CallSet, Reply};
use engine::Mechanism;
use kernel::{clock, probe};
use modules::uts::Names;
use table::Id;
use table::arch::x86_64::{CLOSE, OPENAT, READ, WRITE};

use super::calls;
use crate::cli::{
    DecodePids, Interruptible, MechanismChoice, RunOptions, StackTrace, TraceOptions,
};

/// A mechanism, and what the user should know of the choice.
#[derive(Debug)]
pub(crate) struct Choice {
    /// It.
    pub mechanism: Mechanism,
    /// Why this one.
    pub why: String,
    /// After how many calls the agent comes into a program.
    pub agent_after: u32,
    /// What was wished for and is not to be had.
    pub warnings: Vec<String>,
}

/// Chooses: the agent, or else the filter, where it spares stops and nothing speaks against it.
///
/// # Errors
/// A mechanism was demanded that is not to be had here.
pub(crate) fn choose(options: &TraceOptions) -> anyhow::Result<Choice> {
    if is_enforced(options) {
        return enforced(options);
    }
    Ok(match options.mechanism {
        MechanismChoice::Ptrace => Choice::of(Mechanism::Ptrace, DEMANDED),
        MechanismChoice::Sysemu => Choice::of(Mechanism::Sysemu, DEMANDED),
        MechanismChoice::Seccomp => match filter_obstacle(options) {
            None => Choice::of(Mechanism::Seccomp, DEMANDED),
            Some(obstacle) => refuse("seccomp", obstacle)?,
        },
        MechanismChoice::Agent => match (agent_obstacle(), net(options)) {
            (Some(obstacle), _) => refuse("agent", obstacle)?,
            (None, Ok(mechanism)) => Choice::of(mechanism, DEMANDED),
            (None, Err(NO_DISPATCH)) => {
                let warning = format!("--mechanism=agent is not used: {NO_DISPATCH}");
                Choice { warnings: vec![warning], ..Choice::of(Mechanism::Ptrace, NO_DISPATCH) }
            }
            (None, Err(obstacle)) => refuse("agent", obstacle)?,
        },
        MechanismChoice::Auto if options.run.is_some() => automatic_run(options),
        MechanismChoice::Auto => automatic(options),
    })
}

impl Choice {
    fn of(mechanism: Mechanism, why: impl Into<String>) -> Choice {
        Choice { mechanism, why: why.into(), agent_after: 0, warnings: Vec::new() }
    }

    /// The mechanism's name, and why it was chosen.
    pub(crate) fn described(&self) -> String {
        format!("{:<9} {}", self.mechanism.name(), self.why)
    }
}

fn is_enforced(options: &TraceOptions) -> bool {
    options.run.as_ref().is_some_and(|run| run.files.enforce)
}

/// The one that a program has whose rules are kept whatever it tries. An agent is nothing to trust.
fn enforced(options: &TraceOptions) -> anyhow::Result<Choice> {
    if options.launch.daemonize.is_some() {
        bail!("--enforce ends with shunpike itself, so it cannot be used with -D/--daemonize");
    }
    if options.output.separately {
        bail!(
            "with --enforce -ff/--output-separately is not possible: a program that knows the files' names can put \
               a link in place of one; use -f"
        );
    }
    // Where others look at the calls too about which the enforcement decides, they have to see them
    // before a filter does.
    let files = options.run.as_ref().map(|run| &run.files);
    let seen = files.is_some_and(|files| files.learn || !files.places.is_empty());
    let is_looked_at = options.is_shown() || seen || !options.injections.is_empty();
    let mechanism = if is_looked_at { Mechanism::Ptrace } else { Mechanism::Seccomp };
    let why = match mechanism {
        Mechanism::Ptrace => "calls are looked at before --enforce decides about them",
        _ => "the kernel asks where --enforce has to decide",
    };
    match (options.mechanism, mechanism) {
        (MechanismChoice::Auto, _) => Ok(Choice::of(mechanism, why)),
        (MechanismChoice::Ptrace, _) => Ok(Choice::of(Mechanism::Ptrace, DEMANDED)),
        (MechanismChoice::Seccomp, Mechanism::Seccomp) => {
            Ok(Choice::of(Mechanism::Seccomp, DEMANDED))
        }
        (MechanismChoice::Seccomp, _) => {
            refuse("seccomp", "with --enforce a filter hides calls from whoever else looks at them")
        }
        (MechanismChoice::Agent, _) => {
            refuse("agent", "with --enforce nothing in the program is trusted")
        }
        (MechanismChoice::Sysemu, _) => {
            refuse("sysemu", "with --enforce nobody else may answer calls")
        }
    }
}

/// What was demanded is not to be had.
fn refuse(name: &str, obstacle: &str) -> anyhow::Result<Choice> {
    bail!("--mechanism={name} cannot be used: {obstacle}; use --mechanism=auto")
}

/// The cheapest one that can do what is asked, and changes nothing that the program may do.
fn automatic(options: &TraceOptions) -> Choice {
    let wanted = calls::wanted(options);
    let filter = rights_obstacle(options).or_else(|| filter_obstacle(options));
    let no_agent = agent_obstacle().or_else(|| idle(options, &wanted));
    let agent = match no_agent {
        Some(why) => Err(why),
        None if !options.attach.is_empty() => {
            Err("with -p/--attach the agent comes only where it is asked for (--mechanism=agent)")
        }
        None if options.launch.daemonize.is_some() => Err(
            "with -D/--daemonize the agent comes only where it is asked for (--mechanism=agent)",
        ),
        None if options.follow.interruptible == Some(Interruptible::Anywhere) => {
            Err("with -I/--interruptible=anywhere the agent comes only where it is asked for \
             (--mechanism=agent)")
        }
        None if filter.is_none() => Ok(Mechanism::Agent),
        None => net_by_dispatch(options),
    };
    let choice = match (agent, filter) {
        (Ok(Mechanism::Agent), _) if !wanted.contains(u64::MAX) => Choice {
            agent_after: BREAK_EVEN,
            ..Choice::of(
                Mechanism::Agent,
                format!("only calls that are wanted stop, {BREAK_EVEN} of each program"),
            )
        },
        (Ok(mechanism), _) => {
            Choice::of(mechanism, "the program records its calls, without a stop for each")
        }
        (Err(_), None) if options.seccomp_bpf => Choice::of(Mechanism::Seccomp, DEMANDED),
        (Err(why), None) if !wanted.is_all() => {
            Choice::of(Mechanism::Seccomp, format!("only calls that are wanted stop; {why}"))
        }
        (Err(why), _) => Choice::of(Mechanism::Ptrace, why),
    };
    Choice { warnings: no_filter(options, &wanted, filter), ..choice }
}

/// Why `--seccomp-bpf` is not followed, in strace's words where it has some.
fn no_filter(options: &TraceOptions, wanted: &CallSet, filter: Option<&str>) -> Vec<String> {
    if !options.seccomp_bpf {
        return Vec::new();
    }
    if !options.follow.forks {
        let warning = "--seccomp-bpf cannot be used without -f/--follow-forks, disabling";
        return vec![warning.to_owned()];
    }
    let for_attached = "--seccomp-bpf is not enabled for processes attached with -p";
    let incompatible = "--seccomp-bpf is not enabled because it is not compatible with";
    let pointless = "Seccomp filter is requested but there are no syscalls to filter.  \
                     See -e trace to filter syscalls.";
    let mut warnings = Vec::new();
    if !options.attach.is_empty() {
        warnings.push(for_attached.to_owned());
    }
    if options.follow.detach_on_execve {
        warnings.push(format!("{incompatible} -b"));
    }
    if options.follow.syscall_limit.is_some() {
        warnings.push(format!("{incompatible} --syscall-limit"));
    }
    if let (Some(why), []) = (filter, &warnings[..]) {
        warnings.push(format!("--seccomp-bpf is not used: {why}"));
    }
    if wanted.is_all() {
        warnings.push(pointless.to_owned());
    }
    warnings
}

/// The cheapest one for a program about whose calls modules decide.
fn automatic_run(options: &TraceOptions) -> Choice {
    if let Some(obstacle) = rights_obstacle(options).or_else(|| filter_obstacle(options)) {
        return Choice::of(Mechanism::Ptrace, obstacle);
    }
    let agent = if answers_values(options) {
        let why = "the program answers calls itself, without a stop for each";
        Some(Choice::of(Mechanism::Agent, why))
    } else if options.is_shown() {
        let why = "the program records its calls, without a stop for each";
        Some(Choice::of(Mechanism::Agent, why))
    } else if redirects(options) {
        let why = format!("the program decides about its paths itself, after {BREAK_EVEN} stops");
        Some(Choice { agent_after: BREAK_EVEN, ..Choice::of(Mechanism::Agent, why) })
    } else {
        None
    };
    // Only who would have an agent asks what speaks against one: that asks the processor.
    let may_come =
        |_: &Choice| agent_obstacle().or_else(|| idle(options, &calls::wanted(options))).is_none();
    agent.filter(may_come).unwrap_or_else(|| {
        Choice::of(Mechanism::Seccomp, "only calls that are claimed or wanted stop")
    })
}

/// Whether it is decided by rules what becomes of paths, and nobody else is asked about them.
fn redirects(options: &TraceOptions) -> bool {
    options.run.as_deref().is_some_and(|RunOptions { files, names, .. }| {
        let has_rules = !files.places.is_empty() || *names != Names::default();
        has_rules && !files.learn && files.denials.is_empty()
    })
}

/// Whether calls are answered that the kernel cannot answer by itself.
fn answers_values(options: &TraceOptions) -> bool {
    let mut answers = options.run.iter().flat_map(|run| &run.answers);
    answers.any(|(_, reply, _)| matches!(reply, Reply::Value(1..)))
}

/// Where few calls are wanted, the agent comes into a program behind so many of them: they have cost
/// about what its coming costs. See docs/decisions/0015.
const BREAK_EVEN: u32 = 16;
/// The calls that most programs make most: where these stop, an agent spares little.
const MOST_MADE: [Id; 4] = [READ, WRITE, OPENAT, CLOSE];
const DEMANDED: &str = "it was asked for";
const NO_DISPATCH: &str =
    "without a filter the agent needs syscall user dispatch (Linux 6.4 or newer)";

/// The agent with the net that it can have: a filter, or else syscall user dispatch.
fn net(options: &TraceOptions) -> Result<Mechanism, &'static str> {
    match filter_obstacle(options) {
        None => Ok(Mechanism::Agent),
        Some(_) => net_by_dispatch(options),
    }
}

/// The agent with the net that can be taken out of a program again.
fn net_by_dispatch(options: &TraceOptions) -> Result<Mechanism, &'static str> {
    if !options.attach.is_empty() && !options.follow.forks {
        Err("an agent reaches all threads, so with -p/--attach it needs -f/--follow-forks")
    } else if !options.attach.is_empty() && !options.command.is_empty() {
        Err("an agent cannot come into programs both started and running (-p/--attach)")
    } else if !probe::has_dispatch() {
        Err(NO_DISPATCH)
    } else {
        Ok(Mechanism::Dispatch)
    }
}

/// What speaks against an agent, whatever its net.
fn agent_obstacle() -> Option<&'static str> {
    if !probe::reads_gs_base() {
        Some("programs may not use rdgsbase here (Linux before 5.9, or an old processor)")
    } else if !clock::tsc_is_invariant() {
        Some("this processor's time stamp counter does not run evenly")
    } else {
        None
    }
}

/// Why the agent would be no gain where it can be had.
fn idle(options: &TraceOptions, wanted: &CallSet) -> Option<&'static str> {
    let looked_at = calls::looked_at(options);
    let stops = |call| wanted.contains(call) && looked_at.contains(call);
    let tampered = calls::tampered(options);
    if options.line.stack != StackTrace::Off {
        Some("calls whose stacks are looked at stop under the agent too (-k/--stack-trace)")
    } else if options.values.pids != DecodePids::NONE {
        Some("calls stop under the agent too where it is told whose processes are (--decode-pids)")
    } else if options.seccomp_bpf {
        Some("--seccomp-bpf prefers a filter")
    } else if MOST_MADE.iter().any(|id| stops(id.number.into()))
        || wanted.numbers().all(|call| looked_at.contains(call))
    {
        Some(
            "calls of which more is looked at stop under the agent too \
             (-yy/--decode-fds, -e read, -e write)",
        )
    } else if wanted.numbers().all(|call| tampered.contains(call)) {
        Some("calls that are tampered with stop under the agent too (-e inject=, -e fault=)")
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
fn filter_obstacle(options: &TraceOptions) -> Option<&'static str> {
    if !options.follow.forks {
        Some("a filter reaches children too, so it needs -f/--follow-forks")
    } else if options.command.is_empty() && options.run.is_none() || !options.attach.is_empty() {
        Some("a filter can only be put into a program that is started, not with -p/--attach")
    } else if options.follow.detach_on_execve || options.follow.syscall_limit.is_some() {
        Some("a guest under a filter cannot be let go (-b/--detach-on, --syscall-limit)")
    } else if options.launch.daemonize.is_some() {
        Some("a guest under a filter does not outlive its tracer (-D/--daemonize)")
    } else if options.run.is_none() && options.follow.interruptible == Some(Interruptible::Anywhere)
    {
        Some("a guest under a filter does not outlive its tracer (-I/--interruptible=anywhere)")
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

    fn options(line: &str) -> TraceOptions {
        let words = ["trace"].into_iter().chain(line.split(' '));
        match Program::new(None).parse(words.map(Into::into)) {
            Ok(Command::Trace(options)) => *options,
            _ => panic!("not understood: {line}"),
        }
    }

    #[test]
    fn a_filter_that_was_asked_for_in_vain_is_told() {
        let cases: [(&str, &[&str]); 7] = [
            ("-f -e trace=read p", &[]),
            ("-e trace=read p", &["cannot be used without -f"]),
            ("-p 1", &["cannot be used without -f"]),
            ("-f -e trace=read -p 1", &["not enabled for processes attached with -p"]),
            ("-f -e trace=read -b execve p", &["not compatible with -b"]),
            ("-f p", &["there are no syscalls to filter"]),
            ("-f -p 1", &["not enabled for processes", "there are no syscalls to filter"]),
        ];
        for (line, expected) in cases {
            let options = options(&format!("--seccomp-bpf {line}"));
            let told = no_filter(&options, &calls::wanted(&options), None);
            assert_eq!(told.len(), expected.len(), "{line}: {told:?}");
            let fits = |(told, expected): (&String, &&str)| told.contains(*expected);
            assert!(told.iter().zip(expected).all(fits), "{line}: {told:?}");
        }
    }

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
            ("-f -e trace=openat p", Mechanism::Agent),
            ("-f -c -e trace=openat p", Mechanism::Agent),
            ("-f -c p", Mechanism::Agent),
            ("-f -y p", Mechanism::Agent),
            ("-f -P /etc/passwd p", Mechanism::Agent),
            ("-f -yy p", Mechanism::Ptrace),
            ("-f -Y p", Mechanism::Ptrace),
            ("-f -y -e trace=poll p", Mechanism::Seccomp),
            ("-f -D p", Mechanism::Ptrace),
            ("-f -p 1", Mechanism::Ptrace),
            ("-f -p 1 p", Mechanism::Ptrace),
            ("-I1 p", Mechanism::Ptrace),
            ("-f -I1 p", Mechanism::Ptrace),
            ("-p 1", Mechanism::Ptrace),
            ("--mechanism=ptrace -f p", Mechanism::Ptrace),
            ("--mechanism=seccomp -f p", Mechanism::Seccomp),
            ("--mechanism=agent -f -y p", Mechanism::Agent),
        ];
        let by_dispatch = [
            "p",
            "-c p",
            "-f --syscall-limit=3 p",
            "--mechanism=agent -f -D p",
            "-e trace=openat p",
            "-f -u user p",
            "-f -b execve p",
            "--mechanism=agent p",
            "--mechanism=agent -f -p 1",
        ];
        let by_dispatch = by_dispatch.map(|line| (line, Mechanism::Dispatch));
        let by_dispatch = by_dispatch.into_iter().filter(|_| probe::has_dispatch());
        for (line, expected) in cases.into_iter().chain(by_dispatch) {
            let choice = choose(&options(line)).unwrap();
            assert_eq!(choice.mechanism, expected, "{line}: {}", choice.why);
            assert!(!choice.why.is_empty(), "{line}");
        }
    }
}
