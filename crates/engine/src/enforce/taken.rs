//! What a call's arguments lead to, copied once.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use kernel::behalf::{self, Arg, Kind, MOST};
use libc::c_long;

use super::caller::Caller;
use super::calls;
use super::walk::errno;

const EMPTY_PATH: u64 = libc::AT_EMPTY_PATH as u64;
const NOFOLLOW: u64 = libc::AT_SYMLINK_NOFOLLOW as u64;

/// Copies of a call's arguments. Nobody else can change them.
#[derive(Debug)]
pub struct Taken {
    /// Its registers.
    args: [u64; 6],
    /// Its paths, with their indices.
    pub paths: Vec<(usize, Path)>,
    /// What the other pointers lead to, or room for it; `None` for NULL, and for numbers.
    bytes: [Option<Vec<u8>>; 6],
    descriptor: Option<OwnedFd>,
    /// What the path is relative to, if it is empty and has to be.
    start: Option<OwnedFd>,
}

/// A path of a call.
#[derive(Debug)]
pub enum Path {
    /// From here, by these names; and whether it has to be a directory.
    Named(OwnedFd, Vec<u8>),
    /// This file itself.
    Descriptor(OwnedFd),
}

impl Taken {
    /// Copies what a call of these kinds passes.
    ///
    /// # Errors
    /// `EFAULT` where it cannot be read, `EBADF` where it is not open, `E2BIG` where it is too long.
    pub fn of(caller: &Caller<'_>, kinds: &[Kind]) -> io::Result<Taken> {
        let args = caller.call.args;
        let (paths, bytes) = (Vec::new(), Default::default());
        let mut taken = Taken { args, paths, bytes, descriptor: None, start: None };
        let mut directory = None;
        for (index, kind) in kinds.iter().enumerate() {
            let arg = args[index];
            match *kind {
                Kind::Value => {}
                Kind::Directory => directory = Some(arg),
                Kind::Descriptor => taken.descriptor = Some(caller.descriptor(arg)?),
                Kind::Path => {
                    let path = path_at(caller, directory.take(), arg)?;
                    taken.paths.push((index, path));
                }
                Kind::Text => {
                    let mut text = caller.string(arg)?;
                    text.push(0);
                    taken.bytes[index] = Some(text);
                }
                Kind::In(_) | Kind::InOf(_) | Kind::Out(_) | Kind::OutOf(_) if arg == 0 => {}
                Kind::In(len) => taken.bytes[index] = Some(caller.bytes(arg, len)?),
                Kind::Out(len) => taken.bytes[index] = Some(vec![0; len]),
                Kind::InOf(of) => {
                    let len = args[usize::from(of)];
                    if len > MOST as u64 {
                        return Err(errno(libc::E2BIG));
                    }
                    taken.bytes[index] = Some(caller.bytes(arg, len as usize)?);
                }
                Kind::OutOf(of) => {
                    let len = args[usize::from(of)].min(MOST as u64);
                    taken.args[usize::from(of)] = len;
                    taken.bytes[index] = Some(vec![0; len as usize]);
                }
            }
        }
        Ok(taken)
    }

    /// The file of a descriptor that a call without a path changes.
    pub fn descriptor(&self) -> Option<&OwnedFd> {
        self.descriptor.as_ref()
    }

    /// Has the call use this path of ours, with a NUL. It leads to the file itself, or `by_name` to its
    /// last name.
    pub fn use_path(&mut self, number: u64, index: usize, path: Vec<u8>, by_name: bool) {
        self.bytes[index] = Some(path);
        let flags = calls::at_flags(number).map(usize::from);
        match (number as c_long, flags) {
            (libc::SYS_linkat, Some(flags)) if index == 1 => {
                self.args[flags] = if by_name { 0 } else { libc::AT_SYMLINK_FOLLOW as u64 };
            }
            (libc::SYS_inotify_add_watch, _) if !by_name => {
                self.args[2] &= !(u64::from(libc::IN_DONT_FOLLOW));
            }
            (libc::SYS_linkat, _) | (_, None) => {}
            (_, Some(flags)) => {
                self.args[flags] &= !EMPTY_PATH;
                if !by_name {
                    self.args[flags] &= !NOFOLLOW;
                }
            }
        }
    }

    /// Has the call use this file with an empty path.
    pub fn use_file(&mut self, index: usize, file: OwnedFd) {
        self.bytes[index] = Some(vec![0]);
        self.start = Some(file);
    }

    /// Makes the call. What it returns.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn make(&mut self, number: u64, kinds: &[Kind]) -> io::Result<u64> {
        let mut args = Vec::with_capacity(kinds.len());
        let parts = kinds.iter().zip(self.args).zip(&mut self.bytes);
        for ((kind, arg), bytes) in parts {
            args.push(match (kind, bytes) {
                (Kind::Value, _) => Arg::Value(arg),
                (Kind::Directory, _) => match &self.start {
                    Some(start) => Arg::Descriptor(start.as_fd()),
                    // The paths are absolute.
                    None => Arg::Value(libc::AT_FDCWD as u64),
                },
                (Kind::Descriptor, _) => match &self.descriptor {
                    Some(descriptor) => Arg::Descriptor(descriptor.as_fd()),
                    None => return Err(errno(libc::EBADF)),
                },
                (Kind::Out(_) | Kind::OutOf(_), Some(room)) => Arg::Out(room),
                (_, Some(bytes)) => Arg::In(bytes),
                (_, None) => Arg::Value(0),
            });
        }
        behalf::make(number, &mut args)
    }

    /// Puts this where the call would have written. What it returns.
    pub fn fill(&mut self, kinds: &[Kind], text: &[u8]) -> u64 {
        let room = kinds.iter().zip(&mut self.bytes);
        let room = room.filter(|(kind, _)| matches!(kind, Kind::OutOf(_)));
        let Some(room) = room.filter_map(|(_, room)| room.as_mut()).next() else { return 0 };
        let len = room.len().min(text.len());
        room[..len].copy_from_slice(&text[..len]);
        len as u64
    }

    /// Writes what the call has written to the guest.
    ///
    /// # Errors
    /// `EFAULT` where it cannot be written.
    pub fn hand_out(&self, caller: &Caller<'_>, kinds: &[Kind], result: u64) -> io::Result<()> {
        for (index, (kind, bytes)) in kinds.iter().zip(&self.bytes).enumerate() {
            let Some(bytes) = bytes else { continue };
            let bytes = match kind {
                Kind::Out(_) => &bytes[..],
                Kind::OutOf(_) => &bytes[..bytes.len().min(result as usize)],
                _ => continue,
            };
            if !bytes.is_empty() {
                caller.write(caller.call.args[index], bytes)?;
            }
        }
        Ok(())
    }
}

/// The path at an address, or the file of the descriptor where there is none.
fn path_at(caller: &Caller<'_>, directory: Option<u64>, at: u64) -> io::Result<Path> {
    let call = caller.call;
    let number = call.number as c_long;
    let flags = calls::at_flags(call.number).map_or(0, |index| call.args[usize::from(index)]);
    if at == 0 && takes_null(number, directory, flags) {
        return caller.place(directory).map(Path::Descriptor);
    }
    let path = caller.string(at)?;
    let has_descriptor = directory.is_some_and(|fd| fd as i32 != libc::AT_FDCWD);
    // A link that is open is read so without a flag.
    let takes_empty = flags & EMPTY_PATH != 0 || number == libc::SYS_readlinkat && has_descriptor;
    if path.is_empty() && takes_empty {
        return caller.place(directory).map(Path::Descriptor);
    }
    let start = caller.start(directory, &path)?;
    Ok(Path::Named(start, path))
}

/// Whether a call takes NULL for a path, and is about the descriptor.
fn takes_null(number: c_long, directory: Option<u64>, flags: u64) -> bool {
    match number {
        libc::SYS_utimensat | libc::SYS_futimesat => {
            directory.is_some_and(|fd| fd as i32 != libc::AT_FDCWD)
        }
        libc::SYS_statx | libc::SYS_newfstatat => {
            flags & EMPTY_PATH != 0 && behalf::stat_takes_null()
        }
        _ => false,
    }
}
