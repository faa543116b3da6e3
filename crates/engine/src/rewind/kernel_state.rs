//! What the kernel holds behind a descriptor that is no file, and how it is put back.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;

use kernel::proc;

use super::named::Named;
use super::nameless::{Copied, Found, Nameless};
use super::pair::Pair;
use super::pipe::Pipe;
use super::watches::Watches;
use super::{Error, Irreversible};

/// What is to be put back behind a descriptor.
#[derive(Debug)]
pub enum KernelState {
    /// Nothing.
    None,
    /// An end of a pipe.
    Pipe(Pipe),
    /// An end of a pair of sockets.
    Pair(Pair),
    /// The count of an `eventfd(2)`.
    Count(u64),
    /// What a file without a name holds.
    Content(Nameless),
    /// What an `epoll(7)` waits for.
    Watches(Watches),
}

impl KernelState {
    /// That of a descriptor of which we have a copy, if it can be put back. `all` are those of all the
    /// program's processes.
    pub fn of(
        named: &Named,
        all: &[Named],
        copy: &File,
        copied: &mut Copied,
    ) -> Option<KernelState> {
        let name = &named.name;
        if name.starts_with("pipe:") {
            return Pipe::of(named, all, copy).map(KernelState::Pipe);
        }
        if name.starts_with("socket:") {
            return Pair::of(named, all, copy).map(KernelState::Pair);
        }
        let Some(kind) = name.strip_prefix("anon_inode:") else {
            return match Nameless::of(named, copy, copied) {
                Found::Nameless(file) => Some(KernelState::Content(file)),
                Found::Known => Some(KernelState::None),
                Found::Uncopied | Found::Other => None,
            };
        };
        match kind.trim_matches(['[', ']']) {
            "eventfd" => count(copy).map(KernelState::Count),
            "eventpoll" => Watches::of(copy).map(KernelState::Watches),
            _ => None,
        }
    }

    /// Whether nobody but the program may have it during a run: neither we, nor the program for later.
    pub fn is_programs_own(&self) -> bool {
        matches!(self, KernelState::Pipe(_) | KernelState::Pair(_))
    }

    /// Those of an epoll.
    pub fn watches(&self) -> Option<&Watches> {
        if let KernelState::Watches(watches) = self { Some(watches) } else { None }
    }

    /// The same.
    pub fn watches_mut(&mut self) -> Option<&mut Watches> {
        if let KernelState::Watches(watches) = self { Some(watches) } else { None }
    }

    /// Puts it back, by our copy.
    pub fn put_back(&mut self, copy: Option<&mut File>) -> Result<(), Error> {
        let lost = || Error::Irreversible(Irreversible::Descriptor);
        let failed = Error::request("a descriptor cannot be put back");
        match (self, copy) {
            (KernelState::Pipe(pipe), _) => pipe.put_back().map_err(&failed)?,
            (KernelState::Content(file), _) => file.put_back().map_err(|_| lost())?,
            (KernelState::Count(was), Some(copy)) => {
                let mut is = count(copy).ok_or_else(lost)?;
                if is == *was {
                    return Ok(());
                }
                // A semaphore gives one at a time.
                while is > 0 {
                    copy.read_exact(&mut [0; 8]).map_err(&failed)?;
                    is = count(copy).ok_or_else(lost)?;
                }
                copy.write_all(&was.to_ne_bytes()).map_err(&failed)?;
            }
            // The program has put back itself what it can.
            (KernelState::Watches(watches), Some(copy)) => {
                let others = watches.still_has_others(copy);
                return if others { Err(lost()) } else { Ok(()) };
            }
            _ => {}
        }
        Ok(())
    }
}

fn count(copy: &File) -> Option<u64> {
    let own = std::process::id() as i32;
    proc::descriptor_number(own, copy.as_raw_fd(), "eventfd-count", 16).ok()
}
