//! A breakpoint at a function: of the program, or of a library that it maps later.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use kernel::proc;
use kernel::ptrace::{Registers, Stopped, Tracee};

use super::{Error, Guest};
use crate::demangle::demangle;
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
    /// Puts it before a function of the program, which is held and has not begun; `None` if it has none of
    /// this name.
    pub fn in_program(guest: &mut Guest, name: &str) -> Result<Option<Breakpoint>, Error> {
        let open = Error::request("the program's file cannot be read");
        let file = File::open(format!("/proc/{}/exe", guest.pid)).map_err(&open)?;
        let inode = file.metadata().map_err(&open)?.ino();
        let Some(offset) = offset_of(file, name)? else { return Ok(None) };
        let list = proc::mappings::mappings(guest.pid);
        let list = list.map_err(Error::proc("its mappings are not told"))?;
        let mapping = list.iter().find(|mapping| {
            let len = mapping.range.end - mapping.range.start;
            mapping.executable
                && mapping.file.is_some_and(|(_, number)| number == inode)
                && (mapping.offset..mapping.offset + len).contains(&offset)
        });
        let Some(mapping) = mapping else { return Ok(None) };
        let tracee = guest.thread(guest.pid).held.as_ref().expect("the program is held");
        let set = Breakpoint::set(tracee, mapping.range.start + (offset - mapping.offset));
        set.map(Some).map_err(Error::request("no breakpoint can be set"))
    }

    /// Puts it before a function of the file that a thread has mapped, if it is behind a call that has mapped
    /// code, and that has one of this name.
    pub fn in_mapped(
        tid: i32,
        tracee: &Tracee<Stopped>,
        name: &str,
    ) -> io::Result<Option<Breakpoint>> {
        let Registers { orig_rax, rax: start, rsi: len, rdx: rights, r8: fd, r9: at, .. } =
            tracee.registers()?;
        let is_code = orig_rax == libc::SYS_mmap as u64 && rights & libc::PROT_EXEC as u64 != 0;
        if !is_code || (fd as i32) < 0 || (start as i64) < 0 {
            return Ok(None);
        }
        // One that cannot be opened once more has no function that we could find.
        let Ok(file) = File::open(format!("/proc/{tid}/fd/{}", fd as i32)) else { return Ok(None) };
        let offset = offset_of(file, name).map_err(io::Error::other)?;
        let offset = offset.filter(|offset| (at..at.saturating_add(len)).contains(offset));
        offset.map(|offset| Breakpoint::set(tracee, start + (offset - at))).transpose()
    }

    fn set(tracee: &Tracee<Stopped>, address: u64) -> io::Result<Breakpoint> {
        let original = tracee.peek(address)?.to_le_bytes()[0];
        tracee.write_many([(address, [INT3].as_slice())])?;
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

/// Where in its file a function is. Its name may be that of the symbol, or what this stands for in Rust or
/// C++, with or without its parameters.
fn offset_of(file: File, name: &str) -> Result<Option<u64>, Error> {
    let Ok(elf) = Elf::open(file) else { return Ok(None) };
    let tables: Vec<SymbolTable> = elf.symbol_tables().collect();
    let symbols = || tables.iter().flat_map(functions);
    let exact = symbols().find(|(symbol, _)| *symbol == name.as_bytes());
    let vaddr = match exact {
        Some((_, vaddr)) => vaddr,
        None => {
            let written = symbols().filter_map(|(symbol, vaddr)| {
                let written = demangle(std::str::from_utf8(symbol).ok()?);
                is_called(&written, name).then_some((vaddr, written))
            });
            let found: BTreeMap<_, _> = written.collect();
            let Some((vaddr, _)) = found.first_key_value() else { return Ok(None) };
            if found.len() > 1 {
                let each = found.values().map(ToString::to_string).collect();
                return Err(Error::SeveralSymbols { name: name.to_owned(), each });
            }
            *vaddr
        }
    };
    Ok(elf.code_at(vaddr).map(|part| part.offset + (vaddr - part.vaddr)))
}

/// The functions that a file has: the names of their symbols, and where they are.
fn functions(table: &SymbolTable) -> impl Iterator<Item = (&[u8], u64)> {
    let is_function = |entry: &&[u8]| entry[4] & 0xf == STT_FUNC && u16_at(entry, 6) != SHN_UNDEF;
    table.entries.chunks_exact(SYMBOL_LEN).filter(is_function).map(|entry| {
        let names = table.names.get(u32_at(entry, 0) as usize..).unwrap_or_default();
        (names.split(|byte| *byte == 0).next().unwrap_or_default(), u64_at(entry, 8))
    })
}

/// Whether a function that is written so is called this. A part of it that the compiler has put elsewhere is not
/// where it begins.
fn is_called(written: &str, name: &str) -> bool {
    let is_part = || [".cold", ".part."].iter().any(|part| written.contains(part));
    let rest = written.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '['])) && !is_part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_go_by_several_names() {
        let is = |symbol: &str, name: &str| is_called(&demangle(symbol), name);
        for name in ["ns::A::rec(int)", "ns::A::rec"] {
            assert!(is("_ZN2ns1A3recEi", name), "{name}");
        }
        for name in ["ns::A::re", "A::rec", "ns::A::rec(long)", "rec"] {
            assert!(!is("_ZN2ns1A3recEi", name), "{name}");
        }
        assert!(is("_ZL6helperi.constprop.0", "helper"));
        assert!(!is("_ZL6helperi.cold", "helper"));
        assert!(is("_RNvC6_123foo3bar", "123foo::bar"));
    }
}
