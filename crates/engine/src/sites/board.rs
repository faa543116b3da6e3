//! Unused bytes before a function, where a jump can be.

use std::io;

use iced_x86::{Decoder, DecoderOptions, Mnemonic};

use super::JUMP_LEN;
use super::Text;
use super::window::Board;

/// Compilers align functions to so many bytes at most, so that what lies between two is shorter.
const ALIGN_MAX: u64 = 64;

impl Text {
    /// What could be the board of a function: the unwind tables say that what lies before it is of
    /// no function, and all of it is such as fills a gap.
    pub(super) fn board_before(&self, begin: u64) -> io::Result<Option<Board>> {
        let Some(end) = self.end_before(begin)?.filter(|end| begin - end < ALIGN_MAX) else {
            return Ok(None);
        };
        let gap = self.read_code(end..begin)?;
        Ok(gap.last_chunk::<JUMP_LEN>().copied().filter(|_| is_padding(&gap)))
    }
}

/// Whether these bytes are instructions that do nothing, or stop.
fn is_padding(code: &[u8]) -> bool {
    let decoder = Decoder::new(64, code, DecoderOptions::NONE);
    decoder
        .into_iter()
        .all(|instruction| matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_does_nothing() {
        // nopw %cs:0(%rax,%rax); xchg %ax,%ax; nopl 0(%rax); int3; nop
        let nopw = [0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0];
        assert!(is_padding(&nopw) && is_padding(&[0x66, 0x90, 0x0f, 0x1f, 0, 0xcc, 0x90]));
        // One that is cut off, ret, xor %eax,%eax, endbr64.
        for code in [&nopw[..9], &[0x90, 0xc3], &[0x31, 0xc0], &[0xf3, 0x0f, 0x1e, 0xfa]] {
            assert!(!is_padding(code), "{code:x?}");
        }
    }
}
