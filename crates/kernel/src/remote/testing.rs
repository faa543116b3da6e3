//! A guest for the tests of this folder.

use std::io::{self, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::time::Duration;

use libc::{c_long, pid_t};

use super::{End, Image, Part, RESTARTS, RemoteCalls, Room, Stub, bit};
use crate::fork::Child;
use crate::proc;
use crate::ptrace::{Options, Resume, Stopped, Tracee};
use crate::shared::SharedMemory;
use crate::wait::{self, Stop, What};

const LIMIT: Duration = Duration::from_secs(60);
pub const PAGE: u64 = 4096;

/// A child that prepares, then reads a byte and exits with it. The tests begin while it waits in
/// that call.
pub struct Guest {
    pub child: Child,
    pub answer: PipeWriter,
}

impl Guest {
    pub fn start(prepare: impl FnOnce()) -> (Guest, Tracee<Stopped>) {
        Guest::start_then(prepare, |byte| byte)
    }

    /// Does `then` with the byte. Both functions must be async-signal-safe.
    pub fn start_then(
        prepare: impl FnOnce(),
        then: impl FnOnce(u8) -> u8,
    ) -> (Guest, Tracee<Stopped>) {
        let (mut ready, say_ready) = io::pipe().unwrap();
        let (question, answer) = io::pipe().unwrap();
        let body = || {
            prepare();
            let mut byte = 0u8;
            // SAFETY: the calls read and write this one byte.
            let got = unsafe {
                libc::write(say_ready.as_raw_fd(), (&raw const byte).cast(), 1);
                libc::read(question.as_raw_fd(), (&raw mut byte).cast(), 1)
            };
            if got == 1 { then(byte) } else { 255 }
        };
        // SAFETY: the body makes system calls only, as our callers' functions do.
        let child = unsafe { Child::start(LIMIT, body) }.unwrap();
        ready.read_exact(&mut [0]).unwrap();
        let options = Options { seccomp: true, ..Options::default() };
        let tracee = Tracee::seize(child.pid(), options).unwrap();
        tracee.interrupt().unwrap();
        let guest = Guest { child, answer };
        let tracee = guest.enter(libc::SYS_read, guest.stop(Stop::Trap));
        // Now the stop comes when it waits in there.
        tracee.interrupt_when_resumed().unwrap();
        tracee.resume(Resume::Continue, 0).unwrap();
        let tracee = guest.stop(Stop::Trap);
        assert!(RESTARTS.contains(&(tracee.registers().unwrap().rax as i64)));
        (guest, tracee)
    }

    /// Goes on to the entry of this call.
    pub fn enter(&self, number: c_long, mut tracee: Tracee<Stopped>) -> Tracee<Stopped> {
        loop {
            tracee.resume(Resume::Syscall, 0).unwrap();
            tracee = self.stop(Stop::Syscall);
            let registers = tracee.registers().unwrap();
            let before = registers.rax as i64 == -i64::from(libc::ENOSYS);
            if before && registers.orig_rax == number as u64 {
                return tracee;
            }
        }
    }

    pub fn pid(&self) -> pid_t {
        self.child.pid()
    }

    /// Waits for this stop, and no other.
    pub fn stop(&self, expected: Stop) -> Tracee<Stopped> {
        match wait::next_of(self.pid()).unwrap().what {
            What::Stopped(tracee, stop) if stop == expected => tracee,
            what => panic!("{what:?} instead of {expected:?}"),
        }
    }

    pub fn begin(&self, tracee: Tracee<Stopped>, stop: Stop) -> RemoteCalls {
        let ignores_trap = proc::ignored_signals(self.pid()).unwrap() & bit(libc::SIGTRAP) != 0;
        RemoteCalls::begin(self.pid(), tracee, stop, None, ignores_trap).unwrap()
    }

    /// Resumes the guest, has it read a byte and expects it to exit with it.
    pub fn goes_on(mut self, calls: RemoteCalls) {
        // Where it ignores traps, the read is restarted by way of one more stop.
        let stops_again = calls.end == End::SyscallExit;
        let (tracee, signal) = calls.finish().unwrap();
        assert_eq!(signal, 0);
        tracee.resume(Resume::Continue, 0).unwrap();
        if stops_again {
            self.stop(Stop::Trap).resume(Resume::Continue, 0).unwrap();
        }
        self.answer.write_all(&[42]).unwrap();
        assert_eq!(self.child.wait_exit().unwrap().code(), Some(42));
    }
}

pub fn ignore_traps() {
    // SAFETY: `signal(2)` is async-signal-safe.
    unsafe { libc::signal(libc::SIGTRAP, libc::SIG_IGN) };
}

/// Where the image of the tests is mapped, and what is behind it.
pub const CODE: u64 = 0x7000_0000;
pub const DATA: u64 = CODE + 4 * PAGE;

/// An image with a stub, and a page of shared memory.
pub const IMAGE: Image<'static> = Image {
    len: 2 * PAGE as usize,
    contents: &[(0, Stub::CODE), (PAGE as usize, b"data")],
    parts: &[
        Part {
            address: CODE,
            len: PAGE,
            offset: 0,
            protection: libc::PROT_READ | libc::PROT_EXEC,
            kind: libc::MAP_PRIVATE,
        },
        Part {
            address: DATA,
            len: PAGE,
            offset: PAGE,
            protection: libc::PROT_READ | libc::PROT_WRITE,
            kind: libc::MAP_SHARED,
        },
    ],
    stub: Stub::at(CODE),
    room: 1024,
    mmap_stops: false,
};

/// Room for so many calls in the shared page.
pub fn room(memory: &SharedMemory, calls: usize) -> Room<'_> {
    Room { memory, offset: PAGE as usize, address: DATA, calls }
}

/// Installs a filter that returns this for one call, and lets others pass.
pub fn install_filter(number: c_long, value: u32) {
    let instruction = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let mut code = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number as u32),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: code.as_mut_ptr() };
    // SAFETY: the kernel reads the program, which lives through the calls.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program);
    }
}
