//! The unwind tables of an executable file: where functions begin and end, and how to get from one to
//! its caller.

use std::io;
use std::ops::Range;

use gimli::{
    BaseAddresses, CieOrFde, EhFrame, EhFrameOffset, EndianSlice, FrameDescriptionEntry,
    LittleEndian, UnwindSection,
};

use crate::elf::{Elf, Part, i32_at, u32_at};

/// What the tables tell of a function.
pub type Entry<'t> = FrameDescriptionEntry<EndianSlice<'t, LittleEndian>>;

/// The unwind tables (`.eh_frame_hdr` and `.eh_frame`).
#[derive(Debug)]
pub struct Unwind {
    /// The search table: pairs of a function's beginning and its entry's address, both relative to
    /// `base`, in ascending order.
    rows: Vec<(i32, i32)>,
    base: u64,
    frame: Part,
    entries: Vec<u8>,
}

impl Unwind {
    /// Reads the tables. None if the file has none, or in a format that no linker makes.
    pub fn read(elf: &Elf) -> io::Result<Option<Unwind>> {
        /// Version 1; a 32-bit pointer relative to itself; a 32-bit count; a table of 32-bit
        /// numbers relative to the beginning.
        const FORMAT: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
        const HEAD_LEN: usize = 12;
        let Some(hdr) = elf.eh_frame_hdr() else { return Ok(None) };
        let bytes = elf.read_part(&hdr)?;
        if bytes.len() < HEAD_LEN || !bytes.starts_with(&FORMAT) {
            return Ok(None);
        }
        let frame = hdr.vaddr.wrapping_add(4).wrapping_add_signed(i64::from(i32_at(&bytes, 4)));
        let Some(frame) = elf.sections().find(|section| section.vaddr == frame) else {
            return Ok(None);
        };
        let count = u32_at(&bytes, 8) as usize;
        let rows = bytes[HEAD_LEN..].chunks_exact(8).take(count);
        let rows = rows.map(|row| (i32_at(row, 0), i32_at(row, 4))).collect();
        Ok(Some(Unwind { rows, base: hdr.vaddr, frame, entries: elf.read_part(&frame)? }))
    }

    /// Makes the search table of a file without one, such as a static program.
    pub fn scan(elf: &Elf) -> Option<Unwind> {
        let frame = elf.section_named(".eh_frame")?;
        let entries = elf.read_part(&frame).ok()?;
        let mut tables = Unwind { rows: Vec::new(), base: frame.vaddr, frame, entries };
        let (section, bases) = (tables.section(), tables.bases());
        let mut rows = Vec::new();
        let mut entries = section.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(entry) = entry else { continue };
            let Ok(entry) = entry.parse(EhFrame::cie_from_offset) else { continue };
            let begin = entry.initial_address().wrapping_sub(frame.vaddr) as i64;
            if let (Ok(begin), Ok(offset)) = (i32::try_from(begin), i32::try_from(entry.offset())) {
                rows.push((begin, offset));
            }
        }
        rows.sort_unstable();
        tables.rows = rows;
        Some(tables)
    }

    /// Where the last function before the one ends that begins at an address.
    pub fn end_before(&self, begin: u64) -> Option<u64> {
        let relative = i32::try_from(begin.wrapping_sub(self.base) as i64).ok()?;
        let index = self.rows.partition_point(|(begin, _)| *begin < relative);
        let (before, _) = *self.rows.get(index.checked_sub(1)?)?;
        let (this, _) = *self.rows.get(index)?;
        let before = self.base.wrapping_add_signed(before.into());
        let end = self.function(before)?.end;
        (this == relative && end <= begin).then_some(end)
    }

    /// The function that contains an address.
    pub fn function(&self, vaddr: u64) -> Option<Range<u64>> {
        let entry = self.entry(vaddr)?;
        // That of a signal's return begins one byte early, so that unwinders which look for the
        // byte before a return address find it.
        let early = u64::from(entry.is_signal_trampoline());
        let range = entry.initial_address().saturating_add(early)..entry.end_address();
        range.contains(&vaddr).then_some(range)
    }

    /// The entry of the function that contains an address, or of the last one before it.
    pub fn entry(&self, vaddr: u64) -> Option<Entry<'_>> {
        let relative = i32::try_from(vaddr.wrapping_sub(self.base) as i64).ok()?;
        let behind = self.rows.partition_point(|(begin, _)| *begin <= relative);
        let (_, entry) = self.rows[..behind].last()?;
        let entry = self.base.wrapping_add_signed(i64::from(*entry));
        let offset = usize::try_from(entry.checked_sub(self.frame.vaddr)?).ok()?;
        let frame = self.section();
        frame.fde_from_offset(&self.bases(), EhFrameOffset(offset), EhFrame::cie_from_offset).ok()
    }

    /// The section with the entries.
    pub fn section(&self) -> EhFrame<EndianSlice<'_, LittleEndian>> {
        EhFrame::new(&self.entries, LittleEndian)
    }

    /// What addresses in the entries are relative to.
    pub fn bases(&self) -> BaseAddresses {
        BaseAddresses::default().set_eh_frame(self.frame.vaddr)
    }
}
