//! Where the bytes go: to stderr, a file, a command's standard input or one file a thread.
//!
//! Files are buffered: a write takes many lines. Whoever has events shown sees to it that no line
//! waits for long: [`Sink::is_waiting`], [`Sink::flush`]. Stderr is not buffered: its lines stand in
//! their order beside what the guest writes there, and the half line of a call that blocks is seen
//! while it blocks.

mod target;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use record::Tid;

use target::{Shared, Target, ThreadFiles};

/// A destination of bytes.
///
/// Its clones write to the same place; it is closed when all of them have finished.
///
/// After the first error it takes and forgets whatever comes, so that a full disk or a closed pipe
/// does not stop the guest.
pub struct Sink {
    shared: Rc<RefCell<State>>,
    finished: bool,
}

/// What clones share.
struct State {
    target: Target,
    command: Option<Child>,
    /// How many clones have not finished.
    users: usize,
    /// An error that nobody has been told of.
    untold: Option<io::Error>,
    broken: bool,
}

impl Sink {
    /// Standard error. Not buffered.
    pub fn stderr() -> Sink {
        Sink::live(Box::new(io::stderr()))
    }

    /// Any writer; each write is passed on at once.
    pub fn live(writer: Box<dyn Write>) -> Sink {
        Sink::new(Target::Shared(Shared::live(writer)))
    }

    /// Any writer; buffered.
    pub fn buffered(writer: Box<dyn Write>) -> Sink {
        Sink::new(Target::Shared(Shared::buffered(writer)))
    }

    /// A file, which is replaced or appended to.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn file(path: &Path, append: bool) -> io::Result<Sink> {
        let file = OpenOptions::new()
            .create(true)
            .write(true)
            .append(append)
            .truncate(!append)
            .open(path)?;
        Ok(Sink::buffered(Box::new(file)))
    }

    /// The standard input of a command, run by `sh -c` as by `popen(3)`.
    ///
    /// # Errors
    /// The shell cannot be started.
    pub fn command(command: &OsStr) -> io::Result<Sink> {
        let mut child = Command::new("/bin/sh")
            .arg0("sh")
            .arg("-c")
            .arg(command)
            .stdin(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let sink = Sink::buffered(Box::new(input));
        sink.shared.borrow_mut().command = Some(child);
        Ok(sink)
    }

    /// One file a thread: this path with `.` and the thread's id behind it, made when the thread
    /// first writes. Threads beyond the number of files that a process may keep open take turns.
    pub fn per_thread(path: PathBuf, append: bool) -> Sink {
        Sink::new(Target::PerThread(ThreadFiles::new(path, append)))
    }

    fn new(target: Target) -> Sink {
        let state = State { target, command: None, users: 1, untold: None, broken: false };
        Sink { shared: Rc::new(RefCell::new(state)), finished: false }
    }

    /// Whether each thread has a destination of its own.
    pub fn is_per_thread(&self) -> bool {
        matches!(self.shared.borrow().target, Target::PerThread(_))
    }

    /// Takes bytes that this thread caused.
    ///
    /// # Errors
    /// The destination takes no more. Said once.
    pub fn write(&mut self, tid: Tid, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let mut state = self.shared.borrow_mut();
        state.attempt(|target| target.write(tid, bytes));
        state.tell()
    }

    /// Whether bytes wait in a buffer.
    pub fn is_waiting(&self) -> bool {
        self.shared.borrow().target.is_waiting()
    }

    /// Writes what waits in buffers.
    ///
    /// # Errors
    /// As [`Sink::write`].
    pub fn flush(&mut self) -> io::Result<()> {
        let mut state = self.shared.borrow_mut();
        state.attempt(Target::flush);
        state.tell()
    }

    /// Writes what this thread left in a buffer and closes its file, if it has one of its own.
    ///
    /// # Errors
    /// As [`Sink::write`].
    pub fn thread_ended(&mut self, tid: Tid) -> io::Result<()> {
        let mut state = self.shared.borrow_mut();
        state.attempt(|target| target.close(tid));
        state.tell()
    }

    /// Writes what is left in buffers. The last clone to finish also closes the destination and
    /// waits for the command.
    ///
    /// # Errors
    /// As [`Sink::write`]; or the command could not be run.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.finished {
            return Ok(());
        }
        self.finished = true;
        let mut state = self.shared.borrow_mut();
        state.attempt(Target::flush);
        state.users -= 1;
        if state.users > 0 {
            return state.tell();
        }
        state.target = Target::Closed;
        state.tell().and(wait_for(state.command.take()))
    }
}

/// Waits for the command that took the bytes.
fn wait_for(command: Option<Child>) -> io::Result<()> {
    // The supervisor may have reaped it while it waited for guests: then there is no status.
    match command.and_then(|mut child| child.wait().ok()) {
        // What the shell returns where it cannot run it. Any other status is the command's own
        // affair: `grep` that finds nothing, `head` that has seen enough.
        Some(status) if matches!(status.code(), Some(126 | 127)) => {
            Err(io::Error::other("the command that takes the output cannot be run"))
        }
        _ => Ok(()),
    }
}

impl Clone for Sink {
    fn clone(&self) -> Sink {
        self.shared.borrow_mut().users += 1;
        Sink { shared: Rc::clone(&self.shared), finished: false }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Whoever cares about errors has called it before.
        let _ = self.finish();
    }
}

impl State {
    fn attempt(&mut self, work: impl FnOnce(&mut Target) -> io::Result<()>) {
        if self.broken {
            return;
        }
        if let Err(error) = work(&mut self.target) {
            // A command that reads no more has seen enough.
            let is_failure = self.command.is_none() || error.kind() != io::ErrorKind::BrokenPipe;
            self.untold = is_failure.then_some(error);
            self.broken = true;
            self.target = Target::Closed;
        }
    }

    fn tell(&mut self) -> io::Result<()> {
        self.untold.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
