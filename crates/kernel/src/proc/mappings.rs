//! What is mapped in an address space: `proc_pid_maps(5)`.

use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use libc::pid_t;

use super::{ProcError, path_of};
use crate::toll;

/// A mapping.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Its addresses.
    pub range: Range<u64>,
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
    let path = path_of(pid, "maps");
    toll::count(toll::Kind::ProcRead);
    let text = fs::read(&path).map_err(|error| ProcError::new(path.clone(), error))?;
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let parsed: Option<Vec<_>> = lines.map(parse).collect();
    parsed.ok_or(ProcError::Malformed { path, field: "address" })
}

/// Opens the file of a mapping for reading, if it still has the name under which it was mapped.
pub fn open_mapped(pid: pid_t, mapping: &Mapping) -> io::Result<fs::File> {
    let mut path = path_of(pid, "root").into_os_string().into_vec();
    path.extend_from_slice(&mapping.name);
    let path = PathBuf::from(std::ffi::OsString::from_vec(path));
    toll::count(toll::Kind::ProcRead);
    // A guest could put a FIFO there, on which an ordinary open would wait.
    let mut options = fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.read(true).open(path)?;
    let data = file.metadata()?;
    if data.is_file() && mapping.file.is_some_and(|(_, inode)| inode == data.ino()) {
        Ok(file)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
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
        assert!(mappings.is_sorted_by_key(|mapping| mapping.range.start));
        assert!(mappings.iter().any(|mapping| mapping.name == b"[stack]"));
    }

    #[test]
    fn names_may_hold_spaces() {
        let line = b"7f00-8000 rw-s 00001000 08:1f 1234                       /a b (deleted)";
        let expected = Mapping {
            range: 0x7f00..0x8000,
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
