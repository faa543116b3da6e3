//! What `shunpike trace` or `shunpike run` was asked to do.

mod rewind;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use contract::{CallSet, Pid, Reply};
pub use outputs::summary::Column;
pub use outputs::text::{Constants, HexStrings, Precision, TimeFormat};

use super::filter::{
    DecodeFds, DecodePids, FdSet, QuietSet, SecurityContextSet, SignalSet, StatusSet,
};
use super::injection::Injection;
pub use rewind::{RewindOptions, RewindPoint};

/// Everything that the command line of `shunpike trace` says. [`Default`] is what holds when it
/// says nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceOptions {
    /// The program to run and its arguments; empty when only [`attach`](Self::attach) is used.
    pub command: Vec<OsString>,
    /// How that program is started.
    pub launch: Launch,
    /// Processes to attach to, in the order given.
    pub attach: Vec<Pid>,
    /// Whom to follow, and for how long.
    pub follow: Follow,
    /// How calls are intercepted.
    pub mechanism: MechanismChoice,
    /// Whether the program shares the tracer's processor.
    pub placement: Placement,
    /// Size of the memory in which a thread with an agent records, in bytes, where it is not the
    /// usual one.
    pub ring_size: Option<u32>,
    /// `--seccomp-bpf`: prefer a filter, warn where there cannot be one.
    pub seccomp_bpf: bool,
    /// Which events are shown.
    pub filter: Filter,
    /// Where the trace goes.
    pub output: Output,
    /// What stands on a line around the call.
    pub line: Line,
    /// How arguments and results are shown.
    pub values: Values,
    /// Counts of calls, errors and time.
    pub summary: Summary,
    /// How calls are tampered with, in the order given.
    pub injections: Vec<Injection>,
    /// Tell what the tracer does.
    pub debug: bool,
    /// Where to print the ledger of crossings at the end, if anywhere.
    pub toll: Option<TollTarget>,
    /// Which tip to print at the end.
    pub tip: TipChoice,
    /// What `shunpike run` was asked for beside that; `None` for `shunpike trace`.
    pub run: Option<Box<RunOptions>>,
    /// What the user should know before the trace starts: options without effect.
    pub warnings: Vec<String>,
}

/// What `shunpike run` was asked for: what the program is to see.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunOptions {
    /// The names of `uname(2)`.
    pub names: modules::uts::Names,
    /// The files that it sees.
    pub files: FileOptions,
    /// Calls that always return the same, and are not made, each with how it was written.
    pub answers: Vec<(CallSet, Reply, String)>,
    /// `--no-sysemu`: calls are not emulated to begin with.
    pub no_sysemu: bool,
    /// Show the program's calls: which, as it was written.
    pub traced: Option<String>,
    /// Print what the program would see, and run nothing.
    pub explain: bool,
}

/// Which files a program sees, and what it may do to them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FileOptions {
    /// Where it sees what.
    pub places: Vec<modules::paths::Place>,
    /// The directory in which it begins, by its own name.
    pub working: Option<OsString>,
    /// Which calls fail.
    pub denials: Vec<modules::deny::Rule>,
    /// That is kept whatever it tries.
    pub enforce: bool,
    /// Tell what it touches.
    pub learn: bool,
    /// Where that and refusals are told, if not on stderr.
    pub report: Option<PathBuf>,
}

impl TraceOptions {
    /// What `shunpike run` does where nothing else is asked for: what a program is shown its children are
    /// shown too.
    pub fn of_run() -> TraceOptions {
        let mut options = TraceOptions { run: Some(Box::default()), ..TraceOptions::default() };
        options.follow.forks = true;
        options
    }

    /// What `shunpike run` was asked for.
    pub(super) fn run_mut(&mut self) -> &mut RunOptions {
        self.run.get_or_insert_default()
    }

    /// Messages which are left out. Where the trace of a program that is started goes elsewhere, what is said of
    /// processes is too, unless something else was said about messages.
    pub fn quiet(&self) -> QuietSet {
        let is_apart = self.output.target != Target::Stderr && !self.command.is_empty();
        let apart = if is_apart { QuietSet::OF_PROCESSES } else { QuietSet::NONE };
        self.filter.quiet.unwrap_or(apart)
    }

    /// Whether calls are shown.
    pub fn is_shown(&self) -> bool {
        self.run.as_ref().is_none_or(|run| run.traced.is_some())
    }
}

/// How the program is started.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Launch {
    /// Changes to its environment, to be made in this order: a value, or `None` to remove.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Whom to run it as.
    pub user: Option<User>,
    /// Its `argv[0]`, where that is not the program's name.
    pub argv0: Option<OsString>,
    /// Run the tracer as the program's grandchild instead of its parent.
    pub daemonize: Option<Daemonize>,
}

/// Whom to run the program as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum User {
    /// A user of this name, with that user's groups.
    Name(String),
    /// These ids, with no supplementary groups.
    Ids {
        /// User id.
        uid: u32,
        /// Group id.
        gid: u32,
    },
}

/// Where the tracer stands, seen from the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Daemonize {
    /// A grandchild.
    Grandchild,
    /// A grandchild in its own process group.
    ProcessGroup,
    /// A grandchild in its own session.
    Session,
}

/// Whom to follow, and for how long.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Follow {
    /// Follow new threads and processes.
    pub forks: bool,
    /// Detach from a process that calls `execve(2)`.
    pub detach_on_execve: bool,
    /// Detach from everything after so many calls.
    pub syscall_limit: Option<NonZeroU64>,
    /// When signals may interrupt the tracer; `None`: the default for the other options.
    pub interruptible: Option<Interruptible>,
    /// Kill the program when the tracer ends.
    pub kill_on_exit: bool,
}

/// When signals may interrupt the tracer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruptible {
    /// At any time. It decodes so quickly that this is as `Waiting`.
    Anywhere,
    /// While it waits for the program, not while it decodes.
    Waiting,
    /// Fatal signals never.
    Never,
    /// Fatal signals never, and Ctrl-Z neither.
    NeverTstp,
}

/// By which mechanism the user wants calls to be intercepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MechanismChoice {
    /// The cheapest that can do what is asked.
    #[default]
    Auto,
    /// Two stops a call, with `PTRACE_SYSCALL`.
    Ptrace,
    /// One stop for a call that is answered, with `PTRACE_SYSEMU`.
    Sysemu,
    /// A filter in the kernel picks the calls that stop.
    Seccomp,
    /// The program records its calls itself.
    Agent,
}

/// Whether the program shares the tracer's processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// On the tracer's processor while that makes it faster.
    #[default]
    Auto,
    /// Wherever the kernel puts it.
    Free,
}

/// Which events are shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Filter {
    /// These calls.
    pub calls: CallSet,
    /// These signals.
    pub signals: SignalSet,
    /// Calls which ended like this.
    pub status: StatusSet,
    /// Calls which name one of these paths, if there is any.
    pub paths: Vec<PathBuf>,
    /// Calls which use one of these descriptors, if this is set.
    pub fds: Option<FdSet>,
    /// Messages which are left out, if that was said: [`TraceOptions::quiet`].
    pub quiet: Option<QuietSet>,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            calls: CallSet::ALL,
            signals: SignalSet::ALL,
            status: StatusSet::ALL,
            paths: Vec::new(),
            fds: None,
            quiet: None,
        }
    }
}

/// Where the trace goes, and as what.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// Where to.
    pub target: Target,
    /// Append to the file instead of replacing it.
    pub append: bool,
    /// One file a process, with `.PID` behind its name.
    pub separately: bool,
    /// As what.
    pub format: Format,
    /// Whether in colour.
    pub color: ColorChoice,
}

/// Where the trace goes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Target {
    /// The standard error.
    #[default]
    Stderr,
    /// This file.
    File(PathBuf),
    /// The standard input of this shell command.
    Command(OsString),
}

/// What the trace is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Lines as `strace(1)` writes them.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Whether colours are used. `cli::color::wanted` decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ColorChoice {
    /// On a terminal, unless the environment speaks against it.
    #[default]
    Auto,
    /// Yes.
    Always,
    /// No.
    Never,
}

/// What stands on a line around the call.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The time of day.
    pub absolute_time: Option<(TimeFormat, Precision)>,
    /// The time since the line before.
    pub relative_time: Option<Precision>,
    /// The time spent in the call.
    pub call_time: Option<Precision>,
    /// The column of the `=`.
    pub result_column: usize,
    /// The call's number.
    pub call_number: bool,
    /// The instruction pointer.
    pub instruction_pointer: bool,
    /// The stack behind each call.
    pub stack: StackTrace,
    /// How many frames of a stack at most.
    pub stack_frames: usize,
    /// The process id on each line, also with only one process.
    pub always_pid: bool,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            absolute_time: None,
            relative_time: None,
            call_time: None,
            result_column: 40,
            call_number: false,
            instruction_pointer: false,
            stack: StackTrace::Off,
            stack_frames: STACK_FRAMES,
            always_pid: false,
        }
    }
}

/// What is shown of stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackTrace {
    /// Nothing.
    Off,
    /// Functions.
    Symbol,
    /// Functions and lines of source.
    Source,
}

/// So many frames of a stack are shown where nothing else is asked for.
pub(super) const STACK_FRAMES: usize = 256;

/// How arguments and results are shown.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// Calls whose large structures are shortened.
    pub abbrev: CallSet,
    /// Calls whose structures are followed.
    pub verbose: CallSet,
    /// Calls whose arguments stay numbers.
    pub raw: CallSet,
    /// Descriptors of which all data is shown that is read from them, if there are any.
    pub dump_read: Option<FdSet>,
    /// The same of what is written to them.
    pub dump_written: Option<FdSet>,
    /// Why virtual processors have returned.
    pub vcpu_exits: bool,
    /// The namespaces that calls have made.
    pub new_namespaces: bool,
    /// Bytes of a string before it is cut off.
    pub string_limit: usize,
    /// Where strings use hexadecimal escapes.
    pub strings_in_hex: HexStrings,
    /// How constants and flags are written.
    pub constants: Constants,
    /// Argument names before their values.
    pub argument_names: bool,
    /// What is told of file descriptors.
    pub fds: DecodeFds,
    /// What is told of process ids.
    pub pids: DecodePids,
    /// How security contexts are told, if they are.
    pub contexts: Option<SecurityContextSet>,
}

impl Default for Values {
    fn default() -> Values {
        Values {
            abbrev: CallSet::ALL,
            verbose: CallSet::ALL,
            raw: CallSet::NONE,
            dump_read: None,
            vcpu_exits: false,
            new_namespaces: false,
            dump_written: None,
            string_limit: 32,
            strings_in_hex: HexStrings::None,
            constants: Constants::Abbrev,
            argument_names: false,
            fds: DecodeFds::NONE,
            pids: DecodePids::NONE,
            contexts: None,
        }
    }
}

/// Counts of calls, errors and time.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Whether there is one.
    pub mode: SummaryMode,
    /// The column that orders the rows; `None`: as they came.
    pub sort_by: Option<Column>,
    /// The columns, from left to right. [`Column::Name`] is always among them.
    pub columns: Vec<Column>,
    /// Count wall clock time instead of processor time.
    pub wall_clock: bool,
    /// What to take off each call's time, as tracing added it.
    pub overhead: Duration,
}

impl Default for Summary {
    fn default() -> Summary {
        use Column::*;
        Summary {
            mode: SummaryMode::Off,
            sort_by: Some(TimePercent),
            columns: vec![TimePercent, TotalTime, AvgTime, Calls, Errors, Name],
            wall_clock: false,
            overhead: Duration::ZERO,
        }
    }
}

/// Whether there is a summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SummaryMode {
    /// None.
    Off,
    /// Instead of the trace.
    Only,
    /// After the trace.
    Beside,
}

/// Which tip to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TipChoice {
    /// None.
    #[default]
    None,
    /// Any.
    Random,
    /// The one of this number; they begin anew behind the last.
    Number(usize),
}

/// Where the ledger of crossings is printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TollTarget {
    /// The standard error.
    Stderr,
    /// This file.
    File(PathBuf),
}
