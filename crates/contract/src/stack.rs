//! Where a guest's thread is, and who has called it there.

use std::sync::Arc;

use crate::GuestAddr;

/// The frames of a thread's stack, the innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stack {
    /// The frames, as far as they could be found.
    pub frames: Vec<Frame>,
    /// There are more than were asked for.
    pub cut: bool,
    /// It was looked at before the call that leaves it, not behind it.
    pub before: bool,
}

/// A function at work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The instruction that it goes on with.
    pub ip: GuestAddr,
    /// What is mapped there; `None` where that is no file: code made at run time.
    pub code: Option<Arc<Code>>,
}

/// A place in a file's code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The file's path, as the guest has mapped it; `[vdso]` for the kernel's own.
    pub file: Arc<[u8]>,
    /// Where the place is in the file, in bytes.
    pub offset: u64,
    /// The function, if the file's symbols tell one at or before the place.
    pub function: Option<Function>,
    /// The line of source, if that was asked for and the file's debugging information tells it.
    pub source: Option<SourceLine>,
}

/// A function, and how far into it a place is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name, as its programming language has it.
    pub name: Arc<str>,
    /// Bytes from its beginning.
    pub offset: u64,
}

/// A line of source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file's path, as the compiler knew it.
    pub file: Arc<str>,
    /// The line, from 1 on.
    pub line: u32,
}
