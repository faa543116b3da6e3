//! The side of a start that becomes the guest.
//!
//! Nothing here allocates or takes a lock. Without credentials and guard nothing sets `errno` either:
//! that may be the supervisor's ([`super::lodger`]).

use std::convert::Infallible;
use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;

use super::{Credentials, Program, Step, cvt, guard};
use crate::{bare, inherited, interrupts, seccomp};

/// What it needs to know.
pub(super) struct Guest {
    pub program: Program,
    /// What are to be its standard streams.
    pub streams: Option<[RawFd; 3]>,
    /// Where the listener of its guard goes.
    pub way: Option<RawFd>,
    /// The signals that are blocked in its program: until it is released all are.
    pub blocked: u64,
    /// Where it waits.
    pub wait: RawFd,
    /// The other end of that.
    pub go: RawFd,
    /// Where it says why it cannot begin.
    pub complain: RawFd,
}

/// The arguments and the environment, as `execve(2)` takes them.
pub(super) struct Vectors {
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
}

impl Guest {
    /// The vectors of its program, valid as long as this lives.
    pub fn vectors(&self) -> Vectors {
        let pointers = |strings: &[CString]| {
            strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
        };
        Vectors { argv: pointers(&self.program.args), envp: pointers(&self.program.env) }
    }

    /// Becomes the program, or says why not and ends.
    pub fn run(&self, vectors: &Vectors) -> ! {
        let Err((step, error)) = self.become_program(vectors);
        let [a, b, c, d] = error.raw_os_error().unwrap_or(libc::EIO).to_ne_bytes();
        let message = [step as u8, a, b, c, d];
        // SAFETY: `write(2)` reads the message, which lives through the call; `_exit` ends us.
        unsafe {
            let text = [self.complain as usize, bare::at(message.as_ptr()), message.len()];
            let _ = bare::call(libc::SYS_write, text);
            libc::_exit(1)
        }
    }

    fn become_program(&self, vectors: &Vectors) -> Result<Infallible, (Step, io::Error)> {
        let program = &self.program;
        self.await_release().map_err(|error| (Step::Exec, error))?;
        interrupts::resume_without_handlers(self.blocked);
        inherited::restore();
        for (number, stream) in self.streams.iter().flatten().enumerate() {
            // SAFETY: `dup2(2)` takes no memory; what it closes are our copies of the supervisor's streams.
            unsafe { bare::call(libc::SYS_dup2, [*stream as usize, number]) }
                .map_err(|error| (Step::Exec, error))?;
        }
        if program.guard.is_some() {
            guard::give_up();
        }
        if let Some(credentials) = &program.credentials {
            assume(credentials).map_err(|error| (Step::Credentials, error))?;
        }
        if let (Some(guard), Some(way)) = (&program.guard, self.way) {
            // SAFETY: whoever has made us keeps it open, here and in its own process.
            let way = unsafe { BorrowedFd::borrow_raw(way) };
            guard::enter(guard, way).map_err(|error| (Step::Guard, error))?;
        }
        if let Some(filter) = &program.filter {
            seccomp::install(filter, 0).map_err(|error| (Step::Filter, error))?;
        }
        let (path, argv, envp) = (&program.path, &vectors.argv, &vectors.envp);
        // SAFETY: the path and both vectors' strings are owned by `program` and NUL-terminated,
        // and the vectors end with a null pointer.
        let answer = unsafe {
            let [argv, envp] = [argv, envp].map(|vector| bare::at(vector.as_ptr()));
            bare::call(libc::SYS_execve, [bare::at(path.as_ptr()), argv, envp])
        };
        Err((Step::Exec, answer.err().unwrap_or_else(|| io::Error::from_raw_os_error(libc::EIO))))
    }

    /// Blocks until the supervisor has seized us; fails if it has died.
    fn await_release(&self) -> io::Result<()> {
        let mut byte = 0u8;
        // SAFETY: `close` takes no memory, and `read` writes one byte to `byte`. Our copy of the
        // writing end would otherwise keep the pipe open when the supervisor dies.
        unsafe {
            bare::call(libc::SYS_close, [self.go as usize])?;
            loop {
                let into = [self.wait as usize, bare::at(&raw mut byte), 1];
                match bare::call(libc::SYS_read, into) {
                    Ok(0) => return Err(io::Error::from_raw_os_error(libc::EPIPE)),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    answer => return answer.map(drop),
                }
            }
        }
    }
}

fn assume(credentials: &Credentials) -> io::Result<()> {
    let Credentials { uid, gid, groups } = credentials;
    // SAFETY: `setgroups` reads the list, which lives through the call; the others take numbers.
    unsafe {
        cvt(libc::setgroups(groups.len(), groups.as_ptr()))?;
        cvt(libc::setresgid(*gid, *gid, *gid))?;
        cvt(libc::setresuid(*uid, *uid, *uid))?;
    }
    Ok(())
}
