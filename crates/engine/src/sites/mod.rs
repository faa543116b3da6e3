//! Decides how a `syscall` instruction of a guest can be patched, so that its calls go to the agent
//! without a stop.
//!
//! A *site* is the address of a `syscall` instruction. It is left intact: a 5-byte jump is put over
//! instructions before it, which are executed in a *trampoline* instead:
//!
//! ```text
//! start:  mov $0x27,%eax      start:  jmp trampoline        trampoline:  mov $0x27,%eax
//! site:   syscall             site:   syscall                            lea Site(%rip),%r11
//! after:  ret                 after:  ret                                jmp *entry(%rip)
//! ```
//!
//! So whatever reaches the site on another way (a jump, a restart by the kernel, a thread that is
//! in its call) finds what it expects, and its call goes through the net. The instructions from
//! `start` to the site are the [`Window`]; which one is chosen is told in [`window`].
//!
//! [`Text`] is an executable file, parsed as far as needed; [`Text::plan`] finds the window of a
//! site in it; [`Window::patch`] makes the bytes for one place in memory; [`gaps`] finds the room
//! for trampolines; [`Known`] remembers the windows of files, from one session to the next.
//! Nothing here touches a guest. Who writes a patch must see to it that
//! - the guest's memory is what the file says ([`Patch::expected`]);
//! - threads whose instruction is covered go on elsewhere ([`Patch::resume`]);
//! - no signal handler is going to return to a covered instruction ([`Patch::covered`]): a site
//!   before which a signal ever hit one is not patched.
//!
//! Addresses of a file (`vaddr`) are those of its program headers. The same byte is in memory at
//! the address plus the *bias*, which is a multiple of the page size. Within one mapping that holds
//! of offsets in the file as well, with another bias: so what is remembered, and looked up before
//! the file has been read, goes by offsets.

mod board;
mod cache;
mod decline;
mod functions;
pub mod gaps;
mod go;
mod known;
mod piece;
mod plan;
mod reach;
mod repeat;
mod sweep;
#[cfg(test)]
mod tests;
mod text;
mod trampoline;
pub mod window;

pub use crate::elf::BadFile;
pub use decline::Decline;
pub use known::{Code, Known};
pub use text::Text;
pub use trampoline::{Patch, TRAMPOLINE_MAX, Unreachable};
pub use window::Window;

/// Size of the jump that is written over a window's start, in bytes.
pub const JUMP_LEN: usize = 5;
/// Size of the short jump from a window's start to its board, in bytes.
pub const SHORT_JUMP_LEN: usize = 2;
/// The longest window, in bytes.
const RUN_MAX: u64 = 64;
/// A `syscall` instruction.
pub const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// Its size, in bytes.
pub const SYSCALL_LEN: u64 = SYSCALL.len() as u64;
