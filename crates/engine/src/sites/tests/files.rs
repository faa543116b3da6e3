//! Real programs and libraries, as far as this machine has them.

use std::fs::{self, File};

use super::elf_file::file;
use crate::sites::{BadFile, Decline, Text};

/// How many sites a file has, and of how many there is a window.
fn count(path: &str) -> Option<(u32, u32)> {
    let Ok(bytes) = fs::read(path) else {
        println!("{path}: skipped, it cannot be read here");
        return None;
    };
    let text = Text::open(File::open(path).unwrap()).unwrap();
    let (mut windows, mut sites) = (0, 0);
    for offset in (1..bytes.len()).filter(|end| bytes[end - 1..=*end] == [0x0f, 0x05]) {
        let Some(site) = text.vaddr(offset as u64 - 1) else { continue };
        match text.plan(site) {
            Ok(window) => {
                let patch = window.patch(0, site.next_multiple_of(8) + 0x1000_0000, 0).unwrap();
                assert_eq!((patch.site, window.site), (site, site));
                windows += 1;
            }
            // In the middle of an instruction, or in data.
            Err(Decline::NotSyscall | Decline::Undecodable | Decline::NoFunction) => continue,
            Err(Decline::Read(error)) => panic!("{path}: {error}"),
            Err(_) => {}
        }
        sites += 1;
    }
    println!("{path}: {windows} of {sites} sites have a window");
    Some((windows, sites))
}

#[test]
fn nearly_all_sites_of_a_c_library_have_a_window() {
    for path in ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/lib/ld-musl-x86_64.so.1"]
    {
        let Some((windows, sites)) = count(path) else { continue };
        assert!(sites > 300, "{path}: {sites} sites");
        assert!(windows * 100 >= sites * 95, "{path}: {windows} of {sites}");
    }
}

#[test]
fn where_a_c_librarys_read_has_no_room_for_the_jump_it_has_a_board() {
    let path = "/lib64/ld-linux-x86-64.so.2";
    let Ok(bytes) = fs::read(path) else { return println!("skipped: there is no {path} here") };
    let text = Text::open(File::open(path).unwrap()).unwrap();
    // A function that begins with `xor %eax,%eax; syscall; cmp $-4096,%rax`.
    let code = [0x31, 0xc0, 0x0f, 0x05, 0x48, 0x3d, 0, 0xf0, 0xff, 0xff];
    let starts = (16..bytes.len() - 16).step_by(16).filter(|at| bytes[*at..].starts_with(&code));
    let boards = starts.filter_map(|start| {
        let site = text.vaddr(start as u64 + 2)?;
        let padding = &bytes[start - 5..start];
        // The end of a nop of some length, as assemblers make them.
        let is_there = padding == [0; 5] || padding == [0x1f, 0x80, 0, 0, 0];
        is_there
            .then(|| text.plan(site).map(|window| window.board == padding.first_chunk().copied()))
    });
    for board in boards {
        assert!(matches!(board, Ok(true)), "{board:?}");
    }
}

#[test]
fn all_kinds_of_programs_can_be_read() {
    let paths = [
        "/lib64/ld-linux-x86-64.so.2",
        "/usr/local/go/bin/go",
        "/usr/bin/python3",
        "/usr/bin/busybox",
    ];
    for path in paths {
        count(path);
    }
}

#[test]
fn the_return_from_signal_handlers_is_known() {
    // Its unwind entry begins one byte before it; read from there, it would be something else.
    const CODE: &[u8] = &[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    let path = "/lib/x86_64-linux-gnu/libc.so.6";
    let Ok(bytes) = fs::read(path) else {
        println!("{path}: skipped, it cannot be read here");
        return;
    };
    let at = bytes.windows(CODE.len()).position(|bytes| bytes == CODE).unwrap();
    let text = Text::open(File::open(path).unwrap()).unwrap();
    let site = text.vaddr(at as u64 + 7).unwrap();
    assert!(matches!(text.plan(site), Err(Decline::SignalReturn)));
}

#[test]
fn the_functions_of_a_go_program_are_those_of_its_symbols() {
    let Ok(file) = File::open("/usr/local/go/bin/go") else {
        println!("skipped: there is no Go program here");
        return;
    };
    let text = Text::open(file).unwrap();
    let mut found = 0;
    for symbol in text.symbols().unwrap().iter().filter(|symbol| symbol.len > 0) {
        let Some(function) = text.go_function(symbol.vaddr).unwrap() else { continue };
        assert_eq!(function.start, symbol.vaddr);
        assert!(function.end >= symbol.vaddr + symbol.len);
        found += 1;
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn what_is_no_program_is_told() {
    for bytes in [&b""[..], b"#!/bin/sh\n", &[0; 100], b"\x7fELF"] {
        assert!(matches!(Text::open(file(bytes)), Err(BadFile::NotX86_64)));
    }
}

#[test]
fn a_damaged_file_does_no_harm() {
    let whole = fs::read(std::env::current_exe().unwrap()).unwrap();
    for cut in [64, 100, 1000, whole.len() / 2] {
        if let Ok(text) = Text::open(file(&whole[..cut])) {
            assert!(text.plan(0x1000).is_err());
        }
    }
    // Each byte of the headers in turn.
    for at in 16..64 + 56 * 12 {
        let mut bytes = whole[..0x2000.min(whole.len())].to_vec();
        bytes[at] ^= 0xff;
        if let Ok(text) = Text::open(file(&bytes)) {
            for site in (0..0x4000).step_by(0x101) {
                let _ = text.plan(site);
            }
        }
    }
}
