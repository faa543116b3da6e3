//! An executable file, as much of it as is needed to find functions and code: elf(5).

use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::functions::{Symbol, Unwind};

const HEADER_LEN: u64 = 64;
const PROGRAM_HEADER_LEN: u64 = 56;
const SECTION_HEADER_LEN: u64 = 64;

const CLASS_64: u8 = 2;
const LITTLE_ENDIAN: u8 = 1;
const MACHINE_X86_64: u16 = 62;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PF_X: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_NOBITS: u32 = 8;
const SHT_DYNSYM: u32 = 11;

/// Where the addresses of user programs end.
const USER_END: u64 = 1 << 47;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// Reading failed, or the file is shorter than its headers say.
    #[error("cannot read the file")]
    Read(#[from] io::Error),
    /// It is not a little-endian 64-bit ELF file for x86-64.
    #[error("not an ELF file for x86-64")]
    NotX86_64,
}

/// An executable file. What is read of it is kept; its code is not.
#[derive(Debug)]
pub struct Text {
    file: File,
    len: u64,
    /// What is mapped and executable.
    code: Vec<Part>,
    headers: Headers,
    pub(super) unwind: OnceCell<Option<Unwind>>,
    pub(super) go_functions: OnceCell<Vec<u64>>,
    pub(super) symbols: OnceCell<Vec<Symbol>>,
}

/// A part of the file that has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// Its first address.
    pub vaddr: u64,
    /// Where it is in the file.
    pub offset: u64,
    /// Size in the file, in bytes.
    pub len: u64,
}

impl Part {
    /// Its addresses.
    pub fn range(&self) -> Range<u64> {
        self.vaddr..self.vaddr.saturating_add(self.len)
    }
}

/// Where things are in the file.
#[derive(Debug, Default)]
struct Headers {
    eh_frame_hdr: Option<Part>,
    /// All sections: their type and place.
    sections: Vec<(u32, Part)>,
}

impl Text {
    /// Reads the headers of a file.
    pub fn open(file: File) -> Result<Text, BadFile> {
        let len = file.metadata()?.len();
        let mut text = Text {
            file,
            len,
            code: Vec::new(),
            headers: Headers::default(),
            unwind: OnceCell::new(),
            go_functions: OnceCell::new(),
            symbols: OnceCell::new(),
        };
        if len < HEADER_LEN {
            return Err(BadFile::NotX86_64);
        }
        let header = text.read(0, HEADER_LEN)?;
        let known = header.starts_with(b"\x7fELF")
            && header[4] == CLASS_64
            && header[5] == LITTLE_ENDIAN
            && u16_at(&header, 18) == MACHINE_X86_64;
        if !known {
            return Err(BadFile::NotX86_64);
        }
        text.read_segments(u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56))?;
        text.read_sections(u64_at(&header, 40), u16_at(&header, 58), u16_at(&header, 60))?;
        Ok(text)
    }

    fn read_segments(&mut self, offset: u64, size: u16, count: u16) -> Result<(), BadFile> {
        for header in self.table(offset, size, count, PROGRAM_HEADER_LEN)? {
            let part = Part {
                vaddr: u64_at(&header, 16),
                offset: u64_at(&header, 8),
                len: u64_at(&header, 32),
            };
            let executable = u32_at(&header, 4) & PF_X != 0;
            // What is beyond cannot be mapped.
            let possible = part.range().end <= USER_END;
            match u32_at(&header, 0) {
                PT_LOAD if executable && possible => self.code.push(part),
                PT_GNU_EH_FRAME => self.headers.eh_frame_hdr = Some(part),
                _ => {}
            }
        }
        Ok(())
    }

    fn read_sections(&mut self, offset: u64, size: u16, count: u16) -> Result<(), BadFile> {
        for header in self.table(offset, size, count, SECTION_HEADER_LEN)? {
            let part = Part {
                vaddr: u64_at(&header, 16),
                offset: u64_at(&header, 24),
                len: u64_at(&header, 32),
            };
            self.headers.sections.push((u32_at(&header, 4), part));
        }
        Ok(())
    }

    /// The entries of a table of headers; none if they have another size than they should have.
    fn table(&self, at: u64, size: u16, count: u16, expected: u64) -> io::Result<Vec<Vec<u8>>> {
        if u64::from(size) != expected {
            return Ok(Vec::new());
        }
        let bytes = self.read(at, u64::from(count) * expected)?;
        Ok(bytes.chunks_exact(usize::from(size)).map(<[u8]>::to_vec).collect())
    }

    /// Bytes of the file, all that are asked for.
    fn read(&self, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        // Before memory is taken for them: the sizes are what the file claims.
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; len as usize];
        self.file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }

    /// The bytes of a part.
    pub(super) fn read_part(&self, part: &Part) -> io::Result<Vec<u8>> {
        self.read(part.offset, part.len)
    }

    /// The code in a range of addresses, all of it.
    pub(super) fn read_code(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let part = self.code_at(range.start).ok_or(io::ErrorKind::NotFound)?;
        let offset = part.offset.saturating_add(range.start - part.vaddr);
        self.read(offset, range.end.saturating_sub(range.start))
    }

    /// What is executable.
    pub(super) fn code(&self) -> &[Part] {
        &self.code
    }

    /// The executable part at an address.
    pub(super) fn code_at(&self, vaddr: u64) -> Option<&Part> {
        self.code.iter().find(|part| part.range().contains(&vaddr))
    }

    /// The address of a byte of the file, if it is executable.
    pub fn vaddr(&self, offset: u64) -> Option<u64> {
        let part = self
            .code
            .iter()
            .find(|part| (part.offset..part.offset.saturating_add(part.len)).contains(&offset))?;
        Some(part.vaddr.wrapping_add(offset - part.offset))
    }

    /// The index of the unwind tables.
    pub(super) fn eh_frame_hdr(&self) -> Option<Part> {
        self.headers.eh_frame_hdr
    }

    /// The sections that are mapped.
    pub(super) fn sections(&self) -> impl Iterator<Item = Part> {
        let parts = self.headers.sections.iter().filter(|(kind, _)| *kind != SHT_NOBITS);
        parts.map(|(_, part)| *part).filter(|part| part.vaddr != 0 && part.len > 0)
    }

    /// The sections that hold symbols.
    pub(super) fn symbol_sections(&self) -> impl Iterator<Item = Part> {
        let tables = [SHT_SYMTAB, SHT_DYNSYM];
        self.headers
            .sections
            .iter()
            .filter(move |(kind, _)| tables.contains(kind))
            .map(|(_, part)| *part)
    }
}

/// The little-endian number at an offset that lies within the bytes.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The little-endian number at an offset that lies within the bytes.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The little-endian number at an offset that lies within the bytes.
pub(super) fn i32_at(bytes: &[u8], at: usize) -> i32 {
    u32_at(bytes, at).cast_signed()
}

/// The little-endian number at an offset that lies within the bytes.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
