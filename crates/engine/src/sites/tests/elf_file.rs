//! Small ELF files made by hand.

use std::fs::{self, File};
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the code of [`program`] is.
pub const CODE: u64 = 0x40_1000;

const HEADER_LEN: usize = 64;
const PROGRAM_HEADER_LEN: usize = 56;
const SECTION_HEADER_LEN: usize = 64;

/// A file with these bytes that has no name.
pub fn file(bytes: &[u8]) -> File {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("shunpike-{}-{number}", std::process::id()));
    let mut file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// A program with this code at [`CODE`], and functions: their offset in it, and their size.
pub fn program(code: &[u8], functions: &[(u64, u64)]) -> File {
    let code_at = HEADER_LEN + PROGRAM_HEADER_LEN + SECTION_HEADER_LEN;
    let symbols_at = code_at + code.len();
    let symbols: Vec<u8> = functions.iter().flat_map(|(at, len)| symbol(CODE + at, *len)).collect();

    let mut bytes = vec![0; code_at];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"\x7fELF\x02\x01\x01");
    put(18, &62u16.to_le_bytes());
    put(32, &(HEADER_LEN as u64).to_le_bytes());
    put(40, &((HEADER_LEN + PROGRAM_HEADER_LEN) as u64).to_le_bytes());
    put(54, &[56, 0, 1, 0, 64, 0, 1, 0]);
    // PT_LOAD, readable and executable
    put(HEADER_LEN, &[1, 0, 0, 0, 5]);
    put(HEADER_LEN + 8, &(code_at as u64).to_le_bytes());
    put(HEADER_LEN + 16, &CODE.to_le_bytes());
    put(HEADER_LEN + 32, &(code.len() as u64).to_le_bytes());
    // SHT_SYMTAB
    let section = HEADER_LEN + PROGRAM_HEADER_LEN;
    put(section + 4, &[2]);
    put(section + 24, &(symbols_at as u64).to_le_bytes());
    put(section + 32, &(symbols.len() as u64).to_le_bytes());

    bytes.extend(code);
    bytes.extend(symbols);
    file(&bytes)
}

/// An entry of a symbol table for a function in some section.
fn symbol(vaddr: u64, len: u64) -> Vec<u8> {
    let head = [0, 0, 0, 0, 0x12, 0, 1, 0];
    [&head[..], &vaddr.to_le_bytes(), &len.to_le_bytes()].concat()
}
