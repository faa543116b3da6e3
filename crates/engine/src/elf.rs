//! An executable file, as much of it as is needed to find functions, code and what is known of them:
//! elf(5).

mod symbols;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

pub use symbols::{Names, Symbol, SymbolKind, SymbolTable};

const HEADER_LEN: u64 = 64;
const PROGRAM_HEADER_LEN: u64 = 56;
const SECTION_HEADER_LEN: u64 = 64;

const CLASS_64: u8 = 2;
const LITTLE_ENDIAN: u8 = 1;
const MACHINE_X86_64: u16 = 62;

const PT_LOAD: u32 = 1;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const PF_X: u32 = 1;
const SHT_NOBITS: u32 = 8;
const SHF_COMPRESSED: u64 = 1 << 11;

/// No part of a file is read that is longer, in bytes: a sparse file may claim any size.
const PART_MAX: u64 = 1 << 29;

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

/// An executable file, of which the headers have been read.
#[derive(Debug)]
pub struct Elf {
    bytes: Bytes,
    len: u64,
    /// What is mapped and executable.
    code: Vec<Part>,
    eh_frame_hdr: Option<Part>,
    sections: Vec<Section>,
    /// Which of them has the names of all.
    names: usize,
}

/// Where the bytes of a file are.
#[derive(Debug)]
enum Bytes {
    OnDisk(File),
    Here(Vec<u8>),
}

/// A part of the file that has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
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

/// A section of the file.
#[derive(Debug)]
struct Section {
    kind: u32,
    flags: u64,
    part: Part,
    /// Of a symbol table, the section with its names.
    link: usize,
    /// Where its own name begins among the names of all.
    name: usize,
}

impl Elf {
    /// Reads the headers of a file.
    pub fn open(file: File) -> Result<Elf, BadFile> {
        let len = file.metadata()?.len();
        Elf::read_headers(Bytes::OnDisk(file), len)
    }

    /// Reads the headers of a file that is in memory.
    pub fn parse(bytes: Vec<u8>) -> Result<Elf, BadFile> {
        let len = bytes.len() as u64;
        Elf::read_headers(Bytes::Here(bytes), len)
    }

    fn read_headers(bytes: Bytes, len: u64) -> Result<Elf, BadFile> {
        let (code, sections) = (Vec::new(), Vec::new());
        let mut elf = Elf { bytes, len, code, eh_frame_hdr: None, sections, names: 0 };
        if len < HEADER_LEN {
            return Err(BadFile::NotX86_64);
        }
        let header = elf.read(0, HEADER_LEN)?;
        let known = header.starts_with(b"\x7fELF")
            && header[4] == CLASS_64
            && header[5] == LITTLE_ENDIAN
            && u16_at(&header, 18) == MACHINE_X86_64;
        if !known {
            return Err(BadFile::NotX86_64);
        }
        elf.read_segments(u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56))?;
        elf.read_sections(u64_at(&header, 40), u16_at(&header, 58), u16_at(&header, 60))?;
        elf.names = u16_at(&header, 62).into();
        Ok(elf)
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
                PT_GNU_EH_FRAME => self.eh_frame_hdr = Some(part),
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
            self.sections.push(Section {
                kind: u32_at(&header, 4),
                flags: u64_at(&header, 8),
                part,
                link: u32_at(&header, 40) as usize,
                name: u32_at(&header, 0) as usize,
            });
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
        if len > PART_MAX || offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match &self.bytes {
            Bytes::OnDisk(file) => {
                let mut bytes = vec![0; len as usize];
                file.read_exact_at(&mut bytes, offset)?;
                Ok(bytes)
            }
            Bytes::Here(bytes) => Ok(bytes[offset as usize..][..len as usize].to_vec()),
        }
    }

    /// The bytes of a part.
    pub fn read_part(&self, part: &Part) -> io::Result<Vec<u8>> {
        self.read(part.offset, part.len)
    }

    /// The code in a range of addresses, all of it.
    pub fn read_code(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let part = self.code_at(range.start).ok_or(io::ErrorKind::NotFound)?;
        let offset = part.offset.saturating_add(range.start - part.vaddr);
        self.read(offset, range.end.saturating_sub(range.start))
    }

    /// What is executable.
    pub fn code(&self) -> &[Part] {
        &self.code
    }

    /// The executable part at an address.
    pub fn code_at(&self, vaddr: u64) -> Option<&Part> {
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
    pub fn eh_frame_hdr(&self) -> Option<Part> {
        self.eh_frame_hdr
    }

    /// The sections that are mapped.
    pub fn sections(&self) -> impl Iterator<Item = Part> {
        let sections = self.sections.iter().filter(|section| section.kind != SHT_NOBITS);
        sections.map(|section| section.part).filter(|part| part.vaddr != 0 && part.len > 0)
    }

    /// The section of this name, if it is there and not compressed.
    pub fn section_named(&self, name: &str) -> Option<Part> {
        let names = self.read_part(&self.sections.get(self.names)?.part).ok()?;
        let has_name = |section: &&Section| {
            names.get(section.name..).is_some_and(|rest| {
                rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
            })
        };
        let section = self.sections.iter().find(has_name)?;
        let plain = section.kind != SHT_NOBITS && section.flags & SHF_COMPRESSED == 0;
        plain.then_some(section.part)
    }
}

/// The little-endian number at an offset that lies within the bytes.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The little-endian number at an offset that lies within the bytes.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The little-endian number at an offset that lies within the bytes.
pub fn i32_at(bytes: &[u8], at: usize) -> i32 {
    u32_at(bytes, at).cast_signed()
}

/// The little-endian number at an offset that lies within the bytes.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}
