//! The functions that a file has symbols of.

use std::sync::Arc;

use crate::demangle::demangle;
use crate::elf::{Elf, SymbolTable, u16_at, u32_at, u64_at};

const SYMBOL_LEN: usize = 24;
const STT_FUNC: u8 = 2;
const SHN_UNDEF: u16 = 0;

/// The functions of a file, by address.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Address, table and place of the name in it; of several at one address the first one counts.
    functions: Vec<(u64, u32, u32)>,
    names: Vec<Vec<u8>>,
}

impl Symbols {
    /// Reads the symbols of a file.
    pub fn read(elf: &Elf) -> Symbols {
        let mut symbols = Symbols::default();
        for SymbolTable { entries, names } in elf.symbol_tables() {
            let table = symbols.names.len() as u32;
            let functions = entries
                .chunks_exact(SYMBOL_LEN)
                .filter(|entry| entry[4] & 0xf == STT_FUNC && u16_at(entry, 6) != SHN_UNDEF);
            let functions = functions.map(|entry| (u64_at(entry, 8), table, u32_at(entry, 0)));
            symbols.functions.extend(functions);
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
        let names = self.names[table as usize].get(name as usize..)?;
        let name = names.split(|byte| *byte == 0).next()?;
        Some((demangle(&String::from_utf8_lossy(name)), begin))
    }
}
