//! What can go wrong with a program that is to be rewound.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::io;

use kernel::proc::ProcError;
use kernel::remote::Failure;

/// Why a program cannot be brought to its point, or be rewound.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program could not be started.
    #[error(transparent)]
    Start(#[from] crate::Error),
    /// It ended before it came to the point.
    #[error("the program has ended before it came to the point to return to ({end})")]
    Ended {
        /// How.
        end: super::End,
    },
    /// It was not waited for any longer.
    #[error("the program has not come to the point to return to")]
    GivenUp,
    /// What it has at the point cannot be captured.
    #[error("{}", list(.0))]
    Obstacles(Vec<Obstacle>),
    /// It was rewound, but what it has done cannot be undone.
    #[error("this cannot be undone: {0}")]
    Irreversible(Irreversible),
    /// There is no function of this name.
    #[error("no function is called '{name}' in {program}, nor in a library that it has loaded")]
    NoSymbol {
        /// The name.
        name: String,
        /// The program's file.
        program: String,
    },
    /// There are several functions of this name.
    #[error("several functions are called '{name}': {}", .each.join("; "))]
    SeveralSymbols {
        /// The name.
        name: String,
        /// How each is written with its parameters.
        each: Vec<String>,
    },
    /// This kernel cannot tell which pages are written.
    #[error("{what}: it takes Linux 6.7 or later, and a sandbox that permits it")]
    Kernel {
        /// What was refused.
        what: &'static str,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// A request that the kernel permits by its documentation failed.
    #[error("{what}")]
    Request {
        /// What was tried.
        what: &'static str,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// These functions are called by one name.
    pub(super) fn several(name: &str, each: BTreeSet<String>) -> Error {
        Error::SeveralSymbols { name: name.to_owned(), each: each.into_iter().collect() }
    }

    /// For `map_err`: what was tried.
    pub(super) fn request(what: &'static str) -> impl Fn(io::Error) -> Error {
        move |source| Error::Request { what, source }
    }

    /// For `map_err`: what the guest was to do.
    pub(super) fn remote(what: &'static str) -> impl Fn(Failure) -> Error {
        move |failure| match failure {
            Failure::Ended(_) => Error::Irreversible(Irreversible::Killed),
            Failure::Unfit(_, source) | Failure::Refused(source) | Failure::Kernel(source) => {
                Error::Request { what, source }
            }
        }
    }

    /// For `map_err`: what was to be looked up in `/proc`.
    pub(super) fn proc(what: &'static str) -> impl Fn(ProcError) -> Error {
        move |error| match error {
            ProcError::Gone { .. } => Error::Irreversible(Irreversible::Killed),
            ProcError::Failed { source, .. } => Error::Request { what, source },
            other => Error::Request { what, source: io::Error::other(other.to_string()) },
        }
    }
}

/// Something of a program that a snapshot cannot hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// One of its processes uses the memory of another, until it runs another program: both ids.
    Processes(i32, i32),
    /// A process is stopped by a signal such as `SIGSTOP`: its id.
    Suspended(i32),
    /// The first thread of a process has ended before the others: its id.
    FirstThread(i32),
    /// Memory that others see too, by the name of its mapping.
    SharedMemory(String),
    /// A descriptor of something with a state of its own: its number, and what it is.
    Descriptor(i32, String),
    /// A timer that runs.
    Timer,
    /// A lock on a file, by its descriptor.
    Lock(i32, String),
    /// Memory whose writes cannot be told, by the name of its mapping.
    Untracked(String),
}

impl Obstacle {
    /// The kinds that one can do without: the snapshot is made as if they were not there.
    pub const KINDS: [&'static str; 5] =
        ["descriptors", "shared-memory", "timers", "locks", "untracked-memory"];

    /// Its kind; where it is none of [`Obstacle::KINDS`], one cannot do without.
    pub fn kind(&self) -> &'static str {
        match self {
            Obstacle::Processes(..) | Obstacle::Suspended(_) => "processes",
            Obstacle::FirstThread(_) => "threads",
            Obstacle::SharedMemory(_) => "shared-memory",
            Obstacle::Descriptor(..) => "descriptors",
            Obstacle::Timer => "timers",
            Obstacle::Lock(..) => "locks",
            Obstacle::Untracked(_) => "untracked-memory",
        }
    }
}

impl Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Processes(child, parent) => {
                write!(out, "its process {child} uses the memory of {parent} (vfork)")
            }
            Obstacle::Suspended(pid) => {
                write!(out, "its process {pid} is stopped, as by SIGSTOP")
            }
            Obstacle::FirstThread(pid) => {
                write!(out, "the first thread of its process {pid} has ended before the others")
            }
            Obstacle::SharedMemory(name) => write!(out, "it writes to shared memory ({name})"),
            Obstacle::Descriptor(fd, what) => write!(out, "its descriptor {fd} is {what}"),
            Obstacle::Timer => out.write_str("it has a timer that runs"),
            Obstacle::Lock(fd, what) => write!(out, "it holds a lock on {what} (descriptor {fd})"),
            Obstacle::Untracked(name) => {
                write!(out, "the kernel does not tell which pages of {name} are written")
            }
        }
    }
}

fn list(obstacles: &[Obstacle]) -> String {
    let each: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
    format!("the program cannot be captured at this point: {}", each.join("; "))
}

/// What a run has done that cannot be undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Irreversible {
    /// This call.
    Call(&'static str),
    /// A call of another ABI than its own: of those it is not known what they change.
    OtherAbi,
    /// It runs another program.
    Exec,
    /// Its process was killed.
    Killed,
    /// A thread of the snapshot has ended.
    Thread,
    /// The snapshot's mapping of a file that has another name by now, or is no more.
    MappedFile,
    /// It has removed a file that it had open.
    Removed,
    /// It has left a directory that has another name by now, or is no more.
    Directory,
    /// An epoll, or an eventfd, cannot be put back.
    Descriptor,
    /// A process has closed its end of a pair of sockets, or put something in its place, and the other end is
    /// another's.
    Socket,
    /// It has closed what was kept for it to be put back.
    Keeper,
    /// Mappings did not come back.
    Mappings,
}

impl Display for Irreversible {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Irreversible::Call(name) => write!(out, "the program has called {name}"),
            other => out.write_str(match other {
                Irreversible::OtherAbi => "it has made a 32-bit call (int 0x80, or one of x32)",
                Irreversible::Exec => "it has started to run another program",
                Irreversible::Killed => "it was killed",
                Irreversible::Thread => "one of its threads has ended",
                Irreversible::MappedFile => "it has unmapped a file that cannot be found again",
                Irreversible::Removed => "it has removed a file that it had open",
                Irreversible::Directory => "it has left a directory that cannot be found again",
                Irreversible::Descriptor => "what its epoll waits for cannot be put back",
                Irreversible::Socket => "it has closed a socket between its processes",
                Irreversible::Keeper => "it has closed descriptors that were kept to be put back",
                _ => "its mappings did not come back",
            }),
        }
    }
}
