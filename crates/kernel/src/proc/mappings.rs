//! What is mapped in an address space: `proc_pid_maps(5)`.

use std::fs;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use libc::pid_t;

use super::{ProcError, path_of, read_about};
use crate::toll;

/// A mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Its addresses.
    pub range: Range<u64>,
    /// It may be read.
    pub readable: bool,
    /// It may be written.
    pub writable: bool,
    /// It may be executed.
    pub executable: bool,
    /// Writes to it are seen by others (`MAP_SHARED`).
    pub shared: bool,
    /// Where it begins in its file, in bytes.
    pub offset: u64,
    /// Its file: device and inode.
    pub file: Option<(u64, u64)>,
    /// The path of its file, as the process sees it, or a name such as `[stack]`; a newline is
    /// written as `\012`. Empty where there is none.
    pub name: Vec<u8>,
}

/// The mappings of a process, in ascending order.
pub fn mappings(pid: pid_t) -> Result<Vec<Mapping>, ProcError> {
    /// Most programs' lists are shorter, in bytes.
    const EXPECTED: usize = 1 << 14;
    let path = path_of(pid, "maps");
    let text = read_about(&path, EXPECTED)?;
    parse_all(&text).ok_or(ProcError::Malformed { path, field: "address" })
}

/// The list of a process's mappings, held open: who reads it often need not open it each time.
#[derive(Debug)]
pub struct List {
    file: fs::File,
    path: PathBuf,
    text: Vec<u8>,
}

impl List {
    /// Opens that of a process. It stays that of the program which the process runs now.
    pub fn open(pid: pid_t) -> Result<List, ProcError> {
        let path = path_of(pid, "maps");
        toll::count(toll::Kind::ProcRead);
        let file = fs::File::open(&path).map_err(|error| ProcError::new(path.clone(), error))?;
        Ok(List { file, path, text: Vec::new() })
    }

    /// How the mappings are now, in the kernel's words. It is the same text as long as no mapping has
    /// changed.
    pub fn text(&mut self) -> Result<&[u8], ProcError> {
        self.read().map_err(|error| ProcError::new(self.path.clone(), error))?;
        Ok(&self.text)
    }

    /// The mappings that such a text tells of, in ascending order.
    pub fn parse(&self, text: &[u8]) -> Result<Vec<Mapping>, ProcError> {
        let malformed = || ProcError::Malformed { path: self.path.clone(), field: "address" };
        parse_all(text).ok_or_else(malformed)
    }

    fn read(&mut self) -> io::Result<()> {
        /// The kernel tells no more than so many bytes at a time.
        const CHUNK: usize = 4096;
        self.text.clear();
        toll::count(toll::Kind::ProcRead);
        self.file.rewind()?;
        loop {
            let length = self.text.len();
            self.text.resize(length + CHUNK, 0);
            toll::count(toll::Kind::ProcRead);
            let got = self.file.read(&mut self.text[length..])?;
            self.text.truncate(length + got);
            if got == 0 {
                return Ok(());
            }
        }
    }
}

fn parse_all(text: &[u8]) -> Option<Vec<Mapping>> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(parse).collect()
}

/// What tells the content of a file from that of other files, and from what it was before it was
/// written to: `stat(2)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// Its file system.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size in bytes.
    pub len: u64,
    /// When it was last written to: seconds since 1970, and nanoseconds. Its owner can set this.
    pub modified: [i64; 2],
    /// When the file system last changed anything about it. Nobody can set this.
    pub changed: [i64; 2],
}

impl From<&fs::Metadata> for Version {
    fn from(data: &fs::Metadata) -> Version {
        Version {
            device: data.dev(),
            inode: data.ino(),
            len: data.size(),
            modified: [data.mtime(), data.mtime_nsec()],
            changed: [data.ctime(), data.ctime_nsec()],
        }
    }
}

/// The version of a mapping's file, if that still has the name under which it was mapped.
pub fn mapped_version(pid: pid_t, mapping: &Mapping) -> io::Result<Version> {
    toll::count(toll::Kind::ProcRead);
    let data = fs::symlink_metadata(path_of_mapped(pid, mapping))?;
    if is_mapped(&data, mapping) { Ok((&data).into()) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// The version of the file of the program that a process runs.
pub fn program_version(pid: pid_t) -> io::Result<Version> {
    toll::count(toll::Kind::ProcRead);
    Ok((&fs::metadata(path_of(pid, "exe"))?).into())
}

/// Opens the file of a mapping for reading, if it still has the name under which it was mapped.
pub fn open_mapped(pid: pid_t, mapping: &Mapping) -> io::Result<fs::File> {
    let path = path_of_mapped(pid, mapping);
    toll::count(toll::Kind::ProcRead);
    // A guest could put a FIFO there, on which an ordinary open would wait.
    let mut options = fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.read(true).open(path)?;
    if is_mapped(&file.metadata()?, mapping) {
        Ok(file)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// The path of a mapping's file, as we see it.
fn path_of_mapped(pid: pid_t, mapping: &Mapping) -> PathBuf {
    let mut path = path_of(pid, "root").into_os_string().into_vec();
    path.extend_from_slice(&mapping.name);
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

/// Whether this is what the mapping is of. The device is not compared: some file systems show
/// another one to `stat(2)`.
fn is_mapped(data: &fs::Metadata, mapping: &Mapping) -> bool {
    data.is_file() && mapping.file.is_some_and(|(_, inode)| inode == data.ino())
}

/// `7f0-7f1 r-xp 00001000 08:01 1234   /path`
fn parse(line: &[u8]) -> Option<Mapping> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let mut field = || str::from_utf8(fields.next()?).ok();
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = field()?.split_once('-')?;
    let rights = field()?.as_bytes();
    let offset = hex(field()?)?;
    let (major, minor) = field()?.split_once(':')?;
    let device = hex(major)? << 32 | hex(minor)?;
    let inode: u64 = field()?.parse().ok()?;
    Some(Mapping {
        range: hex(start)?..hex(end)?,
        readable: rights.first() == Some(&b'r'),
        writable: rights.get(1) == Some(&b'w'),
        executable: rights.get(2) == Some(&b'x'),
        shared: rights.get(3) == Some(&b's'),
        offset,
        file: (inode != 0).then_some((device, inode)),
        name: fields.next().unwrap_or_default().trim_ascii_start().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_code_is_mapped_from_our_own_file() {
        let pid = std::process::id() as pid_t;
        let here = our_own_code_is_mapped_from_our_own_file as fn() as usize as u64;
        let mappings = mappings(pid).unwrap();
        let mapping = mappings.iter().find(|mapping| mapping.range.contains(&here)).unwrap();
        assert!(mapping.executable && !mapping.writable && !mapping.shared, "{mapping:?}");
        let file = open_mapped(pid, mapping).unwrap();
        let own = fs::metadata("/proc/self/exe").unwrap();
        assert_eq!(file.metadata().unwrap().ino(), own.ino());
        assert_eq!(mapped_version(pid, mapping).unwrap(), Version::from(&own));
        assert!(mappings.is_sorted_by_key(|mapping| mapping.range.start));
        assert!(mappings.iter().any(|mapping| mapping.name == b"[stack]"));
    }

    #[test]
    fn a_list_held_open_tells_of_changes() {
        let mut list = List::open(std::process::id() as pid_t).unwrap();
        let before = list.text().unwrap().to_vec();
        let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, at a place of the kernel's choice, touches no memory of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0) };
        let text = list.text().unwrap().to_vec();
        assert_ne!(text, before);
        let mapped = list.parse(&text).unwrap();
        let mapping = mapped.iter().find(|mapping| mapping.range.contains(&(start as u64)));
        assert!(mapping.is_some_and(|mapping| mapping.readable && !mapping.writable));
        // SAFETY: the mapping is ours, and nothing refers to it.
        unsafe { libc::munmap(start, 4096) };
    }

    #[test]
    fn names_may_hold_spaces() {
        let line = b"7f00-8000 rw-s 00001000 08:1f 1234                       /a b (deleted)";
        let expected = Mapping {
            range: 0x7f00..0x8000,
            readable: true,
            writable: true,
            executable: false,
            shared: true,
            offset: 0x1000,
            file: Some((0x8_0000_001f, 1234)),
            name: b"/a b (deleted)".to_vec(),
        };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse(b"7f00"), None);
    }
}
