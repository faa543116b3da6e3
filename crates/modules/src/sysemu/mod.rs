//! `sysemu`: the guest's `/proc/sysemu`, by which it switches how it is intercepted, as under
//! User-Mode Linux.
//!
//! What the guest opens is a real file of the supervisor's: reads and writes are the kernel's. The
//! module looks into the file behind each write, once somebody has opened it.

use std::cell::Cell;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use contract::{Answer, Argument, CallSet, Capture, Failure, Guest, GuestAddr, Module, Verdict};
use table::Id;
use table::arch::x86_64;

/// What the guest calls the file.
const PATH: &[u8] = b"/proc/sysemu";
/// Calls by which a file is opened or looked at, with the place of its path.
const BY_PATH: [(Id, u8); 14] = [
    (x86_64::OPEN, 0),
    (x86_64::OPENAT, 1),
    (x86_64::OPENAT2, 1),
    (x86_64::CREAT, 0),
    (x86_64::STAT, 0),
    (x86_64::NEWFSTATAT, 1),
    (x86_64::STATX, 1),
    (x86_64::ACCESS, 0),
    (x86_64::FACCESSAT, 1),
    (x86_64::FACCESSAT2, 1),
    (x86_64::GETXATTR, 0),
    (x86_64::LGETXATTR, 0),
    (x86_64::LISTXATTR, 0),
    (x86_64::LLISTXATTR, 0),
];
/// Those that may be told not to follow a link, with the place of their flags.
const LOOKS: [(Id, u8); 3] = [(x86_64::NEWFSTATAT, 3), (x86_64::STATX, 2), (x86_64::FACCESSAT2, 3)];
/// `AT_SYMLINK_NOFOLLOW`.
const NOFOLLOW: u64 = 0x100;
/// Calls that write.
const WRITES: [Id; 3] = [x86_64::WRITE, x86_64::PWRITE64, x86_64::WRITEV];

/// The module.
#[derive(Debug)]
pub struct Sysemu {
    /// 0, 1 or 2.
    mode: Rc<Cell<u8>>,
    file: File,
    is_open: bool,
}

impl Sysemu {
    /// Switches this mode; `file` is an empty file, which the guest may open.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(mode: Rc<Cell<u8>>, file: File) -> std::io::Result<Sysemu> {
        let sysemu = Sysemu { mode, file, is_open: false };
        sysemu.write_mode()?;
        Ok(sysemu)
    }

    fn write_mode(&self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all_at(format!("{}\n", self.mode.get()).as_bytes(), 0)
    }

    /// Takes over what the guest has written. What is no mode is put right.
    fn look(&self) -> std::io::Result<()> {
        let mut first = [0];
        match (self.file.read_at(&mut first, 0)?, first[0]) {
            (1, digit @ b'0'..=b'2') => self.mode.set(digit - b'0'),
            // Opened anew, and not written yet.
            (0, _) => {}
            _ => self.write_mode()?,
        }
        Ok(())
    }
}

impl Module for Sysemu {
    fn name(&self) -> &'static str {
        "sysemu"
    }

    fn claims(&self) -> CallSet {
        let mut calls = CallSet::NONE;
        let by_path = BY_PATH.iter().map(|(id, _)| id);
        by_path.chain(&WRITES).for_each(|id| calls.insert(id.number.into()));
        calls
    }

    fn explain(&self) -> Vec<String> {
        vec![format!(
            "/proc/sysemu is {}, and switches whether calls are emulated",
            self.mode.get()
        )]
    }

    fn decide(&mut self, _guest: &mut dyn Guest, call: &Capture) -> Result<Verdict, Failure> {
        let is = |id: &Id| call.number == id.number.into();
        if WRITES.iter().any(is) {
            return Ok(if self.is_open { Verdict::pass().and_behind() } else { Verdict::pass() });
        }
        let place = BY_PATH.iter().find(|(id, _)| is(id)).map(|(_, place)| *place);
        let Some(place) = place else { return Ok(Verdict::pass()) };
        if call.string(GuestAddr(call.args[usize::from(place)])) != Some(PATH) {
            return Ok(Verdict::pass());
        }
        self.is_open = true;
        let own = format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd());
        let mut arguments = vec![Argument::path(place, own)];
        if let Some((_, flags)) = LOOKS.iter().find(|(id, _)| is(id)) {
            // Ours is a link, which is not to show.
            arguments.push(Argument::value(*flags, call.args[usize::from(*flags)] & !NOFOLLOW));
        }
        Ok(Verdict::with(arguments))
    }

    fn behind(
        &mut self,
        _guest: &mut dyn Guest,
        _call: &Capture,
    ) -> Result<Option<Answer>, Failure> {
        self.look()?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
