//! `shunpike trace`: runs or attaches to a program and shows its system calls.

mod calls;
mod lost_rights;
mod mechanism;
mod messages;
mod namespaces;
mod paths;
mod pipeline;
pub(crate) mod program;
mod security_contexts;
mod selection;
mod show;
mod signals;
mod tampering;
mod toll;

use std::env;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use contract::{CallSet, Enforcement, FdDetails, Module, Pid};
use engine::{
    Asides, Emulation, End, GuestEnd, Limits, Log, Mechanism, Options, SecurityContexts, Session,
    StackOptions, Toll,
};
use kernel::ptrace::is_gone;
use kernel::spawn::Program;
use kernel::{clock, interrupts};

use crate::cli::{Placement, QuietSet, StackTrace, SummaryMode, TraceOptions};
use crate::errors::{answer, causes, say};
use crate::status::Status;
use crate::tips;
use lost_rights::LostRights;
pub(crate) use lost_rights::{ProgramOf, may_lose as may_lose_rights};
pub(crate) use mechanism::choose as choose_mechanism;
use pipeline::Pipeline;
use selection::Selection;
use tampering::Tampering;

/// Runs or attaches to what the options say, and shows its calls. `name` is what the command was
/// called by. A guest that was killed by a signal takes this process with it, as strace does.
///
/// # Errors
/// If it cannot be started or watched, or if the trace could not be written whole.
pub fn run(options: &TraceOptions, name: &str) -> anyhow::Result<Status> {
    let start = Start {
        modules: Vec::new(),
        enforcement: None,
        emulation: Emulation::default(),
        find: &program::find,
        directory: None,
        program_of: Box::new(|_| None),
        at_end: &|| Ok(()),
    };
    run_with(options, start, name)
}

/// How a program is started, beside what the options say.
pub(crate) struct Start<'a> {
    /// Who decides about its calls: what `-e inject=` does is nearer to the program than the first of
    /// them.
    pub modules: Vec<Box<dyn Module>>,
    /// What it must not do, whatever it tries.
    pub enforcement: Option<Enforcement>,
    /// Whether calls that they answer are emulated.
    pub emulation: Emulation,
    /// Finds the file of a command, by the program's name for it.
    pub find: &'a dyn Fn(&OsStr) -> anyhow::Result<PathBuf>,
    /// Where it begins, if not where we are.
    pub directory: Option<PathBuf>,
    /// The file of a process's program, where a loader is run in its place.
    pub program_of: ProgramOf,
    /// What is done when it has ended.
    pub at_end: &'a dyn Fn() -> anyhow::Result<()>,
}

/// The same, started like this.
pub(crate) fn run_with(
    options: &TraceOptions,
    start: Start<'_>,
    name: &str,
) -> anyhow::Result<Status> {
    // As in strace there is a file for the trace even where there is no such program.
    let sink = options.is_shown().then(|| show::sink(options)).transpose()?;
    let program = program::prepare(options, start.find)?;
    let choice = mechanism::choose(options)?;
    for warning in &choice.warnings {
        say(format_args!("{name}: {warning}"));
    }
    let selection = Selection::of(options);
    if !options.quiet().contains(QuietSet::PATH_RESOLUTION) {
        selection.paths().resolutions().for_each(|message| say(format_args!("{name}: {message}")));
    }
    let tampering = tampering(options, &selection, name);
    let modules = tampering.into_iter().chain(start.modules).collect();
    let engine_options = Options {
        log: log(options, &choice, name),
        emulation: start.emulation,
        enforcement: start.enforcement,
        contexts: security_contexts::wanted(options, name),
        ..engine_options(options, &choice)
    };
    let mut session = Session::new(engine_options, modules);
    let mechanism = choice.mechanism;
    let Begun { attached, launched } =
        begin(&mut session, mechanism, program, start.directory, options, name)?;
    let outputs = sink.map(|sink| show::outputs(options, sink, attached, name)).unwrap_or_default();
    let lost_rights = LostRights::new(options, start.program_of, name);
    let mut pipeline = Pipeline::new(options, selection, outputs, launched, lost_rights, name);
    let end = session.run(&mut pipeline);
    let told_failure = pipeline.told_failure;
    let written = pipeline.finish();
    let end = match end {
        Ok(end) => end,
        Err(_) if told_failure => return Ok(Status::FAILURE),
        Err(error) => return Err(error.into()),
    };
    (start.at_end)()?;
    toll::report(options, &choice, &end.toll, name)?;
    tell_of_spoilt_threads(&end.toll, name);
    tips::print(options.tip, clock::monotonic() as usize);
    written.context("the trace is incomplete: cannot write it")?;
    Ok(end_alike(&end, options))
}

/// What `-e inject=` and its like ask for.
fn tampering(options: &TraceOptions, selection: &Selection, name: &str) -> Option<Box<dyn Module>> {
    if options.injections.is_empty() {
        return None;
    }
    let shown = calls::shown(options);
    Some(Box::new(Tampering::new(&options.injections, shown, selection.clone(), name)))
}

/// How a session has begun.
struct Begun {
    /// How many processes that ran already are traced.
    attached: usize,
    /// The program that was started.
    launched: Option<Pid>,
}

/// Starts the program, if there is one, and attaches.
fn begin(
    session: &mut Session,
    mechanism: Mechanism,
    program: Option<Program>,
    directory: Option<PathBuf>,
    options: &TraceOptions,
    name: &str,
) -> anyhow::Result<Begun> {
    if let Some(directory) = directory {
        env::set_current_dir(&directory)
            .with_context(|| format!("cannot begin in {}", directory.display()))?;
    }
    // We may be another process from here on: who attached before that would not be a tracer.
    let launched = program.map(|program| launch(session, program, options, name)).transpose()?;
    // Whoever reads that we are attached may send a signal at once. A program that is started would
    // inherit what is ignored.
    signals::set_up(options, mechanism)?;
    let attached = attach(session, options, name)?;
    Ok(Begun { attached, launched })
}

/// Starts the program.
fn launch(
    session: &mut Session,
    program: Program,
    options: &TraceOptions,
    name: &str,
) -> anyhow::Result<Pid> {
    let pid = session.launch(program, program::role(options)).map_err(explain_attach)?;
    let quiet = options.quiet().contains(QuietSet::ATTACH);
    if options.launch.daemonize.is_some() && !quiet {
        say(format_args!("{name}: Process {pid} attached"));
    }
    Ok(pid)
}

/// Says if calls are missing because the program wrote over what records them.
fn tell_of_spoilt_threads(toll: &Toll, name: &str) {
    if toll.spoilt_threads > 0 {
        say(format_args!(
            "{name}: {} of the program's threads wrote over the agent's memory: their calls are \
             not all in the trace; '--mechanism=seccomp' records them all",
            toll.spoilt_threads
        ));
    }
}

/// The exit status of the program; a signal that ended it, or us, ends this process.
fn end_alike(end: &End, options: &TraceOptions) -> Status {
    match (end.interrupted, end.guest) {
        // A traced program was left to itself when we were told to end.
        (Some(signal), _) if options.run.is_none() => interrupts::die_of(signal),
        (_, Some(GuestEnd::Killed(signal))) => interrupts::die_of(signal),
        (_, Some(GuestEnd::Exited(status))) => Status::from(status as u8),
        (Some(signal), None) => interrupts::die_of(signal),
        (None, None) => Status::SUCCESS,
    }
}

/// The log of `-d`, if it is wanted, with its first line.
fn log(options: &TraceOptions, choice: &mechanism::Choice, name: &str) -> Option<Log> {
    if !options.debug {
        return None;
    }
    let name = name.to_owned();
    say(format_args!("{name}: mechanism: {}, {}", choice.mechanism.name(), choice.why));
    Some(Log::new(move |line| say(format_args!("{name}: {line}"))))
}

fn engine_options(options: &TraceOptions, choice: &mechanism::Choice) -> Options {
    // What a program is shown ends with us.
    let is_run = options.run.is_some();
    let counts_only = options.summary.mode == SummaryMode::Only;
    let by_path = !options.filter.paths.is_empty();
    let filtered = by_path || options.filter.fds.is_some();
    let shortened = options.values.abbrev.is_all();
    let limit = options.values.string_limit;
    let shown = if counts_only { FdDetails::NONE } else { show::fd_details(options.values.fds) };
    Options {
        mechanism: choice.mechanism,
        agent_after: choice.agent_after,
        emulation: Emulation::default(),
        enforcement: None,
        syscall_source: None,
        memory_method: None,
        calls: if options.is_shown() { calls::told(options) } else { CallSet::NONE },
        stopping: calls::stopping(options),
        shown_beside: show::beside(options),
        follow: options.follow.forks,
        // A program that was started with the agent cannot do without the tracer.
        kill_on_exit: is_run
            || options.follow.kill_on_exit
            || choice.mechanism == Mechanism::Dispatch
                && !options.command.is_empty()
                && options.launch.daemonize.is_none(),
        kill_on_interrupt: options.follow.kill_on_exit,
        share_processor: options.placement == Placement::Auto,
        detach_on_exec: options.follow.detach_on_execve,
        call_limit: options.follow.syscall_limit.map(Into::into),
        memory: !counts_only || filtered,
        cpu_time: options.summary.mode != SummaryMode::Off && !options.summary.wall_clock,
        fds: FdDetails { paths: shown.paths || by_path, ..shown },
        stacks: (options.line.stack != StackTrace::Off && !counts_only).then_some(StackOptions {
            frames: options.line.stack_frames,
            sources: options.line.stack == StackTrace::Source,
        }),
        signal_ips: options.line.instruction_pointer,
        contexts: SecurityContexts::None,
        asides: Asides {
            vcpu_exits: options.values.vcpu_exits,
            namespaces: options.values.new_namespaces,
        },
        limits: Limits {
            string: limit,
            // One more than is told, by which to see that there are more and that they can be read.
            elements: if shortened { limit.saturating_add(1) } else { usize::MAX },
            environment: !shortened,
        },
        ring_len: options.ring_size.unwrap_or(engine::RING_LEN),
        site_cache: site_cache(|name| std::env::var_os(name)),
        log: None,
    }
}

/// Where the agent keeps what it knows of programs, by the XDG base directory specification. Nowhere if
/// the user's home is not there: services have one that nobody is to make.
fn site_cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").filter(|home| home.is_dir());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(home()?.join(".cache")))?;
    Some(base.join("shunpike"))
}

/// Attaches to every process that can be attached to, and says what forbids it for the others. Returns
/// to how many.
///
/// # Errors
/// There are processes to attach to, none of them can be, and there is no program to start.
fn attach(session: &mut Session, options: &TraceOptions, name: &str) -> anyhow::Result<usize> {
    let mut refusals = Vec::new();
    let quiet = options.quiet().contains(QuietSet::ATTACH);
    for &tid in &options.attach {
        match session.attach(tid) {
            Err(error) => refusals.push(explain_attach(error)),
            Ok(_) if quiet => {}
            Ok(1) => say(format_args!("{name}: Process {tid} attached")),
            Ok(threads) => {
                say(format_args!("{name}: Process {tid} attached with {threads} threads"));
            }
        }
    }
    let attached = options.attach.len() - refusals.len();
    let nothing_else = options.command.is_empty() && refusals.len() == options.attach.len();
    let last = if nothing_else { refusals.pop() } else { None };
    for refusal in refusals {
        say(format_args!("{name}: {}", causes(&refusal)));
    }
    last.map_or(Ok(attached), Err)
}

/// Adds what usually forbids an attachment, and the way out.
fn explain_attach(error: engine::Error) -> anyhow::Error {
    let engine::Error::Attach { tid, source } = &error else { return error.into() };
    let way_out = match source.kind() {
        _ if is_gone(source) => "; see 'ps' for the processes there are",
        io::ErrorKind::PermissionDenied => {
            "; it is another user's or traced already, or Yama forbids it: see 'shunpike doctor'"
        }
        _ => "",
    };
    anyhow::anyhow!("attach: ptrace(PTRACE_SEIZE, {tid}): {}{way_out}", answer(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_that_is_not_there_is_not_made() {
        let homes =
            |home: &'static str| site_cache(move |name| (name == "HOME").then(|| home.into()));
        assert_eq!(homes("/"), Some(PathBuf::from("/.cache/shunpike")));
        assert_eq!(homes("/dev/null"), None);
        assert_eq!(homes("relative"), None);
        let chosen = site_cache(|name| (name == "XDG_CACHE_HOME").then(|| "/chosen".into()));
        assert_eq!(chosen, Some(PathBuf::from("/chosen/shunpike")));
    }
}
