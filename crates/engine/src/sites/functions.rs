//! Where functions begin and end, by the unwind tables and the symbols of a file.
//!
//! The unwind tables come first, since every file has them that a C compiler made, stripped or
//! not; then what Go has instead of them, then symbols. Code between two symbols belongs to functions that have lost theirs, as the
//! static functions of a stripped musl: there it is known at least that an instruction begins
//! where the last function ended.

use std::io;
use std::ops::Range;

use gimli::{BaseAddresses, EhFrame, EhFrameOffset, LittleEndian, UnwindSection};

use super::elf::{Part, Text, i32_at, u16_at, u32_at, u64_at};

const SYMBOL_LEN: usize = 24;
const STT_NOTYPE: u8 = 0;
const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;
const SHN_UNDEF: u16 = 0;

/// The longest function, or stretch of code without a symbol, that is read, in bytes.
const FUNCTION_MAX: u64 = 1 << 20;
/// The most labels that are expected within a function.
const LABELS_MAX: usize = 64;

/// A named address in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    /// Its address.
    pub vaddr: u64,
    /// Size of what it names, in bytes; 0 if that is not known.
    pub len: u64,
}

impl Symbol {
    fn end(&self) -> u64 {
        self.vaddr.saturating_add(self.len)
    }
}

/// The unwind tables (`.eh_frame_hdr` and `.eh_frame`).
#[derive(Debug)]
pub(super) struct Unwind {
    hdr: Part,
    /// The search table: pairs of a function's beginning and its entry's address, both relative to
    /// the address of `.eh_frame_hdr`, in ascending order.
    rows: Vec<(i32, i32)>,
    frame: Part,
    entries: Vec<u8>,
}

impl Unwind {
    /// Reads the tables. None if the file has none, or in a format that no linker makes.
    fn read(text: &Text) -> io::Result<Option<Unwind>> {
        /// Version 1; a 32-bit pointer relative to itself; a 32-bit count; a table of 32-bit
        /// numbers relative to the beginning.
        const FORMAT: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
        const HEAD_LEN: usize = 12;
        let Some(hdr) = text.eh_frame_hdr() else { return Ok(None) };
        let bytes = text.read_part(&hdr)?;
        if bytes.len() < HEAD_LEN || !bytes.starts_with(&FORMAT) {
            return Ok(None);
        }
        let frame = hdr.vaddr.wrapping_add(4).wrapping_add_signed(i64::from(i32_at(&bytes, 4)));
        let Some(frame) = text.sections().find(|section| section.vaddr == frame) else {
            return Ok(None);
        };
        let count = u32_at(&bytes, 8) as usize;
        let rows = bytes[HEAD_LEN..].chunks_exact(8).take(count);
        let rows = rows.map(|row| (i32_at(row, 0), i32_at(row, 4))).collect();
        Ok(Some(Unwind { hdr, rows, frame, entries: text.read_part(&frame)? }))
    }

    /// Where the last function before the one ends that begins at an address.
    fn end_before(&self, begin: u64) -> Option<u64> {
        let relative = i32::try_from(begin.wrapping_sub(self.hdr.vaddr) as i64).ok()?;
        let index = self.rows.partition_point(|(begin, _)| *begin < relative);
        let (before, _) = *self.rows.get(index.checked_sub(1)?)?;
        let (this, _) = *self.rows.get(index)?;
        let before = self.hdr.vaddr.wrapping_add_signed(before.into());
        let end = self.function(before)?.end;
        (this == relative && end <= begin).then_some(end)
    }

    /// The function that contains an address.
    fn function(&self, vaddr: u64) -> Option<Range<u64>> {
        let relative = i32::try_from(vaddr.wrapping_sub(self.hdr.vaddr) as i64).ok()?;
        let behind = self.rows.partition_point(|(begin, _)| *begin <= relative);
        let (_, entry) = self.rows[..behind].last()?;
        let entry = self.hdr.vaddr.wrapping_add_signed(i64::from(*entry));
        let offset = usize::try_from(entry.checked_sub(self.frame.vaddr)?).ok()?;

        let frame = EhFrame::new(&self.entries, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(self.frame.vaddr);
        let entry =
            frame.fde_from_offset(&bases, EhFrameOffset(offset), EhFrame::cie_from_offset).ok()?;
        // That of a signal's return begins one byte early, so that unwinders which look for the
        // byte before a return address find it.
        let early = u64::from(entry.is_signal_trampoline());
        let range = entry.initial_address().saturating_add(early)..entry.end_address();
        range.contains(&vaddr).then_some(range)
    }
}

impl Text {
    /// The addresses of the function that contains an address, or of the code between two
    /// functions. An instruction begins at the first.
    pub(super) fn function(&self, vaddr: u64) -> io::Result<Option<Range<u64>>> {
        if let Some(range) = self.unwind()?.and_then(|unwind| unwind.function(vaddr)) {
            return Ok(self.within_code(range));
        }
        if let Some(range) = self.go_function(vaddr)? {
            return Ok(self.within_code(range));
        }
        Ok(self.by_symbol(vaddr)?.and_then(|range| self.within_code(range)))
    }

    /// Where the last function before the one ends that begins at an address, where the unwind
    /// tables know both.
    pub(super) fn end_before(&self, begin: u64) -> io::Result<Option<u64>> {
        Ok(self.unwind()?.and_then(|unwind| unwind.end_before(begin)))
    }

    fn unwind(&self) -> io::Result<Option<&Unwind>> {
        if let Some(unwind) = self.unwind.get() {
            return Ok(unwind.as_ref());
        }
        let unwind = Unwind::read(self)?;
        Ok(self.unwind.get_or_init(|| unwind).as_ref())
    }

    /// The function that contains an address, or the stretch between two, by symbols.
    fn by_symbol(&self, vaddr: u64) -> io::Result<Option<Range<u64>>> {
        let symbols = self.symbols()?;
        let (below, above) = symbols.split_at(symbols.partition_point(|s| s.vaddr <= vaddr));
        // Not only the last: there may be labels within a function.
        let below = &below[below.len().saturating_sub(LABELS_MAX)..];
        if let Some(around) = below.iter().find(|symbol| vaddr < symbol.end()) {
            return Ok(Some(around.vaddr..around.end()));
        }
        let Some(begin) = below.iter().map(Symbol::end).max() else { return Ok(None) };
        let code_end = self.code_at(vaddr).map_or(vaddr, |part| part.range().end);
        let end = above.first().map_or(code_end, |next| next.vaddr.min(code_end));
        Ok(Some(begin..end))
    }

    /// The symbols in code, by address.
    pub(super) fn symbols(&self) -> io::Result<&[Symbol]> {
        if let Some(symbols) = self.symbols.get() {
            return Ok(symbols);
        }
        let mut symbols = Vec::new();
        for section in self.symbol_sections() {
            let bytes = self.read_part(&section)?;
            symbols.extend(bytes.chunks_exact(SYMBOL_LEN).filter_map(|entry| self.symbol(entry)));
        }
        symbols.sort_unstable();
        symbols.dedup();
        Ok(self.symbols.get_or_init(|| symbols))
    }

    /// An entry of a symbol table, if it is of code in this file.
    fn symbol(&self, entry: &[u8]) -> Option<Symbol> {
        let kind = entry[4] & 0xf;
        let code = [STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC].contains(&kind);
        if !code || u16_at(entry, 6) == SHN_UNDEF {
            return None;
        }
        let symbol = Symbol { vaddr: u64_at(entry, 8), len: u64_at(entry, 16) };
        self.code_at(symbol.vaddr).map(|_| symbol)
    }

    /// A range, if all of it is code and it is not too long.
    fn within_code(&self, range: Range<u64>) -> Option<Range<u64>> {
        let part = self.code_at(range.start)?.range();
        let len = range.end.checked_sub(range.start)?;
        (len <= FUNCTION_MAX && range.end <= part.end).then_some(range)
    }
}
