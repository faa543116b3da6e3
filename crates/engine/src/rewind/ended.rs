//! The processes of a snapshot that have ended for the others.

/// The processes that have ended for the others.
#[derive(Clone, Debug, Default)]
pub struct Ends(Vec<Ended>);

/// A process that has ended for the others.
#[derive(Clone, Debug)]
pub struct Ended {
    pub pid: i32,
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    pub user: u32,
    /// Its wait status, as `wait4(2)` tells it.
    pub status: i32,
    /// Its parent has taken its end.
    pub taken: bool,
    /// The signal that tells of it has not been delivered yet.
    pub announced: bool,
}

impl Ended {
    /// The `siginfo_t` that tells of it.
    pub fn info(&self) -> [u8; 128] {
        /// `CLD_EXITED` and `CLD_KILLED` of `asm-generic/siginfo.h`.
        const EXITED: i32 = 1;
        const KILLED: i32 = 2;
        let (code, value) = match self.status & 0x7f {
            0 => (EXITED, self.status >> 8 & 0xff),
            signal => (KILLED, signal),
        };
        let mut info = [0; 128];
        let words = [libc::SIGCHLD, 0, code, 0, self.pid, self.user as i32, value];
        for (place, word) in info.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        info
    }
}

impl Ends {
    /// Adds one.
    pub fn add(&mut self, ended: Ended) {
        self.0.push(ended);
    }

    /// Forgets those whose ends have been taken.
    pub fn forget_taken(&mut self) {
        self.0.retain(|ended| !ended.taken);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this process is one of them.
    pub fn has(&self, pid: i32) -> bool {
        self.0.iter().any(|ended| ended.pid == pid)
    }

    /// The children of a process.
    pub fn of(&self, parent: i32) -> impl Iterator<Item = &Ended> {
        self.0.iter().filter(move |ended| ended.parent == parent)
    }

    /// The first of those for which `wanted` holds and whose end has not been taken.
    pub fn first(&mut self, wanted: impl Fn(&Ended) -> bool) -> Option<&mut Ended> {
        self.0.iter_mut().find(|ended| !ended.taken && wanted(ended))
    }
}
