//! Steps through the agent, and looks at each instruction for the guest's registers where
//! [`agent::abi::Symbols`] says that a supervisor finds them.

use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use agent::abi::{Frame, IMAGE, TABLES, slot};
use agent::image::SYMBOLS;
use libc::{c_int, c_void};

use crate::guest::{Guest, RECORDED, SLOT_LEN};
use crate::site::{self, RAX, RSP, Registers};

/// The trap flag, and the resume flag that it may leave.
const STEPPING: u64 = 0x1_0100;
const TRAP: u64 = 0x100;

/// What is compared at each instruction.
struct Watch {
    slot: u64,
    /// Whether the handler makes a call through the agent, instead of looking at registers.
    nested: bool,
    before: Registers,
    /// `rax` behind the call.
    result: u64,
    /// How many instructions of the agent there were.
    steps: AtomicU64,
    /// The first at which something was amiss; 0 if there was none.
    amiss: AtomicU64,
}

static WATCH: AtomicPtr<Watch> = AtomicPtr::new(ptr::null_mut());

/// Makes a call through the agent, step by step. Returns how many instructions of the agent there
/// were, and the first at which the guest's registers were not to be found. If `nested`, a signal
/// handler makes a call through the agent at each of them instead of looking.
pub fn through(guest: &Guest, call: &Registers, result: u64, nested: bool) -> (u64, Option<u64>) {
    let mut before = call.clone();
    before.flags |= TRAP;
    let mut watch = Watch {
        slot: guest.base(),
        nested,
        before,
        result,
        steps: AtomicU64::new(0),
        amiss: AtomicU64::new(0),
    };
    // SAFETY: the handler looks at nothing but the watch, which lives until it is taken back.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = look as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        assert_eq!(libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut()), 0);
    }
    WATCH.store(&mut watch, Ordering::Release);
    let behind = site::call(site::trampoline(), &watch.before);
    WATCH.store(ptr::null_mut(), Ordering::Release);
    assert_eq!(behind.general[RAX], result);
    assert_eq!(behind.general[1..13], watch.before.general[1..13]);
    assert_eq!(behind.general[RSP], watch.before.general[RSP]);
    let amiss = watch.amiss.into_inner();
    (watch.steps.into_inner(), (amiss != 0).then_some(amiss))
}

extern "C" fn look(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set by `through`, which waits for us.
    let Some(watch) = (unsafe { WATCH.load(Ordering::Acquire).as_ref() }) else { return };
    // SAFETY: the kernel hands a handler the registers of where it was called.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let rip = registers[libc::REG_RIP as usize] as u64;
    if !(IMAGE..TABLES).contains(&rip) {
        return;
    }
    watch.steps.fetch_add(1, Ordering::Relaxed);
    if watch.nested {
        return site::call_often(site::loop_by_agent(), RECORDED, 1);
    }
    let fine = if (SYMBOLS.entry..SYMBOLS.saved).contains(&rip) {
        watch.sees_live(registers, watch.before.general[RAX], false)
    } else if (SYMBOLS.call + 1..SYMBOLS.remote).contains(&rip)
        || (SYMBOLS.after..SYMBOLS.returned).contains(&rip)
    {
        watch.sees_live(registers, watch.result, true)
    } else {
        watch.sees_saved()
    };
    if !fine {
        let _ = watch.amiss.compare_exchange(0, rip, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Watch {
    /// Whether the guest's registers are where it has them; its arguments in the frame, if they are
    /// `saved`.
    fn sees_live(&self, registers: &[i64; 23], rax: u64, saved: bool) -> bool {
        use libc::{
            REG_R8, REG_R9, REG_R10, REG_R12, REG_R13, REG_R14, REG_R15, REG_RBP, REG_RBX, REG_RDI,
            REG_RDX, REG_RSI,
        };
        const ORDER: [c_int; 12] = [
            REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9, REG_RBX, REG_RBP, REG_R12, REG_R13,
            REG_R14, REG_R15,
        ];
        const ARGUMENTS: usize = 6;
        let live = |register: c_int| registers[register as usize] as u64;
        let found = |index: usize| match saved && index < ARGUMENTS {
            true => self.saved(8 * (index + 1)),
            false => live(ORDER[index]),
        };
        let mut rsp = live(libc::REG_RSP);
        if (self.slot..self.slot + SLOT_LEN).contains(&rsp) {
            rsp = self.saved(offset_of!(Frame, rsp));
        }
        let flags = (live(libc::REG_EFL) ^ self.before.flags) & !STEPPING;
        (0..ORDER.len()).all(|index| found(index) == self.before.general[1 + index])
            && live(libc::REG_RAX) == rax
            && rsp == self.before.general[RSP]
            && flags == 0
    }

    /// Whether they are in the frame.
    fn sees_saved(&self) -> bool {
        // Which of the two values `rax` has is told by the slot.
        let made = self.word(slot::MADE) == 1;
        let rax = if made { self.result } else { self.before.general[RAX] };
        let flags = (self.saved(offset_of!(Frame, flags)) ^ self.before.flags) & !STEPPING;
        (1..13).all(|index| self.saved(8 * index) == self.before.general[index])
            && self.saved(offset_of!(Frame, rax)) == rax
            && self.saved(offset_of!(Frame, rsp)) == self.before.general[RSP]
            && flags == 0
    }

    fn saved(&self, offset: usize) -> u64 {
        self.word(slot::FRAME + offset as u64)
    }

    fn word(&self, offset: u64) -> u64 {
        // SAFETY: in the slot, which stays mapped.
        unsafe { ((self.slot + offset) as *const u64).read_volatile() }
    }
}
