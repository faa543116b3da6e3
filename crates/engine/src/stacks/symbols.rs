//! The functions that a file has symbols of.

use std::sync::Arc;

use crate::demangle::demangle;
use crate::elf::{Elf, Names, SymbolKind};

/// The functions of a file, by address.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Address, table and place of the name in it; of several at one address the first one counts.
    functions: Vec<(u64, u32, u32)>,
    names: Vec<Names>,
}

impl Symbols {
    /// Reads the symbols of a file.
    pub fn read(elf: &Elf) -> Symbols {
        let mut symbols = Symbols::default();
        for table in elf.symbol_tables() {
            let (Ok(all), Ok(names)) = (table.symbols(), table.names()) else { continue };
            let table = symbols.names.len() as u32;
            let functions = all.filter(|symbol| symbol.kind == SymbolKind::Function);
            symbols.functions.extend(functions.map(|symbol| (symbol.vaddr, table, symbol.name)));
            symbols.names.push(names);
        }
        symbols.functions.sort_by_key(|(vaddr, ..)| *vaddr);
        symbols
    }

    /// The name and the address of the last function that begins at an address or before it. What is
    /// said of a function's size is not asked: where files have lost the symbols of most functions, a
    /// neighbour still says about where one is.
    pub fn function_at(&self, vaddr: u64) -> Option<(Arc<str>, u64)> {
        let behind = self.functions.partition_point(|(begin, ..)| *begin <= vaddr);
        let (begin, ..) = *self.functions[..behind].last()?;
        let first = self.functions[..behind].partition_point(|(other, ..)| *other < begin);
        let (_, table, name) = self.functions[first];
        let name = self.names[table as usize].at(name)?;
        Some((demangle(&String::from_utf8_lossy(name)), begin))
    }
}
