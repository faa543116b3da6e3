//! `/proc/sys/kernel`: the names as files.
//!
//! What a guest opens there are files of ours without a name, so nobody sees what it reads or writes. What it
//! has written is looked at when a name is asked for.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use contract::{
    Capture, Failure, Guest, GuestAddr, PathArgument, PlaceRule, Redirection, Verdict, When,
};
use libc::{O_ACCMODE, O_APPEND, O_CREAT, O_NONBLOCK, O_PATH, O_RDONLY, O_TRUNC, O_WRONLY};
use table::Id;
use table::arch::x86_64 as id;

use super::{DOMAIN_NAME, FIELD_LEN, FIELDS, NODE_NAME};

/// Where they are.
pub const DIRECTORY: &[u8] = b"/proc/sys/kernel";
/// What they are called, in the order of `uname(2)`.
const NAMES: [&[u8]; FIELDS] =
    [b"ostype", b"hostname", b"osrelease", b"version", b"arch", b"domainname"];
/// Calls that open a file, with the argument that leads to its path; the next has the flags, or leads to them,
/// but for `creat(2)`.
pub const OPENING: [(Id, usize); 4] =
    [(id::OPEN, 0), (id::CREAT, 0), (id::OPENAT, 1), (id::OPENAT2, 1)];

/// Which files a guest opens without asking, by the calls whose flags are known or stand in a register.
pub fn rules() -> Redirection {
    let argument = |register, directory, follows| PathArgument {
        register,
        directory,
        follows,
        writes: When::Never,
        opens: true,
        reads_link: false,
        looks: false,
        unless_missing: false,
    };
    let names = PlaceRule { asked: true, ..PlaceRule::same(DIRECTORY.to_vec()) };
    Redirection {
        calls: vec![
            (id::OPEN.number.into(), vec![argument(0, None, When::AsOpen(1))]),
            (id::CREAT.number.into(), vec![argument(0, None, When::Always)]),
            (id::OPENAT.number.into(), vec![argument(1, Some(0), When::AsOpen(2))]),
        ],
        places: vec![names, PlaceRule::same(Vec::new())],
        // It counts how a guest writes a path.
        links_stay: true,
        ..Redirection::default()
    }
}

/// What makes an empty file without a name.
pub type Make = fn() -> io::Result<File>;

/// The files: those that a guest has opened.
#[derive(Debug)]
pub struct Files {
    make: Make,
    pub(super) opened: [Option<File>; FIELDS],
    /// Those that a guest may have written to.
    may_be_written: [bool; FIELDS],
}

impl Files {
    /// Files that are made so.
    pub fn new(make: Make) -> Files {
        Files { make, opened: Default::default(), may_be_written: [false; FIELDS] }
    }

    /// The file has this name in it, if there is one.
    pub fn put(&self, field: usize, name: &[u8]) -> io::Result<()> {
        let Some(file) = &self.opened[field] else { return Ok(()) };
        let line = [name, b"\n"].concat();
        file.set_len(line.len() as u64)?;
        file.write_all_at(&line, 0)
    }

    /// The name that guests have written, if they have.
    pub fn written(&self, field: usize) -> io::Result<Option<Vec<u8>>> {
        let file = self.opened[field].as_ref().filter(|_| self.may_be_written[field]);
        let Some(file) = file else { return Ok(None) };
        let mut bytes = [0; FIELD_LEN - 1];
        let len = file.read_at(&mut bytes, 0)?;
        let text = &bytes[..len];
        let name = text.split(|byte| [b'\n', 0].contains(byte)).next().map(<[u8]>::to_vec);
        // It was opened anew, and not written yet.
        Ok(name.filter(|_| !text.is_empty()))
    }

    /// The field that a call is about to open, with the flags by which it does.
    pub fn about_to_open(guest: &mut dyn Guest, call: &Capture) -> Option<(usize, i32)> {
        let number = call.arch.native_number(call.number);
        let (id, at) = OPENING.iter().find(|(id, _)| u64::from(id.number) == number)?;
        let path = call.string(GuestAddr(call.args[*at]))?;
        let name = path.strip_prefix(DIRECTORY)?.strip_prefix(b"/")?;
        let field = NAMES.iter().position(|known| *known == name)?;
        // Older kernels do not tell all.
        Path::new(std::str::from_utf8(path).ok()?).exists().then_some(())?;
        let next = call.args[at + 1];
        let flags = match *id {
            id::CREAT => O_WRONLY | O_CREAT | O_TRUNC,
            id::OPENAT2 => {
                let mut bytes = [0; 8];
                guest.read(GuestAddr(next), &mut bytes).ok()?;
                u64::from_ne_bytes(bytes) as i32
            }
            _ => next as i32,
        };
        Some((field, flags))
    }

    /// Hands the file to who opens it, with this name in it. What can only be read is the kernel's to refuse.
    pub fn hand(
        &mut self,
        field: usize,
        name: Option<&[u8]>,
        flags: i32,
    ) -> Result<Verdict, Failure> {
        let changes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0;
        let may_change = [NODE_NAME, DOMAIN_NAME].contains(&field);
        if flags & O_PATH != 0 || changes && !may_change {
            return Ok(Verdict::pass());
        }
        let writes = flags & O_ACCMODE != O_RDONLY;
        // Each write there takes the place of all. But who also reads would find nothing.
        let anew = flags & O_ACCMODE == O_WRONLY || writes && flags & (O_APPEND | O_TRUNC) != 0;
        let own = flags & (O_APPEND | O_NONBLOCK) | if anew { O_TRUNC } else { 0 };
        let mut options = OpenOptions::new();
        options.read(flags & O_ACCMODE != O_WRONLY).write(writes).custom_flags(own);
        let opened = self.open(field, name, &options).or_else(|_| {
            // Whoever has it may have changed its mode.
            self.opened[field] = None;
            self.open(field, name, &options)
        })?;
        self.may_be_written[field] |= writes;
        Ok(Verdict::share(Rc::new(OwnedFd::from(opened)), flags as u32))
    }

    /// Opens the file once more, with this name in it.
    fn open(
        &mut self,
        field: usize,
        name: Option<&[u8]>,
        options: &OpenOptions,
    ) -> io::Result<File> {
        if self.opened[field].is_none() {
            self.opened[field] = Some((self.make)()?);
        }
        name.iter().try_for_each(|name| self.put(field, name))?;
        let file = self.opened[field].as_ref().ok_or(io::ErrorKind::NotFound)?;
        options.open(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}
