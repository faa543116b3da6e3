//! A site with a trampoline, and calls through them with any registers.

use std::arch::global_asm;
use std::sync::{Mutex, PoisonError};

use agent::abi::Site;
use agent::image::SYMBOLS;

/// Indices of [`Registers::general`].
pub const RAX: usize = 0;
pub const RDI: usize = 1;
pub const RSI: usize = 2;
pub const RDX: usize = 3;
pub const R11: usize = 14;
pub const RSP: usize = 15;

/// All registers but `rip`: `rax rdi rsi rdx r10 r8 r9 rbx rbp r12 r13 r14 r15 rcx r11 rsp`.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    pub general: [u64; 16],
    pub flags: u64,
}

global_asm!(
    ".data",
    ".balign 8",
    "site_before: .zero 136",
    "site_behind: .zero 136",
    "site_target: .quad 0",
    "site_host: .quad 0",
    "site_entry: .quad {ENTRY}",
    // As `abi::Site`.
    ".globl site_pair, loop_pair",
    "site_pair: .quad site_call, site_after",
    "loop_pair: .quad loop_call, loop_after",
    ".text",
    // site_run(registers before: rdi, behind: rsi, target: rdx)
    ".globl site_run, site_call, site_after, site_trampoline",
    "site_run:",
    "push rbx; push rbp; push r12; push r13; push r14; push r15; push rsi",
    "mov [rip + site_target], rdx",
    "mov [rip + site_host], rsp",
    "mov rsi, rdi",
    "lea rdi, [rip + site_before]",
    "mov ecx, 17",
    "rep movsq",
    "push [rip + site_before + 128]",
    "popfq",
    "mov rax, [rip + site_before]",
    "mov rdi, [rip + site_before + 8]",
    "mov rsi, [rip + site_before + 16]",
    "mov rdx, [rip + site_before + 24]",
    "mov r10, [rip + site_before + 32]",
    "mov r8, [rip + site_before + 40]",
    "mov r9, [rip + site_before + 48]",
    "mov rbx, [rip + site_before + 56]",
    "mov rbp, [rip + site_before + 64]",
    "mov r12, [rip + site_before + 72]",
    "mov r13, [rip + site_before + 80]",
    "mov r14, [rip + site_before + 88]",
    "mov r15, [rip + site_before + 96]",
    "mov rcx, [rip + site_before + 104]",
    "mov r11, [rip + site_before + 112]",
    "mov rsp, [rip + site_before + 120]",
    "jmp [rip + site_target]",
    "site_call:",
    "syscall",
    "site_after:",
    "mov [rip + site_behind], rax",
    "mov [rip + site_behind + 8], rdi",
    "mov [rip + site_behind + 16], rsi",
    "mov [rip + site_behind + 24], rdx",
    "mov [rip + site_behind + 32], r10",
    "mov [rip + site_behind + 40], r8",
    "mov [rip + site_behind + 48], r9",
    "mov [rip + site_behind + 56], rbx",
    "mov [rip + site_behind + 64], rbp",
    "mov [rip + site_behind + 72], r12",
    "mov [rip + site_behind + 80], r13",
    "mov [rip + site_behind + 88], r14",
    "mov [rip + site_behind + 96], r15",
    "mov [rip + site_behind + 104], rcx",
    "mov [rip + site_behind + 112], r11",
    "mov [rip + site_behind + 120], rsp",
    "mov rsp, [rip + site_host]",
    "pushfq",
    "pop [rip + site_behind + 128]",
    "push 2",
    "popfq",
    "pop rdi",
    "lea rsi, [rip + site_behind]",
    "mov ecx, 17",
    "rep movsq",
    "pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx",
    "ret",
    "site_trampoline:",
    "lea r11, [rip + site_pair]",
    "jmp [rip + site_entry]",
    // loop_run(target: rdi, number: rsi, times: rdx)
    ".globl loop_run, loop_call, loop_after, loop_trampoline",
    "loop_run:",
    "push rbx; push r12; push r13",
    "mov rbx, rdi; mov r12, rsi; mov r13, rdx",
    "2:",
    "mov rax, r12",
    "jmp rbx",
    "loop_call:",
    "syscall",
    "loop_after:",
    "dec r13",
    "jnz 2b",
    "pop r13; pop r12; pop rbx",
    "ret",
    "loop_trampoline:",
    "lea r11, [rip + loop_pair]",
    "jmp [rip + site_entry]",
    ENTRY = const SYMBOLS.entry,
);

// SAFETY: defined so above.
unsafe extern "C" {
    static site_pair: Site;
    fn site_run(before: *const Registers, behind: *mut Registers, target: u64);
    fn site_call();
    fn site_trampoline();
    fn loop_run(target: u64, number: u64, times: u64);
    fn loop_call();
    fn loop_trampoline();
}

/// The site itself: the call as it is without an agent.
pub fn native() -> u64 {
    site_call as *const () as u64
}

/// The way through the agent.
pub fn trampoline() -> u64 {
    site_trampoline as *const () as u64
}

/// The address behind the site.
pub fn after() -> u64 {
    // SAFETY: written by nobody.
    unsafe { site_pair.after }
}

/// The site of [`call_often`].
pub fn loop_native() -> u64 {
    loop_call as *const () as u64
}

/// The way of [`call_often`] through the agent.
pub fn loop_by_agent() -> u64 {
    loop_trampoline as *const () as u64
}

/// Makes a call by [`native`] or [`trampoline`]. Returns the registers behind the site.
pub fn call(target: u64, registers: &Registers) -> Registers {
    // The assembly keeps registers in static memory.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut behind = registers.clone();
    // SAFETY: puts the host's registers back, but for those that a function may change. What the
    // call itself does is for the caller to know.
    unsafe { site_run(registers, &mut behind, target) };
    behind
}

/// Makes a call without arguments so many times, by [`loop_native`] or [`loop_by_agent`].
pub fn call_often(target: u64, number: u64, times: u32) {
    // SAFETY: as for `call`; the assembly saves what it uses.
    unsafe { loop_run(target, number, times.into()) };
}
