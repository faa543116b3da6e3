//! The image: the agent as it runs in the guest, at a fixed address, with nothing around it.
//!
//! `build.rs` compiles this file for itself, and links it with nothing: a panic or a call of
//! `memcpy` fails to link. What it does is in `src/guest`; here is only what ties
//! that to the machine.
#![no_std]
#![allow(dead_code, reason = "some of what is shared is for the supervisor or for tests")]

use core::arch::global_asm;
use core::mem::offset_of;

#[path = "../src/abi.rs"]
mod abi;
#[path = "../src/guest/mod.rs"]
mod guest;

use abi::{Frame, Site, slot};
use guest::Machine;
use guest::call::Course;
use guest::slot::Slot;
use guest::tables::{Paths, Tables};

global_asm!(
    include_str!("entry.s"),
    ARENA_TAG = const ((abi::ARENA >> 32) as u32).swap_bytes(),
    SITE_CALL = const offset_of!(Site, call),
    SITE_AFTER = const offset_of!(Site, after),
    STACK = const slot::STACK,
    ARGS = const slot::ARGS,
    MADE = const slot::MADE,
    GATE = const slot::GATE,
    INSIDE = const slot::INSIDE,
    SHUT = const slot::SHUT,
    // `asm/unistd_64.h`, `linux/prctl.h`, `asm/signal.h`, `asm-generic/siginfo.h`.
    RT_SIGACTION = const 13,
    RT_SIGRETURN = const 15,
    GETPID = const 39,
    PRCTL = const 157,
    GETTID = const 186,
    TGKILL = const 234,
    PR_SET_SYSCALL_USER_DISPATCH = const 59,
    SIGSYS = const 31,
    SYS_USER_DISPATCH = const 2,
    // Places in the flags.
    OVERFLOW = const 11,
    DIRECTION = const 10,
    // So many bytes are copied one by one.
    FEW = const 8,
    // Offsets in a `siginfo_t` and a `struct ucontext` (`asm-generic/ucontext.h`).
    SI_CODE = const 8,
    SI_CALL_ADDR = const 16,
    UC_RIP = const 168,
    RAX = const slot::FRAME as usize + offset_of!(Frame, rax),
    RDI = const slot::FRAME as usize + offset_of!(Frame, rdi),
    RSI = const slot::FRAME as usize + offset_of!(Frame, rsi),
    RDX = const slot::FRAME as usize + offset_of!(Frame, rdx),
    R10 = const slot::FRAME as usize + offset_of!(Frame, r10),
    R8 = const slot::FRAME as usize + offset_of!(Frame, r8),
    R9 = const slot::FRAME as usize + offset_of!(Frame, r9),
    RBX = const slot::FRAME as usize + offset_of!(Frame, rbx),
    RBP = const slot::FRAME as usize + offset_of!(Frame, rbp),
    R12 = const slot::FRAME as usize + offset_of!(Frame, r12),
    R13 = const slot::FRAME as usize + offset_of!(Frame, r13),
    R14 = const slot::FRAME as usize + offset_of!(Frame, r14),
    R15 = const slot::FRAME as usize + offset_of!(Frame, r15),
    RSP = const slot::FRAME as usize + offset_of!(Frame, rsp),
    FLAGS = const slot::FRAME as usize + offset_of!(Frame, flags),
    SITE = const slot::FRAME as usize + offset_of!(Frame, site),
);

/// A word, and 1 if it could be read.
#[repr(C)]
struct Word {
    value: u64,
    readable: u64,
}

// SAFETY: defined so in entry.s.
unsafe extern "C" {
    fn read_word(addr: u64) -> Word;
    fn read_bytes(to: *mut u8, from: u64, len: u64) -> u64;
    fn own_call(number: u64, a: u64, b: u64, c: u64, d: u64) -> u64;
    fn guests_call(number: u64, args: u64) -> u64;
}

/// The processor, and the guest's memory around us.
struct Here;

impl Machine for Here {
    fn now(&self) -> u64 {
        // SAFETY: every x86-64 processor has it.
        unsafe { core::arch::x86_64::_rdtsc() }
    }

    fn word(&self, addr: u64) -> Option<u64> {
        // SAFETY: where the memory is unreadable, the supervisor lets it return without a value.
        let word = unsafe { read_word(addr) };
        (word.readable != 0).then_some(word.value)
    }

    unsafe fn copy(&self, to: *mut u8, from: u64, len: u64) -> u64 {
        // SAFETY: `to` is writable, by contract; where the source is unreadable, the supervisor
        // lets it return with what is left.
        len - unsafe { read_bytes(to, from, len) }
    }

    fn make(&self, number: u64, [a, b, c, d]: [u64; 4]) -> u64 {
        // SAFETY: it changes nothing of the guest, by contract.
        unsafe { own_call(number, a, b, c, d) }
    }

    unsafe fn make_guests(&self, number: u64, args: u64) -> u64 {
        // SAFETY: the arguments are there, by contract, and it is what the guest wants to be done.
        unsafe { guests_call(number, args) }
    }
}

/// The head of the tables that the supervisor has mapped.
const HEAD: *const abi::Tables = abi::TABLES as *const abi::Tables;

/// The tables that the supervisor has mapped.
fn tables() -> Tables<'static> {
    // SAFETY: the supervisor maps the tables before any site is patched: read-only, with as many
    // ops behind the head as it says.
    unsafe { Tables { head: &*HEAD, ops: list(HEAD.add(1).cast(), (*HEAD).op_count).0 } }
}

/// What they say of paths.
fn paths() -> Paths<'static> {
    // SAFETY: as above; with all else that the head says behind the ops, in this order.
    unsafe {
        let counts = &(*HEAD).paths;
        let (_, rest) = list::<abi::Op>(HEAD.add(1).cast(), (*HEAD).op_count);
        let (arguments, rest) = list(rest, counts.argument_count);
        let (places, rest) = list(rest, counts.place_count);
        let (aliases, rest) = list(rest, counts.alias_count);
        let (names, rest) = list(rest, counts.name_count);
        let (bytes, _) = list(rest, counts.byte_count);
        Paths { flags: counts.flags, arguments, places, aliases, names, bytes }
    }
}

/// So many values from there on, and what lies behind them.
///
/// # Safety
/// They lie there, aligned, and are not written.
unsafe fn list<T>(start: *const u8, count: u32) -> (&'static [T], *const u8) {
    let start: *const T = start.cast();
    // SAFETY: by contract.
    unsafe { (core::slice::from_raw_parts(start, count as usize), start.add(count as usize).cast()) }
}

/// What becomes of a call: 1, it is made; 0, it is left to the net; 2, it returns this value; 3, it is
/// made with other arguments.
#[repr(C)]
struct Said {
    course: u64,
    value: u64,
}

/// Called by `entry`. It finds the two in rax and rdx.
#[unsafe(no_mangle)]
extern "C" fn before(base: *mut u8) -> Said {
    // SAFETY: `entry` has seen that %gs points to a slot.
    let slot = unsafe { Slot::at(base, (*HEAD).ring_len) };
    match guest::call::before(&Here, slot, &tables(), paths) {
        Course::Net => Said { course: 0, value: 0 },
        Course::Made => Said { course: 1, value: 0 },
        Course::Changed => Said { course: 3, value: 0 },
        Course::Answered(value) => Said { course: 2, value },
    }
}

/// Called by `after`, with what the call returned.
#[unsafe(no_mangle)]
extern "C" fn returned_from(base: *mut u8, result: u64) {
    // SAFETY: `entry` has seen that %gs points to a slot.
    let slot = unsafe { Slot::at(base, (*HEAD).ring_len) };
    guest::call::after(&Here, slot, &tables(), result);
}
