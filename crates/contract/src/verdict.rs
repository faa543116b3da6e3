//! What becomes of a call.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::time::Duration;

use crate::{Argument, GuestAddr, Handed, Place};

/// What becomes of a call. [`Default`] is that it is made, and nothing else happens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// What the guest gets in place of the call; `None`: the call is made.
    pub answer: Option<Answer>,
    /// What the guest gets a descriptor of in the place of what the call would do: its number is
    /// what the call returns. Not beside an answer.
    pub handed: Option<Handed>,
    /// The number, in the call's ABI, of a call that is made in the place of an answered one; its
    /// own result is lost. Only calls that take no arguments and change nothing.
    pub instead: Option<u64>,
    /// Arguments with which the call is made instead of the guest's, for those it is not told of.
    /// The guest finds its own behind the call. Not for calls that make tasks.
    pub arguments: Vec<Argument>,
    /// The module is asked again when the call is over: [`crate::Module::behind`]. It costs a stop.
    pub behind: bool,
    /// A signal that the thread gets as it enters the call.
    pub signal: Option<i32>,
    /// What is done before the call.
    pub before: Beside,
    /// What is done behind it, whether it was made or answered.
    pub after: Beside,
    /// The guest gets what the call would do itself: it is told of like one that was made.
    pub as_if_made: bool,
}

/// What a guest gets in place of a call, or of what one has done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the call returns.
    pub result: Reply,
    /// What it has written. Where that cannot be, the call fails with `EFAULT`.
    pub writes: Vec<Write>,
}

/// What a call that is not made returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// This value, told as a success whatever it is.
    Value(u64),
    /// This error, from 1 to 4095.
    Error(u16),
}

/// Bytes that a call writes to guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Write {
    /// Where they begin.
    pub at: GuestAddr,
    /// What is written.
    pub bytes: Vec<u8>,
}

/// What is done to a guest before or behind a call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beside {
    /// The thread is held up for so long. Others go on.
    pub delay: Option<Duration>,
    /// Memory that is written.
    pub pokes: Vec<Poke>,
}

/// Bytes that are written to guest memory, also where the guest may not write; whether that can be
/// done changes nothing for the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poke {
    /// The argument that points there, 0 to 5.
    pub arg: u8,
    /// What is written.
    pub bytes: Vec<u8>,
}

impl Verdict {
    /// The call is made, and nothing else happens.
    pub fn pass() -> Verdict {
        Verdict::default()
    }

    /// The call is not made, and fails with this error, from 1 to 4095.
    pub fn error(errno: u16) -> Verdict {
        Verdict::answer(Answer::of(Reply::Error(errno)))
    }

    /// The call is not made: the guest gets this.
    pub fn answer(answer: Answer) -> Verdict {
        Verdict { answer: Some(answer), ..Verdict::default() }
    }

    /// The call is not made: the guest gets a descriptor of this file, and its number is what the call
    /// returns. The file is opened anew (`/proc/PID/fd/N`), with these flags of `open(2)`: the guest's
    /// descriptor has an offset of its own. What cannot be opened so fails with the kernel's error:
    /// `ENXIO` for a socket, `EACCES` for what the file's mode or the supervisor's descriptor forbids.
    pub fn hand(file: Rc<File>, flags: u32) -> Verdict {
        Verdict { handed: Some(Handed::opened(file, flags)), ..Verdict::default() }
    }

    /// The call is not made: the guest gets this descriptor itself, be it of a socket, a pipe or
    /// anything else, and its number is what the call returns. The module may close its own, once the
    /// guest has it. Of the flags, those of `open(2)` or `socket(2)`, close-on-exec alone counts. For calls
    /// that write descriptors to memory (`pipe2`, `socketpair`, `recvmsg`) this is an error of the module's.
    pub fn share(descriptor: Rc<OwnedFd>, flags: u32) -> Verdict {
        Verdict { handed: Some(Handed::shared(descriptor, flags)), ..Verdict::default() }
    }

    /// The call is not made, and returns 0: behind it the guest's own descriptor of this number is the
    /// module's, as if `dup2(2)` had been called. It stays closed on exec if it was, and non-blocking.
    /// `EBADF` if the guest has none of this number.
    pub fn replace(fd: i32, descriptor: Rc<OwnedFd>) -> Verdict {
        let handed = Handed::Shared(descriptor, Place::Of(fd));
        Verdict { handed: Some(handed), ..Verdict::default() }
    }

    /// The call is made with these arguments.
    pub fn with(arguments: Vec<Argument>) -> Verdict {
        Verdict { arguments, ..Verdict::default() }
    }

    /// The same, and the module is asked again behind the call.
    #[must_use]
    pub fn and_behind(self) -> Verdict {
        Verdict { behind: true, ..self }
    }

    /// The same, told of like a call that was made.
    #[must_use]
    pub fn as_if_made(self) -> Verdict {
        Verdict { as_if_made: true, ..self }
    }

    /// Whether the call is made, and nothing else happens.
    pub fn is_pass(&self) -> bool {
        *self == Verdict::default()
    }
}

impl Answer {
    /// This result, and nothing is written.
    pub fn of(result: Reply) -> Answer {
        Answer { result, writes: Vec::new() }
    }
}

impl Beside {
    /// Whether nothing is done.
    pub fn is_nothing(&self) -> bool {
        self.delay.is_none() && self.pokes.is_empty()
    }
}

impl Reply {
    /// As the result register has it.
    pub fn raw(self) -> i64 {
        match self {
            Reply::Value(value) => value as i64,
            Reply::Error(error) => -i64::from(error),
        }
    }
}

/// What a verdict has changed of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// It was not made: its result was chosen.
    pub result: bool,
    /// Memory to which its arguments point was written.
    pub memory: bool,
    /// It was held up.
    pub delayed: bool,
}
