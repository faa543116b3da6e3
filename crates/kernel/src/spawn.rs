//! Starting a guest: a child, a pause for the supervisor to seize it, `execve(2)`.

use std::ffi::{CStr, CString};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};

use libc::{c_int, gid_t, pid_t, uid_t};

use crate::interrupts::Held;
use crate::seccomp;

mod guard;
mod guest;
mod lodger;

pub use guard::Promised;
use guest::Guest;
use lodger::Lodger;

/// What a guest is to run, and as whom.
#[derive(Debug)]
pub struct Program {
    path: CString,
    args: Vec<CString>,
    env: Vec<CString>,
    credentials: Option<Credentials>,
    filter: Option<seccomp::Program>,
    guard: Option<seccomp::Program>,
    streams: Option<[OwnedFd; 3]>,
}

/// A user to become, with `setgroups(2)`, `setresgid(2)` and `setresuid(2)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credentials {
    /// The user.
    pub uid: uid_t,
    /// The group.
    pub gid: gid_t,
    /// The supplementary groups.
    pub groups: Vec<gid_t>,
}

/// Who becomes the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A child of the supervisor.
    Child,
    /// The calling process itself; the supervisor goes on as a detached grandchild of it.
    Caller {
        /// The supervisor gets a process group of its own.
        new_group: bool,
        /// The supervisor gets a session of its own.
        new_session: bool,
    },
}

/// A guest that waits to be seized and released.
#[derive(Debug)]
pub struct Launch {
    pid: pid_t,
    go: PipeWriter,
    report: PipeReader,
    listener: Option<Promised>,
    /// The memory that it uses, while it has none of its own.
    _lodger: Option<Lodger>,
}

/// The step at which a start failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Becoming another user.
    Credentials,
    /// Installing the seccomp filter.
    Filter,
    /// Giving up rights, and installing the filter that goes with it.
    Guard,
    /// Replacing the program.
    Exec,
}

/// Why a guest's program did not start.
#[derive(Debug)]
pub struct Failure {
    /// At which step.
    pub step: Step,
    /// What the kernel answered.
    pub error: io::Error,
}

impl Program {
    /// A program at `path`, with its arguments (the name it goes by first) and its environment
    /// (`NAME=value`). Fails with `InvalidInput` on a NUL inside a string.
    pub fn new(path: Vec<u8>, args: Vec<Vec<u8>>, env: Vec<Vec<u8>>) -> io::Result<Program> {
        Ok(Program {
            path: CString::new(path)?,
            args: args.into_iter().map(CString::new).collect::<Result<_, _>>()?,
            env: env.into_iter().map(CString::new).collect::<Result<_, _>>()?,
            credentials: None,
            filter: None,
            guard: None,
            streams: None,
        })
    }

    /// Runs as this user.
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Program {
        self.credentials = Some(credentials);
        self
    }

    /// Runs under this seccomp filter; it is in force from the `execve(2)` on.
    #[must_use]
    pub fn filter(mut self, filter: seccomp::Program) -> Program {
        self.filter = Some(filter);
        self
    }

    /// Gives up rights by which it could get round decisions about files, and runs under this filter,
    /// beside any other: what that has notify goes to its listener ([`Launch::listener`]).
    #[must_use]
    pub fn guard(mut self, filter: seccomp::Program) -> Program {
        self.guard = Some(filter);
        self
    }

    /// Has these as its standard input, output and error. None of them may be one of ours.
    #[must_use]
    pub fn streams(mut self, streams: [OwnedFd; 3]) -> Program {
        self.streams = Some(streams);
        self
    }

    /// Makes a guest that waits for [`Launch::release`]. In the role of `Caller` this returns in
    /// another process than it was called in; no other thread may run then.
    pub fn launch(mut self, role: Role) -> io::Result<Launch> {
        let (wait, go) = io::pipe()?;
        let (report, complain) = io::pipe()?;
        let (listener, way) = match &self.guard {
            Some(_) => guard::way().map(|(ours, guests)| (Some(ours), Some(guests)))?,
            None => (None, None),
        };
        // Ours are closed at the end of this.
        let streams = self.streams.take();
        let shares = role == Role::Child && self.guard.is_none() && self.credentials.is_none();
        let held = Held::all();
        let guest = Guest {
            blocked: held.before(),
            streams: streams.as_ref().map(|streams| streams.each_ref().map(AsRawFd::as_raw_fd)),
            way: way.as_ref().map(AsRawFd::as_raw_fd),
            wait: wait.as_raw_fd(),
            go: go.as_raw_fd(),
            complain: complain.as_raw_fd(),
            program: self,
        };
        if shares {
            let lodger = Lodger::start(guest)?;
            return Ok(Launch { pid: lodger.pid(), go, report, listener, _lodger: Some(lodger) });
        }
        // SAFETY: `getpid` and `fork` take no memory. In the child of this fork, and in the parent
        // where that becomes the guest, only `Guest` code runs until the exec: it keeps to
        // async-signal-safe calls on memory prepared before the fork.
        let caller = unsafe { libc::getpid() };
        let vectors = guest.vectors();
        // SAFETY: as above.
        let forked = cvt(unsafe { libc::fork() })?;
        let pid = match role {
            Role::Child if forked == 0 => guest.run(&vectors),
            Role::Child => forked,
            Role::Caller { .. } if forked > 0 => {
                reap(forked);
                guest.run(&vectors)
            }
            Role::Caller { new_group, new_session } => {
                detach(new_group, new_session)?;
                caller
            }
        };
        Ok(Launch { pid, go, report, listener, _lodger: None })
    }
}

impl Launch {
    /// The guest's process id.
    pub fn pid(&self) -> pid_t {
        self.pid
    }

    /// Lets the guest go on to its `execve(2)`.
    pub fn release(&mut self) -> io::Result<()> {
        self.go.write_all(b"g")
    }

    /// Where the listener of its guard comes from; `None` without a guard, and the second time.
    pub fn listener(&mut self) -> Option<Promised> {
        self.listener.take()
    }

    /// Why the program did not start, once the guest has exited or has replaced its program;
    /// `None` in the latter case. Blocks until then.
    pub fn failure(self) -> Option<Failure> {
        let Launch { go, report, .. } = self;
        drop(go);
        told_failure(report)
    }

    /// The same of a guest that is known to have ended.
    pub fn failure_at_end(&mut self) -> Option<Failure> {
        told_failure(&self.report)
    }
}

/// What a guest has said of its failure, once the other end is closed.
fn told_failure(mut report: impl Read) -> Option<Failure> {
    let mut message = [0; 5];
    report.read_exact(&mut message).ok()?;
    let [step, errno @ ..] = message;
    let step = match step {
        0 => Step::Credentials,
        1 => Step::Filter,
        2 => Step::Guard,
        _ => Step::Exec,
    };
    Some(Failure { step, error: io::Error::from_raw_os_error(i32::from_ne_bytes(errno)) })
}

fn cvt(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Waits for the go-between of [`detach`], so that the guest does not meet a child it never made.
fn reap(pid: pid_t) {
    let mut status = 0;
    // SAFETY: `waitpid(2)` writes one int to `status`, which lives through the call.
    while unsafe { libc::waitpid(pid, &mut status, 0) } < 0
        && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
    {}
}

/// Leaves this process, a child of the guest to be, for a child of its own.
fn detach(new_group: bool, new_session: bool) -> io::Result<()> {
    // SAFETY: these calls take no memory; the process that exits has no other thread, and its
    // copy goes on where it stood.
    unsafe {
        if cvt(libc::fork())? > 0 {
            libc::_exit(0);
        }
        if new_session {
            cvt(libc::setsid())?;
        } else if new_group {
            cvt(libc::setpgid(0, 0))?;
        }
    }
    Ok(())
}

/// A user's ids from the password database: `getpwnam(3)` and `getgrouplist(3)`; `None` if there is
/// no such user.
pub fn user(name: &CStr) -> Option<Credentials> {
    // SAFETY: `name` is NUL-terminated. The result is a static object of libc's, read at once;
    // no other thread of ours uses the password database.
    let (uid, gid) = unsafe {
        let entry = libc::getpwnam(name.as_ptr());
        if entry.is_null() {
            return None;
        }
        ((*entry).pw_uid, (*entry).pw_gid)
    };
    let mut groups = vec![0; 65_536];
    let mut count = groups.len() as c_int;
    // SAFETY: libc writes at most `count` ids to `groups`, which has room for them.
    unsafe { libc::getgrouplist(name.as_ptr(), gid, groups.as_mut_ptr(), &mut count) };
    groups.truncate(usize::try_from(count).unwrap_or(0));
    Some(Credentials { uid, gid, groups })
}
