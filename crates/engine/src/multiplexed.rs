//! Calls of 32-bit programs that stand for others: `socketcall(2)`, `ipc(2)`, and those whose
//! arguments are in memory. They are told as what they stand for.

use contract::{Arch, Capture, Outcome};
use kernel::ptrace::{Stopped, Tracee};
use table::arch::i386::{self, From};

/// A call as it is to be told.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// Its ABI.
    pub arch: Arch,
    /// The number that the guest gave.
    pub raw_number: u64,
    /// Its number; one beyond the kernel's list where that has none for it.
    pub number: u64,
    /// Its arguments.
    pub args: [u64; 6],
}

/// What the call that a thread has entered stands for: itself, for the most part.
pub fn told(stopped: &Tracee<Stopped>, made: Told) -> Told {
    if made.arch != Arch::I386 {
        return made;
    }
    let args = made.args.map(|arg| u64::from(arg as u32));
    let Some(parts) = i386::parts(made.number, &args) else { return made };
    let words = match parts.block {
        None => [0; 6],
        Some((register, count)) => {
            let at = args[usize::from(register)];
            match (words(stopped, at, usize::from(count)), parts.unreadable) {
                (Some(words), _) => words,
                (None, Some(unreadable)) => return Told { number: unreadable.into(), ..made },
                (None, None) => [at; 6],
            }
        }
    };
    let mut behind = [0; 6];
    for (arg, from) in behind.iter_mut().zip(parts.args) {
        *arg = match from {
            From::Register(register) => args[usize::from(*register)],
            From::Word(place) => words[usize::from(*place)],
        };
    }
    Told { number: parts.call.into(), args: behind, ..made }
}

/// The outcome of the call that is told, where it is not the outcome of the call that was made:
/// `ipc(2)` stores the address that `shmat(2)` returns.
pub fn outcome(stopped: &Tracee<Stopped>, call: &Capture, made: Outcome) -> Outcome {
    let stored = match call.arch {
        Arch::I386 if !made.failed => i386::stored_result(call.raw_number, call.number),
        _ => None,
    };
    let words = stored.and_then(|at| words(stopped, call.args[usize::from(at)], 1));
    words.map_or(made, |words| Outcome { value: words[0] as i64, ..made })
}

/// So many words of 32 bits in memory, if all of them can be read.
fn words(stopped: &Tracee<Stopped>, at: u64, count: usize) -> Option<[u64; 6]> {
    let mut words = [0; 6];
    for (place, word) in words.iter_mut().enumerate().take(count) {
        let here = at.checked_add(4 * place as u64)?;
        // Eight bytes are read at a time, and nothing may lie behind the word.
        let read =
            stopped.peek(here).or_else(|_| stopped.peek(here.wrapping_sub(4)).map(|two| two >> 32));
        *word = u64::from(read.ok()? as u32);
    }
    Some(words)
}
