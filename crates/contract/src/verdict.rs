//! What becomes of a call: the words of whoever decides about it.

use std::fmt::Debug;
use std::rc::Rc;
use std::time::Duration;

use crate::{CallSet, Capture, Tid};

/// Whoever decides about calls: verdicts, and what they depend on.
pub trait Module: Debug {
    /// The calls about which it is to be asked. It is asked only about those that stop the guest
    /// and are wanted by the observer.
    fn claims(&self) -> &CallSet;

    /// What becomes of this call, of which the entry half is known. Asked once a call.
    fn decide(&mut self, tid: Tid, call: &Capture) -> Rc<Verdict>;

    /// What a verdict wanted to be written could not be.
    fn poke_failed(&mut self, tid: Tid, call: &Capture, poke: &Poke);

    /// A thread goes by another id from now on, since it has called `execve(2)`.
    fn renamed(&mut self, from: Tid, to: Tid);

    /// A thread is no more.
    fn ended(&mut self, tid: Tid);
}

/// What becomes of a call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// What the guest gets in place of the call; `None`: the call is made.
    pub answer: Option<Answer>,
    /// A signal that the thread gets as it enters the call.
    pub signal: Option<i32>,
    /// What is done before the call.
    pub before: Beside,
    /// What is done behind it, whether it was made or answered.
    pub after: Beside,
}

/// What a guest gets in place of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the call returns.
    pub result: Reply,
    /// The number, in the call's ABI, of a call that is made in its place; its own result is lost.
    /// Only for calls that take no arguments and change nothing.
    pub instead: Option<u64>,
}

/// What a call that is not made returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// This value, told as a success whatever it is.
    Value(u64),
    /// This error, from 1 to 4095.
    Error(u16),
}

/// What is done to a guest before or behind a call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Beside {
    /// The thread is held up for so long. Others go on.
    pub delay: Option<Duration>,
    /// Memory that is written.
    pub pokes: Vec<Poke>,
}

/// Bytes that are written to guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poke {
    /// The argument that points there, 0 to 5.
    pub arg: u8,
    /// What is written.
    pub bytes: Vec<u8>,
}

impl Verdict {
    /// Whether the call is made, and nothing else happens.
    pub fn is_pass(&self) -> bool {
        *self == Verdict::default()
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
