//! What the kernel would do with a program's file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::paths::Plain;

/// How much of a file the kernel looks at (`BINPRM_BUF_SIZE`).
const HEAD_LEN: usize = 256;
/// The type of the program header with the path of the dynamic loader.
const PT_INTERP: u32 = 3;
/// The longest path that the kernel takes there.
const PATH_MAX: u64 = 4096;
/// The longest table of program headers that the kernel reads, in bytes.
const HEADERS_MAX: u64 = 1 << 16;
/// The option by which a dynamic loader is told what the program finds in `argv[0]`: since glibc 2.33,
/// and in musl, which has it without the dashes.
const ARGV0: &[u8] = b"argv0\0";

/// A program's file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Program {
    /// One that the kernel runs by itself, or refuses.
    Alone,
    /// One that a dynamic loader brings to run.
    Loaded {
        /// The loader's path.
        by: Vec<u8>,
    },
    /// A script.
    Script {
        /// Its interpreter's path.
        by: Vec<u8>,
        /// The interpreter's one argument.
        argument: Option<Vec<u8>>,
    },
}

/// Programs' files that were read, by path. What was changed since is read again.
#[derive(Debug, Default)]
pub(super) struct Programs(RefCell<HashMap<Plain, (Stamp, Program)>>);

/// So many are remembered.
const MOST_PROGRAMS: usize = 1 << 12;
/// A file that was changed less than so many seconds ago may be changed again at what is the same time
/// for its file system.
const SETTLED: u64 = 2;

/// What tells one state of a file from the next: device, inode, size, and the time of the last change
/// with its nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp(u64, u64, u64, i64, i64);

impl Programs {
    /// What is at this path of the host.
    pub(super) fn read(&self, host: &Plain) -> io::Result<Program> {
        let meta = fs::metadata(host.as_path())?;
        let stamp = Stamp::of(&meta);
        let mut known = self.0.borrow_mut();
        if let Some((_, program)) = known.get(host).filter(|(then, _)| *then == stamp) {
            return Ok(program.clone());
        }
        let program = read(host)?;
        if stamp.is_settled() {
            if known.len() >= MOST_PROGRAMS {
                known.clear();
            }
            known.insert(host.clone(), (stamp, program.clone()));
        }
        Ok(program)
    }
}

impl Stamp {
    fn of(meta: &Metadata) -> Stamp {
        Stamp(meta.dev(), meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec())
    }

    /// Whether the next change will have another.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        u64::try_from(self.3).is_ok_and(|changed| changed.saturating_add(SETTLED) < now)
    }
}

/// What is at this path of the host.
fn read(host: &Plain) -> io::Result<Program> {
    let file = open(host)?;
    let mut head = [0; HEAD_LEN];
    let len = file.read_at(&mut head, 0)?;
    let head = &head[..len];
    if head.starts_with(b"#!") {
        return Ok(script(head));
    }
    let loader = elf_loader(&file, head)?;
    Ok(loader.map_or(Program::Alone, |by| Program::Loaded { by }))
}

/// Whether this loader can be told `argv[0]`.
pub(super) fn takes_argv0(loader: &Plain) -> bool {
    let mut bytes = Vec::new();
    let read = open(loader).and_then(|mut file| file.read_to_end(&mut bytes));
    read.is_ok() && bytes.windows(ARGV0.len()).any(|window| window == ARGV0)
}

/// A regular file: nobody waits at a pipe that a guest wants to run.
fn open(host: &Plain) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NONBLOCK).open(host.as_path())?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// What stands behind the `#!` with which a file begins, as the kernel reads it: a line that goes on behind
/// what it looks at is cut off there, but not within the interpreter's name.
fn script(head: &[u8]) -> Program {
    let mut buffer = [0; HEAD_LEN];
    buffer[..head.len()].copy_from_slice(head);
    let line = &buffer[b"#!".len()..HEAD_LEN - 1];
    let end = buffer.iter().position(|&byte| byte == b'\n').map(|end| end - b"#!".len());
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let ends = |byte: &u8| blank(byte) || *byte == 0;
    let whole = trim(&line[..end.unwrap_or(line.len()).min(line.len())], blank);
    let cut = whole.iter().position(ends);
    let by = &whole[..cut.unwrap_or(whole.len())];
    if by.is_empty() || cut.is_none() && end.is_none() {
        return Program::Alone;
    }
    let rest = trim(&whole[by.len()..], blank);
    let argument = &rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())];
    let argument = (!argument.is_empty()).then(|| argument.to_vec());
    Program::Script { by: by.to_vec(), argument }
}

/// Without such bytes at its ends.
fn trim(line: &[u8], blank: impl Fn(&u8) -> bool) -> &[u8] {
    let begin = line.iter().position(|byte| !blank(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !blank(byte)).map_or(begin, |last| last + 1);
    &line[begin..end]
}

/// The path of the loader that an ELF file wants.
fn elf_loader(file: &File, head: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let wide = match head.get(..6) {
        Some([0x7f, b'E', b'L', b'F', 1, 1]) => false,
        Some([0x7f, b'E', b'L', b'F', 2, 1]) => true,
        _ => return Ok(None),
    };
    let (table, size, count) = match wide {
        true => (number(head, 0x20, 8), number(head, 0x36, 2), number(head, 0x38, 2)),
        false => (number(head, 0x1c, 4), number(head, 0x2a, 2), number(head, 0x2c, 2)),
    };
    if size * count > HEADERS_MAX {
        return Ok(None);
    }
    let mut headers = vec![0; (size * count) as usize];
    file.read_exact_at(&mut headers, table)?;
    let found = headers
        .chunks_exact(size.max(1) as usize)
        .find(|header| number(header, 0, 4) == u64::from(PT_INTERP));
    let Some(header) = found else { return Ok(None) };
    let (offset, len) = match wide {
        true => (number(header, 8, 8), number(header, 0x20, 8)),
        false => (number(header, 4, 4), number(header, 0x10, 4)),
    };
    let mut path = vec![0; len.min(PATH_MAX) as usize];
    file.read_exact_at(&mut path, offset)?;
    path.truncate(path.iter().position(|&byte| byte == 0).unwrap_or(path.len()));
    Ok((!path.is_empty()).then_some(path))
}

/// The number of so many bytes at an offset; 0 where there is none.
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let bytes = bytes.get(at..at + len).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_one_argument_at_most() {
        let of = |line: &str| script(format!("#!{line}").as_bytes());
        let by = |by: &str, argument: Option<&str>| Program::Script {
            by: by.into(),
            argument: argument.map(Into::into),
        };
        assert_eq!(of("/bin/sh\necho"), by("/bin/sh", None));
        assert_eq!(of(" \t/bin/sh  -e  -u \n"), by("/bin/sh", Some("-e  -u")));
        assert_eq!(of("\n/bin/sh"), Program::Alone);
        assert_eq!(of("/bin/sh"), by("/bin/sh", None));
        assert_eq!(of("/bin/sh\0 -e\n"), by("/bin/sh", None));
        assert_eq!(of("/bin/sh \t -e\0u\n"), by("/bin/sh", Some("-e")));
        assert_eq!(of(" \t"), Program::Alone);
    }

    #[test]
    fn a_scripts_line_is_cut_off_where_the_kernel_does_it() {
        let long = "l".repeat(300);
        assert_eq!(script(format!("#!/{long}\n").as_bytes().split_at(256).0), Program::Alone);
        let line = format!("#!/bin/sh {long}\n");
        let argument = long.as_bytes()[..255 - "#!/bin/sh ".len()].to_vec();
        let cut = Program::Script { by: b"/bin/sh".to_vec(), argument: Some(argument) };
        assert_eq!(script(&line.as_bytes()[..256]), cut);
    }

    #[test]
    fn a_dynamic_program_names_its_loader() {
        let own = std::env::current_exe().expect("this program");
        let own = Plain::of(own.as_os_str().as_encoded_bytes()).expect("its path");
        let loader = match read(&own).expect("it can be read") {
            Program::Loaded { by } => Plain::of(&by).expect("a path"),
            other => panic!("{other:?}"),
        };
        assert_eq!(read(&loader).expect("it can be read"), Program::Alone);
        assert!(takes_argv0(&loader));
    }
}
