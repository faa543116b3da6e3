//! A guest for the tests of modules: memory without a program.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::{Arch, Capture, Guest, GuestAddr, Outcome, Phase, Pid, Stamp, Tid};
use table::Id;

/// A guest whose memory has these bytes.
#[derive(Debug, Default)]
pub struct Memory(pub BTreeMap<u64, u8>);

impl Memory {
    /// Memory with these bytes at this address.
    pub fn with(at: u64, bytes: &[u8]) -> Memory {
        Memory((at..).zip(bytes.iter().copied()).collect())
    }
}

impl Guest for Memory {
    fn tid(&self) -> Tid {
        Tid(2)
    }

    fn process(&self) -> Pid {
        Tid(1)
    }

    fn is_starting(&self) -> bool {
        false
    }

    fn read(&mut self, at: GuestAddr, to: &mut [u8]) -> io::Result<()> {
        for (at, byte) in (at.0..).zip(to) {
            *byte = *self.0.get(&at).ok_or_else(fault)?;
        }
        Ok(())
    }

    fn prepare(&mut self, _pieces: &[(GuestAddr, usize)]) -> io::Result<()> {
        Ok(())
    }

    fn read_string(&mut self, at: GuestAddr, most: usize) -> io::Result<Vec<u8>> {
        let mut string = Vec::new();
        for at in (at.0..).take(most) {
            match *self.0.get(&at).ok_or_else(fault)? {
                0 => return Ok(string),
                byte => string.push(byte),
            }
        }
        Err(io::Error::from_raw_os_error(36))
    }

    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> io::Result<()> {
        self.0.extend((at.0..).zip(bytes.iter().copied()));
        Ok(())
    }

    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok("/work".into())
    }

    fn descriptor(&self, fd: i32) -> io::Result<PathBuf> {
        Ok(format!("/fd/{fd}").into())
    }
}

fn fault() -> io::Error {
    io::Error::from_raw_os_error(14)
}

/// A call with these arguments, and with these strings in memory.
pub fn call(id: Id, args: [u64; 6], strings: &[(u64, &str)]) -> Capture {
    let mut call = Capture::default();
    call.enter(Arch::X86_64, id.number.into(), args, GuestAddr::NULL, GuestAddr::NULL);
    for (at, string) in strings {
        call.begin(Phase::Entry, GuestAddr(*at));
        call.extend(string.as_bytes());
        call.extend(&[0]);
    }
    call
}

/// The same call, which has returned this.
pub fn returned(mut call: Capture, value: i64) -> Capture {
    call.outcome = Some(Outcome::of(value, Stamp(0), 0));
    call
}

/// An empty file, which has no name.
pub fn empty_file(of: &str) -> File {
    // Tests run side by side.
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let (process, nth) = (std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("shunpike-{of}-{process}-{nth}"));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
    fs::remove_file(&path).expect("it is there");
    file.expect("an empty file")
}
