//! Signals that were sent to a thread and have not been delivered yet.

use std::io;
use std::ptr;

use libc::c_int;

use super::{Stopped, Tracee, request};

/// `PTRACE_PEEKSIGINFO` of `linux/ptrace.h`.
const PTRACE_PEEKSIGINFO: c_int = 0x4209;
/// `PTRACE_PEEKSIGINFO_SHARED`.
const SHARED: u32 = 1;
/// How many are told at once.
const ROOM: usize = 8;

/// `struct ptrace_peeksiginfo_args`.
#[repr(C)]
struct Arguments {
    offset: u64,
    flags: u32,
    count: i32,
}

/// Whose signals are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Those sent to the thread.
    Own,
    /// Those sent to its process: any thread may take them.
    Shared,
}

impl Tracee<Stopped> {
    /// The signals that wait in a queue, as the kernel's `siginfo_t`, the oldest first.
    pub fn queued_signals(&self, queue: Queue) -> io::Result<Vec<[u8; 128]>> {
        let flags = if queue == Queue::Shared { SHARED } else { 0 };
        let mut all = Vec::new();
        loop {
            let mut told = [[0u8; 128]; ROOM];
            let arguments = Arguments { offset: all.len() as u64, flags, count: ROOM as i32 };
            let address = ptr::from_ref(&arguments).expose_provenance();
            let data = told.as_mut_ptr().cast();
            let count = request(PTRACE_PEEKSIGINFO, self.tid(), address, data)? as usize;
            all.extend_from_slice(&told[..count]);
            if count < ROOM {
                return Ok(all);
            }
        }
    }
}
