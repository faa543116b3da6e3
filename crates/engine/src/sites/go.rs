//! The functions of a Go program, by the table that its runtime itself uses (`.gopclntab`): it is
//! there in stripped programs too, which have neither symbols nor unwind tables.
//!
//! Its layout is that of Go 1.20 and later, as `debug/gosym` of the standard library reads it.

use std::io;
use std::ops::Range;

use super::Text;
use crate::elf::{Part, u32_at, u64_at};

/// What the table begins with: its version, two zeros, and that instructions are aligned to one
/// byte and pointers have eight.
const MAGIC: [u8; 8] = [0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8];
const HEADER_LEN: u64 = 72;
/// How far the code of the section may reach beyond the last function, in bytes.
const PADDING_MAX: u64 = 64;

impl Text {
    /// The Go function that contains an address.
    pub(super) fn go_function(&self, vaddr: u64) -> io::Result<Option<Range<u64>>> {
        let starts = match self.go_functions.get() {
            Some(starts) => starts,
            None => {
                let starts = self.read_go_functions()?.unwrap_or_default();
                self.go_functions.get_or_init(|| starts)
            }
        };
        let behind = starts.partition_point(|start| *start <= vaddr);
        let around = behind.checked_sub(1).and_then(|index| starts.get(index..index + 2));
        Ok(around.map(|around| around[0]..around[1]))
    }

    /// Where Go functions begin, in ascending order, and where the last one ends.
    fn read_go_functions(&self) -> io::Result<Option<Vec<u64>>> {
        let Some((table, header)) = self.go_table()? else { return Ok(None) };
        let count = u64_at(&header, 8);
        let base = u64_at(&header, 24);
        let functions = u64_at(&header, 64);

        // Pairs of a function's beginning and of where more is said of it; at last, an end.
        let Some(len) = count.checked_mul(8).and_then(|len| len.checked_add(4)) else {
            return Ok(None);
        };
        if functions.checked_add(len).is_none_or(|end| end > table.len) {
            return Ok(None);
        }
        let bytes = self.elf.read_part(&Part {
            vaddr: table.vaddr.wrapping_add(functions),
            offset: table.offset.wrapping_add(functions),
            len,
        })?;
        let offsets: Vec<u64> = bytes.chunks(8).map(|pair| u64::from(u32_at(pair, 0))).collect();
        let Some(base) = self.go_base(base, offsets.last().copied().unwrap_or(0)) else {
            return Ok(None);
        };
        let starts: Vec<u64> = offsets.iter().map(|offset| base.saturating_add(*offset)).collect();
        Ok(starts.is_sorted().then_some(starts))
    }

    /// The address to which offsets refer. Many linkers leave it out of the file: then it is where
    /// the section begins, if all of the section is code of Go, of which there are `len` bytes.
    fn go_base(&self, base: u64, len: u64) -> Option<u64> {
        if base != 0 {
            return Some(base);
        }
        let fits = |part: &Part| part.len.checked_sub(len).is_some_and(|rest| rest < PADDING_MAX);
        let section =
            self.elf.sections().find(|part| self.elf.code_at(part.vaddr).is_some() && fits(part));
        section.map(|section| section.vaddr)
    }

    /// The section with the table, and its header.
    fn go_table(&self) -> io::Result<Option<(Part, Vec<u8>)>> {
        for section in self.elf.sections().filter(|section| section.len > HEADER_LEN) {
            let header = self.elf.read_part(&Part { len: HEADER_LEN, ..section })?;
            if header.starts_with(&MAGIC) {
                return Ok(Some((section, header)));
            }
        }
        Ok(None)
    }
}
