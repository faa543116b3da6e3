//! This process as a guest: it has the image and tables, and each test's thread a slot.

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use agent::abi::{
    self, CALLS, Call, Op, PathArgument, PathRules, Place, RING_LEN, Tables, Text, When, count, op,
    slot, trim, when,
};
use agent::image::{IMAGE_BYTES, SYMBOLS};
use libc::{c_int, c_void};

/// Calls without arguments, and what the tables say of them.
pub const RECORDED: u64 = libc::SYS_getppid as u64;
pub const PASSED: u64 = libc::SYS_getuid as u64;
pub const UNCLAIMED: u64 = libc::SYS_getgid as u64;

/// A call with a path that is changed.
pub const CHANGED: u64 = libc::SYS_access as u64;
const TEXTS: &[u8] = b"/place/dev";

/// `AT_HWCAP2`: user code may use `rdgsbase`.
const HWCAP2_FSGSBASE: u64 = 2;
const ARCH_SET_GS: c_int = 0x1001;
/// How many slots there are: one for each test.
const SLOTS: u64 = 64;
/// Size of each, in bytes.
pub const SLOT_LEN: u64 = abi::slot_len(RING_LEN);

/// A thread with a slot, for as long as this lives.
pub struct Guest {
    base: u64,
}

impl Guest {
    /// Makes the current thread a guest's; `None`, and a word why, where there are no agents.
    pub fn new() -> Option<Guest> {
        static MAPPED: OnceLock<()> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // SAFETY: no more than a look at the auxiliary vector.
        if unsafe { libc::getauxval(libc::AT_HWCAP2) } & HWCAP2_FSGSBASE == 0 {
            println!("skipped: no rdgsbase here");
            return None;
        }
        MAPPED.get_or_init(map_all);
        alternate_stack();
        let index = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(index < SLOTS);
        let guest = Guest { base: abi::ARENA + index * SLOT_LEN };
        guest.set_gs(guest.base);
        Some(guest)
    }

    pub fn set_gs(&self, base: u64) {
        // SAFETY: nothing in this process but the agent uses %gs.
        assert_eq!(unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_GS, base) }, 0);
    }

    /// Where the slot is.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// A word of the slot.
    pub fn word(&self, offset: u64) -> u64 {
        // SAFETY: in the arena, which stays mapped.
        unsafe { ((self.base + offset) as *const u64).read_volatile() }
    }

    /// Writes a word of the slot.
    pub fn set_word(&self, offset: u64, value: u64) {
        // SAFETY: in the arena, which stays mapped, and in which no reference points.
        unsafe { ((self.base + offset) as *mut u64).write_volatile(value) };
    }

    /// Has calls that dispatch stops go to the image's handler.
    pub fn handle_orphans(&self) {
        /// `SA_RESTORER` of `asm/signal.h`.
        const RESTORER: u64 = 0x0400_0000;
        let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK) as u64 | RESTORER;
        let action = [SYMBOLS.orphaned, flags, SYMBOLS.restore, u64::MAX];
        let set = libc::SYS_rt_sigaction;
        // SAFETY: the kernel's `struct sigaction`; the handler is made for the signal.
        assert_eq!(unsafe { libc::syscall(set, libc::SIGSYS, &action, 0, 8) }, 0);
    }

    /// From the next call on the thread's calls raise signals, but for those of the trusted page.
    /// Returns whether there is such a thing.
    pub fn dispatch(&self) -> bool {
        /// `PR_SET_SYSCALL_USER_DISPATCH` and `PR_SYS_DISPATCH_ON` of `linux/prctl.h`.
        const SET: c_int = 59;
        const ON: c_int = 1;
        let (start, selector) = (abi::IMAGE, self.base + slot::SELECTOR);
        // SAFETY: the selector lies in the slot, which stays mapped.
        let done = unsafe { libc::prctl(SET, ON, start, abi::TRUSTED_LEN, selector) } == 0;
        self.set_word(slot::SELECTOR, done.into());
        done
    }

    /// Takes all out of the ring.
    pub fn drain(&mut self) -> Vec<u8> {
        let (tail, head) = (self.word(slot::TAIL), self.word(slot::HEAD));
        let at = |position| self.word(slot::RING + position % RING_LEN);
        let drained = (tail..head).step_by(8).flat_map(|position| at(position).to_le_bytes());
        let drained = drained.collect();
        self.set_word(slot::TAIL, head);
        drained
    }

    /// Where readable memory ends, after a page of `x`.
    pub fn edge(&self) -> u64 {
        let pages = map(0, 2 * 4096, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: just mapped.
        unsafe {
            ptr::write_bytes(pages, b'x', 4096);
            assert_eq!(libc::munmap(pages.add(4096).cast(), 4096), 0);
        }
        pages as u64 + 4096
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.set_gs(0);
    }
}

/// Maps memory at `addr`, or anywhere if that is 0.
fn map(addr: u64, len: usize, protection: c_int) -> *mut u8 {
    let fixed = if addr == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed;
    // SAFETY: replaces nothing.
    let mapped = unsafe { libc::mmap(addr as *mut c_void, len, protection, flags, -1, 0) };
    assert!(mapped != libc::MAP_FAILED && (addr == 0 || mapped as u64 == addr));
    mapped.cast()
}

fn map_all() {
    let write = libc::PROT_READ | libc::PROT_WRITE;
    let image = map(abi::IMAGE, IMAGE_BYTES.len(), write);
    let (head, ops) = tables();
    let rules = rules();
    let tables = map(abi::TABLES, size_of::<Tables>() + size_of_val(&ops[..]) + rules.len(), write);
    map(abi::ARENA, (SLOTS * SLOT_LEN) as usize, write);
    // SAFETY: just mapped, large enough; nothing else refers to it yet.
    unsafe {
        image.copy_from_nonoverlapping(IMAGE_BYTES.as_ptr(), IMAGE_BYTES.len());
        tables.cast::<Tables>().write(head);
        let behind = tables.cast::<Tables>().add(1).cast::<Op>();
        behind.copy_from(ops.as_ptr(), ops.len());
        behind.add(ops.len()).cast::<u8>().copy_from(rules.as_ptr(), rules.len());
        let execute = libc::PROT_READ | libc::PROT_EXEC;
        assert_eq!(libc::mprotect(image.cast(), IMAGE_BYTES.len(), execute), 0);
        assert_eq!(libc::mprotect(tables.cast(), size_of::<Tables>(), libc::PROT_READ), 0);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = fix_up as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            assert_eq!(libc::sigaction(signal, &action, ptr::null_mut()), 0);
        }
    }
}

fn tables() -> (Tables, Vec<Op>) {
    let path = Op { kind: op::STR, trim: trim::WHOLE, ..Op::default() };
    let data = Op { kind: op::BLOCK, register: 1, number: 2, size: 1, ..Op::default() };
    let ops =
        vec![path, Op { count: count::RESULT, ..data }, Op { count: count::REGISTER, ..data }];
    let mut calls = [Call::default(); CALLS];
    let (entry_most, exit_most) = (Call::UNBOUNDED, Call::UNBOUNDED);
    let recorded = Call { flags: Call::RECORDED, entry_most, exit_most, ..Call::default() };
    calls[RECORDED as usize] = recorded;
    calls[PASSED as usize].flags = Call::PASSED;
    calls[libc::SYS_open as usize] = Call { entry: 0, entry_count: 1, ..recorded };
    calls[libc::SYS_read as usize] = Call { exit: 1, exit_count: 1, ..recorded };
    calls[libc::SYS_write as usize] = Call { entry: 2, entry_count: 1, ..recorded };
    calls[CHANGED as usize] =
        Call { flags: Call::RECORDED | Call::PATHS, entry_count: 1, ..recorded };
    let (op_count, ring_len) = (ops.len() as u32, RING_LEN as u32);
    let paths = PathRules {
        argument_count: 1,
        place_count: 1,
        byte_count: TEXTS.len() as u32,
        ..PathRules::default()
    };
    (Tables { string_limit: 32, element_limit: 32, op_count, ring_len, paths, calls }, ops)
}

/// What lies behind the ops: the path in the first argument, and that [`CHANGED`] finds the host's
/// `/dev` at `/place`.
fn rules() -> Vec<u8> {
    let follows = When { kind: when::ALWAYS, ..When::default() };
    let directory = PathArgument::WORKING;
    let argument = PathArgument { directory, follows, ..PathArgument::default() };
    let (guest, host) = (Text { at: 0, len: 6 }, Text { at: 6, len: 4 });
    let place = Place { guest, host, flags: 0 };
    let words = [argument.words(), place.words()].concat();
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend_from_slice(TEXTS);
    bytes
}

/// Gives the current thread a stack for signal handlers: the registers of a call need not have one.
fn alternate_stack() {
    const LEN: usize = 0x1_0000;
    let stack = map(0, LEN, libc::PROT_READ | libc::PROT_WRITE);
    let stack = libc::stack_t { ss_sp: stack.cast(), ss_flags: 0, ss_size: LEN };
    // SAFETY: just mapped, and never unmapped.
    assert_eq!(unsafe { libc::sigaltstack(&stack, ptr::null_mut()) }, 0);
}

/// Does what the supervisor does at the agent's faults.
extern "C" fn fix_up(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands a handler the registers that it will put back.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let rip = &mut registers[libc::REG_RIP as usize];
    match SYMBOLS.faults.iter().find(|(fault, _)| *fault == *rip as u64) {
        Some((_, resume)) => *rip = *resume as i64,
        // SAFETY: one of the few functions that a handler may call.
        None => unsafe { libc::_exit(101) },
    }
}
