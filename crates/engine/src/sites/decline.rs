//! Why a site stays as it is.

use std::io;

/// Why a site stays as it is. Its calls go through the net.
#[derive(Debug, thiserror::Error)]
pub enum Decline {
    /// The file could not be read.
    #[error("the file cannot be read")]
    Read(#[from] io::Error),
    /// No unwind table and no symbol says which function it belongs to.
    #[error("no function is known there")]
    NoFunction,
    /// Read from the function's beginning, something before the site is no instruction.
    #[error("the function cannot be decoded")]
    Undecodable,
    /// Read from the function's beginning, no `syscall` begins at the site.
    #[error("there is no syscall instruction")]
    NotSyscall,
    /// It returns from signal handlers. Unwinders know signal frames by these very instructions.
    #[error("it returns from signal handlers")]
    SignalReturn,
    /// Fewer bytes than the jump needs lie between the site and what cannot be displaced.
    #[error("too few bytes between {0} and the syscall")]
    NoRoom(Obstacle),
    /// There is a branch to an instruction that the jump would cover, or a symbol names it.
    #[error("something branches to the bytes before the syscall")]
    BranchInto,
    /// The jump would cover several instructions, and the function has a jump to a computed
    /// address, which could be any of them.
    #[error("a computed jump could lead to the bytes before the syscall")]
    ComputedJump,
    /// The jump would cover several instructions, and a thread that is between them could not
    /// begin anew.
    #[error("the instructions before the syscall cannot be repeated")]
    NotRepeatable,
}

/// What a window cannot contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// The beginning of the function.
    Beginning,
    /// A call, of a function or of the system: the address to which it returns would be another.
    Call,
    /// A branch other than a conditional one to a fixed address.
    Branch,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Obstacle::Beginning => "the beginning of the function",
            Obstacle::Call => "a call",
            Obstacle::Branch => "a branch",
        })
    }
}
