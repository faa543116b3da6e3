//! The symbols of an executable file.

use std::io;

use super::{Elf, Part, Section, u16_at, u32_at, u64_at};

const SHT_SYMTAB: u32 = 2;
const SHT_DYNSYM: u32 = 11;

const SHT_GNU_VERSYM: u32 = 0x6fff_ffff;

const SYMBOL_LEN: usize = 24;
const VERSION_LEN: usize = 2;
/// Of a version: nobody is linked with it that does not say so.
const HIDDEN: u16 = 1 << 15;
const SHN_UNDEF: u16 = 0;

/// What a symbol stands for, as far as anybody here asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    Function,
    /// A function that chooses one of several, whose address stands for it (`STT_GNU_IFUNC`).
    Chooser,
    /// Not said: labels of assembly code have such.
    Untold,
    Other,
}

/// A symbol of what is in the file itself.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    pub kind: SymbolKind,
    pub vaddr: u64,
    /// Size of what it names, in bytes; 0 if that is not known.
    pub len: u64,
    /// Where its name is among those of its table.
    pub name: u32,
    /// It is there for programs of old: who is linked now is given another of this name.
    pub is_former: bool,
}

/// A symbol table, of which nothing has been read yet.
#[derive(Debug)]
pub struct SymbolTable<'a> {
    elf: &'a Elf,
    entries: Part,
    names: Option<Part>,
    /// A version for each symbol, two bytes long.
    versions: Option<Part>,
}

/// The names that a symbol table has.
#[derive(Debug)]
pub struct Names(Vec<u8>);

impl Elf {
    /// The symbol tables, in the order in which they are in the file.
    pub fn symbol_tables(&self) -> impl Iterator<Item = SymbolTable<'_>> {
        let is_table =
            |(_, section): &(usize, &Section)| [SHT_SYMTAB, SHT_DYNSYM].contains(&section.kind);
        let versions = |of: usize| {
            let is_it = |section: &&Section| section.kind == SHT_GNU_VERSYM && section.link == of;
            self.sections.iter().find(is_it).map(|section| section.part)
        };
        self.sections.iter().enumerate().filter(is_table).map(move |(index, section)| SymbolTable {
            elf: self,
            entries: section.part,
            names: self.sections.get(section.link).map(|names| names.part),
            versions: versions(index),
        })
    }
}

impl SymbolTable<'_> {
    /// The symbols of what is in the file itself.
    pub fn symbols(&self) -> io::Result<impl Iterator<Item = Symbol> + use<>> {
        let bytes = self.elf.read_part(&self.entries)?;
        // Where they cannot be read, the symbols are what they are all the same.
        let versions = self.versions.and_then(|part| self.elf.read_part(&part).ok());
        let versions = versions.unwrap_or_default();
        let symbols = (0..bytes.len() / SYMBOL_LEN).filter_map(move |index| {
            let entry = &bytes[index * SYMBOL_LEN..][..SYMBOL_LEN];
            let version = versions.get(index * VERSION_LEN..).and_then(<[u8]>::first_chunk);
            let is_former = version.is_some_and(|own| u16::from_le_bytes(*own) & HIDDEN != 0);
            (u16_at(entry, 6) != SHN_UNDEF).then(|| Symbol { is_former, ..Symbol::parse(entry) })
        });
        Ok(symbols)
    }

    /// The names that its symbols have.
    pub fn names(&self) -> io::Result<Names> {
        let part = self.names.ok_or(io::ErrorKind::NotFound)?;
        self.elf.read_part(&part).map(Names)
    }
}

impl Symbol {
    fn parse(entry: &[u8]) -> Symbol {
        let kind = match entry[4] & 0xf {
            0 => SymbolKind::Untold,
            2 => SymbolKind::Function,
            10 => SymbolKind::Chooser,
            _ => SymbolKind::Other,
        };
        let (vaddr, len) = (u64_at(entry, 8), u64_at(entry, 16));
        Symbol { kind, vaddr, len, name: u32_at(entry, 0), is_former: false }
    }
}

impl Names {
    /// The name that begins there.
    pub fn at(&self, place: u32) -> Option<&[u8]> {
        self.0.get(place as usize..)?.split(|byte| *byte == 0).next()
    }
}
