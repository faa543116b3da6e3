//! A breakpoint at a function of the program.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use kernel::proc;
use kernel::ptrace::{Registers, Stopped, Tracee};

use super::{Error, Guest};
use crate::elf::{Elf, SymbolTable, u16_at, u32_at, u64_at};

const SYMBOL_LEN: usize = 24;
const STT_FUNC: u8 = 2;
const SHN_UNDEF: u16 = 0;
/// The instruction that stops.
const INT3: u8 = 0xcc;

/// An instruction that stops, in the place of another.
#[derive(Clone, Copy, Debug)]
pub struct Breakpoint {
    address: u64,
    original: u8,
}

impl Breakpoint {
    /// Puts it before a function of the program, which is held and has not begun.
    pub fn at_function(guest: &mut Guest, name: &str) -> Result<Breakpoint, Error> {
        let path = format!("/proc/{}/exe", guest.pid);
        let open = Error::request("the program's file cannot be read");
        let file = File::open(&path).map_err(&open)?;
        let inode = file.metadata().map_err(&open)?.ino();
        let none = || Error::NoSymbol {
            name: name.to_owned(),
            program: proc::executable(guest.pid)
                .map_or_else(|_| path.clone(), |path| path.display().to_string()),
        };
        let elf = Elf::open(file).map_err(|_| none())?;
        let offset = offset_of(&elf, name).ok_or_else(none)?;
        let list = proc::mappings::mappings(guest.pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let mapping = list.iter().find(|mapping| {
            let len = mapping.range.end - mapping.range.start;
            mapping.executable
                && mapping.file.is_some_and(|(_, number)| number == inode)
                && (mapping.offset..mapping.offset + len).contains(&offset)
        });
        let mapping = mapping.ok_or_else(none)?;
        let address = mapping.range.start + (offset - mapping.offset);
        let tracee = guest.thread(guest.pid).held.as_ref().expect("the program is held");
        let set = || {
            let original = tracee.peek(address)?.to_le_bytes()[0];
            tracee.write_many([(address, [INT3].as_slice())])?;
            Ok(original)
        };
        let original = set().map_err(Error::request("no breakpoint can be set"))?;
        Ok(Breakpoint { address, original })
    }

    /// Whether a thread that stopped for a `SIGTRAP` has come to it. If so it is taken away, and the
    /// thread is before the instruction that was there.
    pub fn is_reached(&self, tracee: &Tracee<Stopped>) -> io::Result<bool> {
        let registers = tracee.registers()?;
        if registers.rip != self.address + 1 {
            return Ok(false);
        }
        tracee.write_many([(self.address, [self.original].as_slice())])?;
        tracee.set_registers(&Registers { rip: self.address, ..registers })?;
        Ok(true)
    }
}

/// Where in its file a function is.
fn offset_of(elf: &Elf, name: &str) -> Option<u64> {
    let vaddr = elf.symbol_tables().find_map(|SymbolTable { entries, names }| {
        let is_named = |entry: &&[u8]| {
            let at = names.get(u32_at(entry, 0) as usize..).unwrap_or_default();
            at.split(|byte| *byte == 0).next() == Some(name.as_bytes())
        };
        let is_function =
            |entry: &&[u8]| entry[4] & 0xf == STT_FUNC && u16_at(entry, 6) != SHN_UNDEF;
        let mut functions = entries.chunks_exact(SYMBOL_LEN).filter(is_function);
        functions.find(is_named).map(|entry| u64_at(entry, 8))
    })?;
    let part = elf.code_at(vaddr)?;
    Some(part.offset + (vaddr - part.vaddr))
}
