//! Whoever decides about calls, and what it can see of guests meanwhile.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;

use crate::{
    Answer, CallSet, Capture, GuestAddr, Narrowing, Pid, Poke, Redirection, Rule, Tid, Verdict,
};

/// Why a module could not do what it is there for: a sentence for the user, without a full stop.
pub type Failure = Box<dyn std::error::Error>;

/// Whoever decides about calls: verdicts, and what they depend on.
///
/// Modules stand in a chain. The first is nearest to the guest: it sees calls as the guest makes
/// them, and each of the others as those before it have changed them. A call that one has answered
/// goes no further. On the way back from a call they are asked in the reverse order.
///
/// A module that fails or panics gives the guest `EIO`, and the user a message.
pub trait Module: Debug {
    /// What messages and `--explain` call it: `uts`.
    fn name(&self) -> &'static str;

    /// The calls about which it is to be asked, beside those of its rules; the same at all times.
    fn claims(&self) -> CallSet;

    /// Of the calls that it claims those about which it is only asked if they are about certain things.
    /// Where an argument tells, other calls need not stop. The same at all times.
    fn narrowed(&self) -> Vec<Narrowing> {
        Vec::new()
    }

    /// What it answers without being asked, the first rule that is about a call. Rules without a
    /// condition may be evaluated in the kernel or in the guest. The same at all times.
    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    /// How it would change the paths of calls, without being asked; `None`: it has to be. The same at
    /// all times.
    fn redirection(&self) -> Option<Redirection> {
        None
    }

    /// Whether that still is what it would do. What it does no longer it never does again.
    fn redirects(&self) -> bool {
        true
    }

    /// A guest was let open this absolute path without it being asked, as its [`Redirection`] says; not
    /// told of all of them, and told at the next call about which it is asked. No symbolic link was on
    /// the way.
    fn opened(&mut self, _path: &[u8]) {}

    /// What it was asked to do, a line for each thing.
    fn explain(&self) -> Vec<String>;

    /// What becomes of this call, of which the entry half is known. Asked once a call; again for
    /// one that the kernel restarts.
    ///
    /// # Errors
    /// It cannot say: the call fails with `EIO`.
    fn decide(&mut self, guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure>;

    /// A call is over of which a verdict wanted to see that ([`Verdict::behind`]). `call` is as it
    /// was at the entry, with its outcome. What is returned takes its place.
    ///
    /// # Errors
    /// It cannot say: the guest gets `EIO`.
    fn behind(
        &mut self,
        _guest: &mut dyn Guest,
        _call: &Capture,
    ) -> Result<Option<Answer>, Failure> {
        Ok(None)
    }

    /// What a verdict wanted to be done beside a call could not be written.
    fn poke_failed(&mut self, _tid: Tid, _call: &Capture, _poke: &Poke) {}

    /// There is a new thread; told before it makes its first call.
    fn born(&mut self, _birth: &Birth) {}

    /// A thread runs another program: `execve(2)`. Until then it went by the id `from`; all other
    /// threads of its process have ended.
    fn executed(&mut self, _from: Tid, _to: Tid) {}

    /// A thread is no more, or is let go.
    fn ended(&mut self, _tid: Tid) {}
}

/// A new thread, and what it shares with the one that made it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Birth {
    /// The thread.
    pub child: Tid,
    /// Its process: another than its maker's, or the same.
    pub process: Pid,
    /// The thread that made it; the first one of the process that did, where that is not known.
    pub parent: Tid,
    /// `CLONE_VM`: the address space.
    pub memory: bool,
    /// `CLONE_FS`: working directory, root and umask.
    pub directory: bool,
    /// `CLONE_FILES`: the table of descriptors.
    pub descriptors: bool,
}

/// The guest thread about whose call a module is asked: it is stopped meanwhile.
pub trait Guest {
    /// The thread.
    fn tid(&self) -> Tid;

    /// Its process.
    fn process(&self) -> Pid;

    /// Whether the call is the `execve(2)` by which the session starts the guest's program.
    fn is_starting(&self) -> bool;

    /// Copies guest memory, all of `to`. Several reads from one page cost no more than the first.
    ///
    /// # Errors
    /// `EFAULT` where not all of it can be read.
    fn read(&mut self, at: GuestAddr, to: &mut [u8]) -> io::Result<()>;

    /// Copies all these pieces of guest memory in one crossing, of so many bytes each: to read them costs
    /// nothing then, until the call is decided. Pieces that cannot be read fail when they are.
    ///
    /// # Errors
    /// The guest is gone.
    fn prepare(&mut self, pieces: &[(GuestAddr, usize)]) -> io::Result<()>;

    /// Copies guest memory up to a NUL, without it.
    ///
    /// # Errors
    /// `EFAULT` where it cannot be read that far, `ENAMETOOLONG` where there is none among the first
    /// `most` bytes.
    fn read_string(&mut self, at: GuestAddr, most: usize) -> io::Result<Vec<u8>>;

    /// Writes guest memory at once. What comes with a verdict costs less ([`Answer::writes`]).
    ///
    /// # Errors
    /// `EFAULT` where not all of it may be written.
    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> io::Result<()>;

    /// The working directory, as the supervisor's root has it.
    ///
    /// # Errors
    /// The guest is gone.
    fn working_directory(&self) -> io::Result<PathBuf>;

    /// What the descriptor stands for: a path, as the supervisor's root has it, or the kernel's words
    /// for what has none.
    ///
    /// # Errors
    /// `ENOENT` where it is not open.
    fn descriptor(&self, fd: i32) -> io::Result<PathBuf>;
}
