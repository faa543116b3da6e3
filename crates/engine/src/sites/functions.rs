//! Where functions begin and end, by the unwind tables and the symbols of a file.
//!
//! The unwind tables come first, since every file has them that a C compiler made, stripped or
//! not; then what Go has instead of them, then symbols. Code between two symbols belongs to functions that have lost theirs, as the
//! static functions of a stripped musl: there it is known at least that an instruction begins
//! where the last function ended.

use std::io;
use std::ops::Range;

use super::text::{Named, Text};
use crate::eh_frame::Unwind;
use crate::elf::{Symbol, SymbolKind};

/// The longest function, or stretch of code without a symbol, that is read, in bytes.
const FUNCTION_MAX: u64 = 1 << 20;
/// The most labels that are expected within a function.
const LABELS_MAX: usize = 64;

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
        let unwind = Unwind::read(&self.elf)?;
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
        let Some(begin) = below.iter().map(Named::end).max() else { return Ok(None) };
        let code_end = self.elf.code_at(vaddr).map_or(vaddr, |part| part.range().end);
        let end = above.first().map_or(code_end, |next| next.vaddr.min(code_end));
        Ok(Some(begin..end))
    }

    /// The named addresses in code, in their order.
    pub(super) fn symbols(&self) -> io::Result<&[Named]> {
        if let Some(symbols) = self.symbols.get() {
            return Ok(symbols);
        }
        let mut symbols = Vec::new();
        for table in self.elf.symbol_tables() {
            let in_code = table.symbols()?.filter(|symbol| self.is_in_code(symbol));
            symbols.extend(in_code.map(|Symbol { vaddr, len, .. }| Named { vaddr, len }));
        }
        symbols.sort_unstable();
        symbols.dedup();
        Ok(self.symbols.get_or_init(|| symbols))
    }

    fn is_in_code(&self, symbol: &Symbol) -> bool {
        symbol.kind != SymbolKind::Other && self.elf.code_at(symbol.vaddr).is_some()
    }

    /// A range, if all of it is code and it is not too long.
    fn within_code(&self, range: Range<u64>) -> Option<Range<u64>> {
        let part = self.elf.code_at(range.start)?.range();
        let len = range.end.checked_sub(range.start)?;
        (len <= FUNCTION_MAX && range.end <= part.end).then_some(range)
    }
}
