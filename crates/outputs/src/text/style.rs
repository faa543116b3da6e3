//! How the text looks: one struct of plain fields for each part of a line.

use record::{FdDetails, Record, Tid};

use crate::{StatusFilter, WallClock};

/// Everything that the options of the text say. [`Default`] is what `strace(1)` does without any.
#[derive(Default)]
pub struct TextStyle {
    /// What stands on a line around the call.
    pub line: LineStyle,
    /// How arguments and results are shown.
    pub values: ValueStyle,
    /// Which calls are shown, by their end.
    pub status: StatusFilter,
    /// Messages that are left out.
    pub quiet: Quiet,
    /// What clocks and time zones say.
    pub clock: WallClock,
}

/// What stands on a line around the call.
#[derive(Clone, Debug)]
pub struct LineStyle {
    /// The name under which messages are told: `strace: Process 7 attached`.
    pub program: String,
    /// Whether and how lines tell whose they are.
    pub pids: Pids,
    /// The time at which the line began.
    pub absolute_time: Option<(TimeFormat, Precision)>,
    /// The time since the line before began.
    pub relative_time: Option<Precision>,
    /// The time spent in the call.
    pub call_time: Option<Precision>,
    /// The call's number.
    pub call_number: bool,
    /// The instruction pointer.
    pub instruction_pointer: bool,
    /// The column of the `=`, counted in bytes from 0.
    pub result_column: usize,
}

impl Default for LineStyle {
    fn default() -> LineStyle {
        LineStyle {
            program: "strace".into(),
            pids: Pids::WhenSeveral,
            absolute_time: None,
            relative_time: None,
            call_time: None,
            call_number: false,
            instruction_pointer: false,
            result_column: 40,
        }
    }
}

/// Whether and how lines tell whose they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pids {
    /// Not at all: each thread has a file of its own, or there is only one.
    Never,
    /// `[pid  7]`, as long as there are several threads.
    WhenSeveral,
    /// `[pid  7]`.
    Always,
    /// `7`, as the first column.
    Column,
}

/// How a moment is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeFormat {
    /// Hours, minutes and seconds, local time.
    TimeOfDay,
    /// Seconds since 1970.
    Unix,
}

/// Digits behind a second's decimal point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// None.
    Seconds,
    /// Three.
    Millis,
    /// Six.
    Micros,
    /// Nine.
    Nanos,
}

/// How values are shown.
pub struct ValueStyle {
    /// The calls whose large structures are shortened; `None`: all.
    pub abbreviated: Option<Predicate>,
    /// Bytes of a string, and elements of an array where it is shortened.
    pub string_limit: usize,
    /// Where strings use hexadecimal escapes.
    pub strings_in_hex: HexStrings,
    /// How constants and flags are written.
    pub constants: Constants,
    /// Argument names before their values.
    pub argument_names: bool,
    /// What is told of file descriptors, where it is known.
    pub fds: FdDetails,
    /// Tells the command name of a process, to be shown behind its id.
    pub command_of: Option<CommandOf>,
    /// How security contexts are shown, where they are.
    pub contexts: Option<ContextStyle>,
    /// Tells what ids are in our pid namespace, to be shown behind them.
    pub outside: Option<Outside>,
    /// Tells the name of a network interface, to be shown for its index.
    pub interface_of: Option<InterfaceOf>,
    /// Tells the name of a family of generic netlink.
    pub generic_family_of: Option<GenericFamilyOf>,
    /// Whether to use colours.
    pub color: bool,
}

/// Picks calls.
pub type Predicate = Box<dyn Fn(&Record<'_>) -> bool + Send>;

/// Tells the name of the network interface with this index (`if_indextoname(3)`).
pub type InterfaceOf = Box<dyn Fn(u32) -> Option<Vec<u8>> + Send>;

/// Tells the name of the family of generic netlink with this number.
pub type GenericFamilyOf = Box<dyn Fn(u16) -> Option<Vec<u8>> + Send>;

/// Tells a process's command name (`/proc/PID/comm`).
pub type CommandOf = Box<dyn Fn(Tid) -> Option<Vec<u8>> + Send>;

/// Tells what an id, as a thread has it, is in our own pid namespace, where that is another.
pub type Outside = Box<dyn Fn(Tid, i32) -> Option<i32> + Send>;

/// How security contexts are shown.
pub struct ContextStyle {
    /// All of them; else only the type.
    pub in_full: bool,
    /// Tells that of a process.
    pub of_process: ContextOf,
}

/// Tells the security context of a process, in full.
pub type ContextOf = Box<dyn Fn(Tid) -> Option<Vec<u8>> + Send>;

impl Default for ValueStyle {
    fn default() -> ValueStyle {
        ValueStyle {
            abbreviated: None,
            string_limit: 32,
            strings_in_hex: HexStrings::None,
            constants: Constants::Abbrev,
            argument_names: false,
            fds: FdDetails::NONE,
            command_of: None,
            contexts: None,
            outside: None,
            interface_of: None,
            generic_family_of: None,
            color: false,
        }
    }
}

/// Where strings use hexadecimal escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HexStrings {
    /// Nowhere; bytes that need an escape get an octal one.
    None,
    /// For the bytes that need an escape.
    NonAsciiChars,
    /// For all bytes of a string in which one needs an escape.
    NonAscii,
    /// For all bytes of all strings.
    All,
}

/// How constants and flags are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constants {
    /// As a number.
    Raw,
    /// By name.
    Abbrev,
    /// As a number, with the names in a comment.
    Verbose,
}

/// Messages that are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Quiet {
    /// That a new thread is traced.
    pub attach: bool,
    /// That a thread's calls go through another ABI.
    pub personality: bool,
    /// With which status a process exited.
    pub exit: bool,
    /// That a thread took another one's id by `execve(2)`.
    pub thread_execve: bool,
    /// That a process was killed by one of these signals, bit n-1 for signal n.
    pub killed_by: u64,
}
