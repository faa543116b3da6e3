//! Reads the linked image: as much of `elf(5)` as that needs.

use std::collections::HashMap;

type Result<T> = std::result::Result<T, String>;

/// `sh_type`.
const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const NOBITS: u32 = 8;
/// Relocations and what a dynamic linker wants: `SHT_RELA`, `SHT_DYNAMIC`, `SHT_REL`, `SHT_DYNSYM`.
const DYNAMIC: [u32; 4] = [4, 6, 9, 11];
/// `sh_flags`.
const WRITE: u64 = 1;
const ALLOC: u64 = 2;

/// A linked program.
pub struct Elf<'f> {
    file: &'f [u8],
    sections: Vec<Section>,
    symbols: HashMap<&'f [u8], u64>,
}

struct Section {
    kind: u32,
    flags: u64,
    addr: u64,
    offset: usize,
    size: usize,
    link: usize,
}

impl<'f> Elf<'f> {
    /// Reads the headers and the symbol table.
    pub fn parse(file: &'f [u8]) -> Result<Elf<'f>> {
        if file.get(..6) != Some(b"\x7fELF\x02\x01") {
            return Err("not a 64-bit little-endian ELF file".to_owned());
        }
        let table = int(file, 0x28, 8)? as usize;
        let (size, count) = (int(file, 0x3a, 2)? as usize, int(file, 0x3c, 2)? as usize);
        let sections = (0..count)
            .map(|index| section(file, table + index * size))
            .collect::<Result<Vec<_>>>()?;
        let mut elf = Elf { file, sections, symbols: HashMap::new() };
        elf.symbols = elf.read_symbols()?;
        Ok(elf)
    }

    /// The value of a symbol.
    pub fn symbol(&self, name: &str) -> Result<u64> {
        self.symbols.get(name.as_bytes()).copied().ok_or_else(|| format!("no symbol {name}"))
    }

    /// What is to be mapped at `base`, if it can be used just so: read-only and not relocated.
    pub fn flatten(&self, base: u64) -> Result<Vec<u8>> {
        let mut image = Vec::new();
        for section in self.sections.iter().filter(|section| section.size > 0) {
            if DYNAMIC.contains(&section.kind) {
                return Err("it has relocations".to_owned());
            }
            if section.flags & ALLOC == 0 {
                continue;
            }
            if section.flags & WRITE != 0 || section.kind == NOBITS {
                return Err("it has writable data".to_owned());
            }
            if section.kind != PROGBITS {
                return Err(format!("it has a section of type {}", section.kind));
            }
            let start = section.addr.checked_sub(base).ok_or("it begins too early")? as usize;
            let end = start + section.size;
            if image.len() < end {
                image.resize(end, 0);
            }
            image[start..end].copy_from_slice(self.content(section)?);
        }
        Ok(image)
    }

    fn content(&self, section: &Section) -> Result<&'f [u8]> {
        let end = section.offset.checked_add(section.size);
        end.and_then(|end| self.file.get(section.offset..end)).ok_or("cut short".to_owned())
    }

    fn read_symbols(&self) -> Result<HashMap<&'f [u8], u64>> {
        let table = self.sections.iter().find(|section| section.kind == SYMTAB);
        let table = table.ok_or("no symbol table")?;
        let names = self.sections.get(table.link).ok_or("no names of symbols")?;
        let names = self.content(names)?;
        let entries = self.content(table)?.chunks_exact(24);
        entries
            .map(|entry| {
                let name = names.get(int(entry, 0, 4)? as usize..).ok_or("cut short")?;
                let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
                Ok((name, int(entry, 8, 8)?))
            })
            .collect()
    }
}

fn section(file: &[u8], at: usize) -> Result<Section> {
    Ok(Section {
        kind: int(file, at + 0x04, 4)? as u32,
        flags: int(file, at + 0x08, 8)?,
        addr: int(file, at + 0x10, 8)?,
        offset: int(file, at + 0x18, 8)? as usize,
        size: int(file, at + 0x20, 8)? as usize,
        link: int(file, at + 0x28, 4)? as usize,
    })
}

/// The integer of `len` bytes at `at`.
fn int(bytes: &[u8], at: usize, len: usize) -> Result<u64> {
    let bytes = bytes.get(at..at + len).ok_or("cut short")?;
    let mut word = [0; 8];
    word[..len].copy_from_slice(bytes);
    Ok(u64::from_le_bytes(word))
}
