//! Brings the agent into an address space.

use std::io;
use std::rc::Rc;

use agent::abi;
use agent::image::IMAGE_BYTES;
use kernel::ptrace::{Stopped, Tracee as Ptraced};
use kernel::remote::{Failure, RemoteCalls};
use kernel::shared::SharedMemory;
use kernel::wait::Stop;

use super::arena::{ARENA_LEN, Arena, FILE_ARENA, FILE_LEN, FILE_TABLES};

/// What has come of an attempt, and the thread, stopped as before. It is to be resumed with the
/// signal, unless that is 0.
pub struct Injected {
    pub stopped: Ptraced<Stopped>,
    pub signal: i32,
    /// The guest's own kernel may refuse.
    pub arena: Result<Rc<Arena>, io::Error>,
}

/// Maps image, tables and arena into the address space of a thread, the only one there.
pub fn inject(
    process: i32,
    tid: i32,
    stopped: Ptraced<Stopped>,
    stop: Stop,
    ignores_trap: bool,
    tables: &[u8],
) -> Result<Injected, Failure> {
    let mut calls = RemoteCalls::begin(process, stopped, stop, None, ignores_trap)?;
    let arena = match map(process, tid, &mut calls, tables) {
        Ok(arena) => Ok(arena),
        Err(Failure::Refused(error)) => Err(error),
        Err(failure) => return Err(failure),
    };
    let (stopped, signal) = calls.finish()?;
    Ok(Injected { stopped, signal, arena })
}

fn map(
    process: i32,
    tid: i32,
    calls: &mut RemoteCalls,
    tables: &[u8],
) -> Result<Rc<Arena>, Failure> {
    let fd = calls.memfd_create(libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)?;
    let mapped = map_file(process, tid, calls, fd, tables);
    calls.close(fd)?;
    mapped
}

fn map_file(
    process: i32,
    tid: i32,
    calls: &mut RemoteCalls,
    fd: i32,
    tables: &[u8],
) -> Result<Rc<Arena>, Failure> {
    let memory =
        SharedMemory::of_guest(process, tid, fd, FILE_LEN as usize).map_err(Failure::Refused)?;
    memory.copy_in(0, IMAGE_BYTES);
    memory.copy_in(FILE_TABLES as usize, tables);
    let parts = [
        (abi::IMAGE, FILE_TABLES, libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE, 0),
        (abi::TABLES, FILE_ARENA - FILE_TABLES, libc::PROT_READ, libc::MAP_PRIVATE, FILE_TABLES),
        (abi::ARENA, ARENA_LEN, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, FILE_ARENA),
    ];
    for (address, len, protection, kind, offset) in parts {
        let flags = kind | libc::MAP_FIXED_NOREPLACE;
        let got = calls.mmap(address, len, protection, flags, fd, offset)?;
        if got != address {
            // A kernel older than the flag takes the address for a wish.
            calls.munmap(got, len)?;
            return Err(Failure::Refused(io::Error::from_raw_os_error(libc::EEXIST)));
        }
    }
    Ok(Arena::new(memory))
}
