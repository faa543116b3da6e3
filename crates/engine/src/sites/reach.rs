//! Whether code outside of a function can branch to the instructions which a jump would cover.
//!
//! Functions are not closed: compilers put rarely executed parts of a function elsewhere, from
//! where they branch back into its middle, and hand-written code shares tails.

use std::io;
use std::ops::Range;

use super::Text;
use super::sweep::targets_in;
use super::window::Window;
use crate::elf::{Part, u32_at};

/// How far a short branch reaches, in bytes.
const SHORT: u64 = 128;
/// How much code is searched at once, in bytes.
const CHUNK: u64 = 1 << 16;
/// Size of the distance in a near branch, in bytes.
const REL32_LEN: u64 = 4;

impl Text {
    /// Code other than the window's function may branch into the bytes that its jump covers.
    pub(super) fn is_reached(&self, window: &Window, function: &Range<u64>) -> io::Result<bool> {
        let covered = match &window.board {
            Some(board) => window.start - board.len() as u64..window.start,
            None => window.start + 1..window.overwritten().end,
        };
        let named = self.symbols()?.iter().any(|symbol| covered.contains(&symbol.vaddr));
        Ok(named || self.neighbour_reaches(&covered, function)? || self.far_reaches(&covered)?)
    }

    /// A function beside this one branches into the range: as near as that, branches can be short.
    fn neighbour_reaches(&self, range: &Range<u64>, function: &Range<u64>) -> io::Result<bool> {
        let before = self.end_before(function.start)?.unwrap_or(function.start).wrapping_sub(1);
        let near = range.start.saturating_sub(SHORT)..range.end.saturating_add(SHORT);
        for vaddr in [before, function.end] {
            if !near.contains(&vaddr) {
                continue;
            }
            let Some(neighbour) = self.function(vaddr)? else { continue };
            let code = self.read_code(neighbour.clone())?;
            if !targets_in(&code, neighbour.start, range).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Something that looks like a near branch leads into the range, anywhere in the file's code.
    /// What looks like one may be none: then a window is lost, which is rare and does no harm.
    fn far_reaches(&self, range: &Range<u64>) -> io::Result<bool> {
        for part in self.elf.code() {
            for chunk in chunks(part) {
                let code = self.read_code(chunk.clone())?;
                if has_near_branch(&code, chunk.start, range) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The addresses of a part in pieces; each but the last overlaps the next by a branch's length.
fn chunks(part: &Part) -> impl Iterator<Item = Range<u64>> {
    const OVERLAP: u64 = 8;
    let range = part.range();
    (range.start..range.end).step_by(CHUNK as usize).map(move |start| {
        let end = start.saturating_add(CHUNK + OVERLAP);
        start..end.min(range.end)
    })
}

/// There are bytes that read as `call`, `jmp` or `jcc` with a 32-bit distance into the range.
fn has_near_branch(code: &[u8], begin: u64, range: &Range<u64>) -> bool {
    /// So many are looked at without a branch, so that the compiler can use vectors.
    const BLOCK: usize = 256;
    let Some(distances) = code.get(1..) else { return false };
    let count = distances.len().saturating_sub(REL32_LEN as usize - 1);
    (0..count).step_by(BLOCK).any(|first| {
        let end = count.min(first + BLOCK);
        let bytes = &distances[first..end + REL32_LEN as usize - 1];
        let next = begin.wrapping_add(first as u64 + 1 + REL32_LEN);
        leads_into(bytes, next, range)
            && (first..end).any(|index| is_branch(code, index, begin + index as u64, range))
    })
}

/// Some four of the bytes, as the distance from an address (for the first four; one more for each
/// further) lead into the range. Compares the lower halves of addresses only.
fn leads_into(bytes: &[u8], next: u64, range: &Range<u64>) -> bool {
    let len = (range.end - range.start) as u32;
    let base = (next as u32).wrapping_sub(range.start as u32);
    let mut found = false;
    for (index, distance) in bytes.windows(REL32_LEN as usize).enumerate() {
        let target = u32_at(distance, 0).wrapping_add(base).wrapping_add(index as u32);
        found |= target < len;
    }
    found
}

/// The bytes at an index, which are at this address, read as a near branch into the range.
fn is_branch(code: &[u8], index: usize, at: u64, range: &Range<u64>) -> bool {
    let is_opcode = match code[index] {
        0xe8 | 0xe9 => true,
        // Behind another byte, which may be in the chunk before.
        0x80..=0x8f => index.checked_sub(1).is_none_or(|before| code[before] == 0x0f),
        _ => false,
    };
    let next = at.wrapping_add(1 + REL32_LEN);
    let distance = i64::from(u32_at(code, index + 1).cast_signed());
    is_opcode && range.contains(&next.wrapping_add_signed(distance))
}
