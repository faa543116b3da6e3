//! Lines of source, by a file's debugging information.

use std::fmt;
use std::sync::Arc;

use addr2line::Context;
use contract::SourceLine;
use gimli::{Dwarf, EndianArcSlice, LittleEndian};

use crate::elf::Elf;

/// The lines of a file.
pub struct Lines(Context<EndianArcSlice<LittleEndian>>);

impl Lines {
    /// Reads what a file tells of its source, if it does.
    pub fn read(elf: &Elf) -> Option<Lines> {
        elf.section_named(".debug_info")?;
        let load = |section: gimli::SectionId| -> Result<_, gimli::Error> {
            let part = elf.section_named(section.name());
            let bytes = part.and_then(|part| elf.read_part(&part).ok()).unwrap_or_default();
            Ok(EndianArcSlice::new(bytes.into(), LittleEndian))
        };
        Context::from_dwarf(Dwarf::load(load).ok()?).ok().map(Lines)
    }

    /// The line of the instruction at an address.
    pub fn at(&self, vaddr: u64) -> Option<SourceLine> {
        let location = self.0.find_location(vaddr).ok()??;
        Some(SourceLine { file: Arc::from(location.file?), line: location.line? })
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}
