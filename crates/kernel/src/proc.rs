//! What `/proc` tells of a process or thread: `proc(5)`.
//!
//! Every function takes the id of a process or of any one thread.

pub mod connections;
pub mod mappings;
pub mod namespaces;
pub mod pid_namespaces;
pub mod security_contexts;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use libc::{c_int, pid_t, uid_t};

use crate::credentials::FileRights;
use crate::toll;

/// Why a file of `/proc` could not be read.
#[derive(thiserror::Error, Debug)]
pub enum ProcError {
    /// The process, thread or descriptor does not exist, or no longer (`ENOENT`, `ESRCH`).
    #[error("{} does not exist", .path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// This user may not read it (`EACCES`, `EPERM`).
    #[error("no permission to read {}", .path.display())]
    Denied {
        /// The file.
        path: PathBuf,
    },
    /// Any other error.
    #[error("cannot read {}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What the kernel answered.
        #[source]
        source: io::Error,
    },
    /// The file is not as `proc(5)` says.
    #[error("{} has no valid field {field}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The field that is missing or wrong.
        field: &'static str,
    },
}

impl ProcError {
    fn new(path: PathBuf, source: io::Error) -> ProcError {
        match source.raw_os_error() {
            Some(libc::ENOENT | libc::ESRCH) => ProcError::Gone { path },
            Some(libc::EACCES | libc::EPERM) => ProcError::Denied { path },
            _ => ProcError::Failed { path, source },
        }
    }
}

/// The threads of a process, in the kernel's order. Some may have ended, and others have started,
/// by the time this returns.
pub fn tasks(pid: pid_t) -> Result<Vec<pid_t>, ProcError> {
    let path = path_of(pid, "task");
    toll::count(toll::Kind::ProcRead);
    let list = || {
        let mut tasks = Vec::new();
        for entry in fs::read_dir(&path)? {
            tasks.extend(entry?.file_name().to_str().and_then(|name| name.parse::<pid_t>().ok()));
        }
        Ok(tasks)
    };
    list().map_err(|error| ProcError::new(path.clone(), error))
}

/// The open descriptors of a process.
pub fn descriptors(pid: pid_t) -> Result<Vec<c_int>, ProcError> {
    let path = path_of(pid, "fd");
    toll::count(toll::Kind::ProcRead);
    let list = || {
        let mut descriptors = Vec::new();
        for entry in fs::read_dir(&path)? {
            descriptors
                .extend(entry?.file_name().to_str().and_then(|name| name.parse::<c_int>().ok()));
        }
        Ok(descriptors)
    };
    list().map_err(|error| ProcError::new(path.clone(), error))
}

/// Whether a process has this descriptor open.
pub fn is_descriptor(pid: pid_t, fd: u32) -> bool {
    toll::count(toll::Kind::ProcRead);
    fs::symlink_metadata(path_of(pid, format_args!("fd/{fd}"))).is_ok()
}

/// How many descriptors a process has open: who asks often need not look for the process each time.
#[derive(Debug)]
pub struct DescriptorCount {
    pid: pid_t,
    folder: fs::File,
}

impl DescriptorCount {
    /// That of a process.
    pub fn open(pid: pid_t) -> Result<DescriptorCount, ProcError> {
        let path = path_of(pid, "fd");
        toll::count(toll::Kind::ProcRead);
        let folder = fs::File::open(&path).map_err(|error| ProcError::new(path, error))?;
        Ok(DescriptorCount { pid, folder })
    }

    /// How many there are now. Since Linux 6.2 one kernel call tells that.
    pub fn now(&self) -> Result<u64, ProcError> {
        toll::count(toll::Kind::ProcRead);
        match self.folder.metadata() {
            Ok(data) if data.len() > 0 => Ok(data.len()),
            Ok(_) => descriptors(self.pid).map(|list| list.len() as u64),
            Err(error) => Err(ProcError::new(path_of(self.pid, "fd"), error)),
        }
    }
}

/// What the kernel tells of a descriptor (`proc_pid_fdinfo(5)`), for who asks often.
#[derive(Debug)]
pub struct DescriptorText {
    path: PathBuf,
    file: fs::File,
}

impl DescriptorText {
    /// That of a descriptor of a process, whatever file that is of by then.
    pub fn open(pid: pid_t, fd: c_int) -> Result<DescriptorText, ProcError> {
        let path = path_of(pid, format_args!("fdinfo/{fd}"));
        toll::count(toll::Kind::ProcRead);
        match fs::File::open(&path) {
            Ok(file) => Ok(DescriptorText { path, file }),
            Err(error) => Err(ProcError::new(path, error)),
        }
    }

    /// The beginning of it: as much as there is room for.
    pub fn read<'a>(&self, room: &'a mut [u8]) -> Result<&'a [u8], ProcError> {
        toll::count(toll::Kind::ProcRead);
        let len = self.file.read_at(room, 0);
        let len = len.map_err(|error| ProcError::new(self.path.clone(), error))?;
        Ok(&room[..len])
    }
}

/// What an open descriptor refers to, in the kernel's words: a path, `socket:[123]`,
/// `pipe:[123]`, `anon_inode:[eventpoll]`, or a path with ` (deleted)` behind it.
pub fn descriptor(pid: pid_t, fd: c_int) -> Result<PathBuf, ProcError> {
    let path = path_of(pid, format_args!("fd/{fd}"));
    toll::count(toll::Kind::ProcRead);
    fs::read_link(&path).map_err(|error| ProcError::new(path, error))
}

/// What tells a file from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File {
    /// Its file system and its inode there.
    pub identity: (u64, u64),
    /// The device that it stands for, if any.
    pub device: Option<Device>,
}

/// A device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Device {
    /// A block device, not a character device.
    pub block: bool,
    /// Its major number.
    pub major: u32,
    /// Its minor number.
    pub minor: u32,
}

impl From<fs::Metadata> for File {
    fn from(data: fs::Metadata) -> File {
        let block = data.file_type().is_block_device();
        let is_device = block || data.file_type().is_char_device();
        let [major, minor] = [libc::major(data.rdev()), libc::minor(data.rdev())];
        File {
            identity: (data.dev(), data.ino()),
            device: is_device.then_some(Device { block, major, minor }),
        }
    }
}

/// The file that an open descriptor refers to, whatever has become of its name: `stat(2)`.
pub fn open_file(pid: pid_t, fd: c_int) -> Result<File, ProcError> {
    let path = path_of(pid, format_args!("fd/{fd}"));
    toll::count(toll::Kind::ProcRead);
    fs::metadata(&path).map(File::from).map_err(|error| ProcError::new(path, error))
}

/// The file of this absolute path as the thread sees it, which may have another root or other
/// mounts than we. A symbolic link at the path's end is not followed.
pub fn named_file(tid: pid_t, path: &Path) -> Result<File, ProcError> {
    let mut whole = path_of(tid, "root").into_os_string();
    whole.push(path);
    let path = PathBuf::from(whole);
    toll::count(toll::Kind::ProcRead);
    fs::symlink_metadata(&path).map(File::from).map_err(|error| ProcError::new(path, error))
}

/// The field `name` of what the kernel tells of an open descriptor: `proc_pid_fdinfo(5)`.
pub fn descriptor_field(pid: pid_t, fd: c_int, name: &'static str) -> Result<String, ProcError> {
    let path = path_of(pid, format_args!("fdinfo/{fd}"));
    let text = read(&path)?;
    let mut lines = text.split(|&byte| byte == b'\n');
    lines
        .find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b":"))
        .map(|value| String::from_utf8_lossy(value.trim_ascii()).into_owned())
        .ok_or(ProcError::Malformed { path, field: name })
}

/// The same field as a number of this base.
pub fn descriptor_number(
    pid: pid_t,
    fd: c_int,
    name: &'static str,
    radix: u32,
) -> Result<u64, ProcError> {
    let value = descriptor_field(pid, fd, name)?;
    let malformed =
        |_| ProcError::Malformed { path: path_of(pid, format_args!("fdinfo/{fd}")), field: name };
    u64::from_str_radix(&value, radix).map_err(malformed)
}

/// All that the kernel tells of an open descriptor: `proc_pid_fdinfo(5)`.
pub fn descriptor_text(pid: pid_t, fd: c_int) -> Result<String, ProcError> {
    let text = read(&path_of(pid, format_args!("fdinfo/{fd}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The working directory of a thread.
pub fn working_directory(tid: pid_t) -> Result<PathBuf, ProcError> {
    let path = path_of(tid, "cwd");
    toll::count(toll::Kind::ProcRead);
    fs::read_link(&path).map_err(|error| ProcError::new(path, error))
}

/// The file of the program that a process runs.
pub fn executable(pid: pid_t) -> Result<PathBuf, ProcError> {
    let path = path_of(pid, "exe");
    toll::count(toll::Kind::ProcRead);
    fs::read_link(&path).map_err(|error| ProcError::new(path, error))
}

/// The name of the thread, without the newline; 15 bytes at most, of any value.
pub fn comm(tid: pid_t) -> Result<OsString, ProcError> {
    let mut name = read(&path_of(tid, "comm"))?;
    name.pop_if(|last| *last == b'\n');
    Ok(OsString::from_vec(name))
}

/// Who a thread is, from `/proc/TID/status`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// The process that it belongs to.
    pub tgid: pid_t,
    /// The process that made its process, or adopted it since.
    pub parent: pid_t,
    /// Its process group; 0 if the kernel does not tell.
    pub group: pid_t,
    /// How many threads its process has.
    pub threads: u32,
    /// The thread that traces it.
    pub tracer: Option<pid_t>,
    /// Its real user.
    pub real_uid: uid_t,
    /// Its effective user.
    pub effective_uid: uid_t,
}

/// Who this thread is.
pub fn status(tid: pid_t) -> Result<Status, ProcError> {
    let path = path_of(tid, "status");
    let text = read(&path)?;
    parse_status(&text).map_err(|field| ProcError::Malformed { path, field })
}

/// What counts of a thread when it opens files, from `/proc/TID/status`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The process that it belongs to.
    pub tgid: pid_t,
    /// The permissions that it takes from new files.
    pub umask: u32,
    /// Its rights.
    pub rights: FileRights,
    /// How many seccomp filters it is under.
    pub filters: u32,
}

/// What counts of this thread when it opens files.
pub fn identity(tid: pid_t) -> Result<Identity, ProcError> {
    let path = path_of(tid, "status");
    let text = read(&path)?;
    let all = || {
        let digits = |field, radix| {
            let digits: String = number(&text, field, 0)?;
            u64::from_str_radix(&digits, radix).map_err(|_| field)
        };
        let groups = (0..).map_while(|place| number(&text, "Groups:", place).ok()).collect();
        let rights = FileRights {
            uid: number(&text, "Uid:", 3)?,
            gid: number(&text, "Gid:", 3)?,
            groups,
            capabilities: digits("CapEff:", 16)?,
        };
        Ok(Identity {
            tgid: number(&text, "Tgid:", 0)?,
            umask: digits("Umask:", 8)? as u32,
            rights,
            filters: number(&text, "Seccomp_filters:", 0)?,
        })
    };
    all().map_err(|field| ProcError::Malformed { path, field })
}

/// Whether a thread sleeps in the kernel: in a call, or for memory.
pub fn is_asleep(tid: pid_t) -> Result<bool, ProcError> {
    Ok(matches!(state(tid)?, Some(b'S' | b'D')))
}

/// Whether a thread runs, or would if it had a processor.
pub fn is_running(tid: pid_t) -> bool {
    matches!(state(tid), Ok(Some(b'R')))
}

/// Whether a thread has ended, and its end has not been reported.
pub fn is_zombie(tid: pid_t) -> bool {
    matches!(state(tid), Ok(Some(b'Z' | b'X')))
}

/// The letter of a thread's state, as `/proc/TID/status` has it.
fn state(tid: pid_t) -> Result<Option<u8>, ProcError> {
    let text = read(&path_of(tid, "status"))?;
    let mut lines = text.split(|byte| *byte == b'\n');
    Ok(lines.find_map(|line| line.strip_prefix(b"State:\t")?.first().copied()))
}

/// Sets of signals, from `/proc/TID/status`: bit `n - 1` is signal `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signals {
    /// Sent to this thread, and not delivered yet.
    pub pending: u64,
    /// That it blocks.
    pub blocked: u64,
    /// Ignored by its process.
    pub ignored: u64,
    /// For which its process has a handler.
    pub caught: u64,
}

/// What becomes of a thread's signals.
pub fn signals(tid: pid_t) -> Result<Signals, ProcError> {
    let path = path_of(tid, "status");
    let text = read(&path)?;
    let set = |field| {
        let digits: String = number(&text, field, 0)?;
        u64::from_str_radix(&digits, 16).map_err(|_| field)
    };
    let all = || {
        Ok(Signals {
            pending: set("SigPnd:")?,
            blocked: set("SigBlk:")?,
            ignored: set("SigIgn:")?,
            caught: set("SigCgt:")?,
        })
    };
    all().map_err(|field| ProcError::Malformed { path, field })
}

/// The terminal of a thread's session, from `/proc/TID/stat`; `None` if it has none.
pub fn terminal(tid: pid_t) -> Result<Option<Device>, ProcError> {
    let path = path_of(tid, "stat");
    let text = read(&path)?;
    match parse_terminal(&text) {
        Some(0) => Ok(None),
        Some(number) => {
            // As the kernel packs it: twelve bits of the major number stand within the minor one.
            let (major, minor) = (number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xfff00);
            Ok(Some(Device { block: false, major, minor }))
        }
        None => Err(ProcError::Malformed { path, field: "tty_nr" }),
    }
}

/// The timers that a process has made by `timer_create(2)` (`/proc/PID/timers`), in the kernel's words.
pub fn timers(pid: pid_t) -> Result<Vec<u8>, ProcError> {
    read(&path_of(pid, "timers"))
}

/// The signals that a thread's process ignores: bit `n - 1` is signal `n`.
pub fn ignored_signals(tid: pid_t) -> Result<u64, ProcError> {
    signals(tid).map(|signals| signals.ignored)
}

/// Whether a thread is under a seccomp filter, or in strict mode.
pub fn is_filtered(tid: pid_t) -> Result<bool, ProcError> {
    const FIELD: &str = "Seccomp:";
    let path = path_of(tid, "status");
    let mode: u8 =
        number(&read(&path)?, FIELD, 0).map_err(|field| ProcError::Malformed { path, field })?;
    Ok(mode != 0)
}

fn path_of(pid: pid_t, name: impl Display) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

/// The content of a file, with every kernel call counted.
fn read(path: &PathBuf) -> Result<Vec<u8>, ProcError> {
    const EXPECTED: usize = 4096;
    read_about(path, EXPECTED)
}

/// The content of a file that is likely to be less than `expected` bytes long.
fn read_about(path: &PathBuf, expected: usize) -> Result<Vec<u8>, ProcError> {
    let read_all = || {
        toll::count(toll::Kind::ProcRead);
        let mut file = fs::File::open(path)?;
        let mut content = vec![0; expected];
        let mut length = 0;
        loop {
            toll::count(toll::Kind::ProcRead);
            match file.read(&mut content[length..])? {
                0 => break,
                got => length += got,
            }
            if length == content.len() {
                content.resize(2 * length, 0);
            }
        }
        // The closing.
        toll::count(toll::Kind::ProcRead);
        content.truncate(length);
        Ok(content)
    };
    read_all().map_err(|error| ProcError::new(path.clone(), error))
}

/// The number of the terminal: the fifth field behind the name, which may hold anything.
fn parse_terminal(text: &[u8]) -> Option<u32> {
    let end = text.iter().rposition(|&byte| byte == b')')?;
    let fields = str::from_utf8(&text[end + 1..]).ok()?;
    let number: i32 = fields.split_ascii_whitespace().nth(4)?.parse().ok()?;
    Some(number as u32)
}

/// Names the field that is missing or wrong.
fn parse_status(text: &[u8]) -> Result<Status, &'static str> {
    let tracer = number(text, "TracerPid:", 0)?;
    Ok(Status {
        tgid: number(text, "Tgid:", 0)?,
        parent: number(text, "PPid:", 0)?,
        group: number(text, "NSpgid:", 0).unwrap_or(0),
        tracer: (tracer != 0).then_some(tracer),
        real_uid: number(text, "Uid:", 0)?,
        effective_uid: number(text, "Uid:", 1)?,
        threads: number(text, "Threads:", 0)?,
    })
}

/// The number at `place` on the line that begins with `field`.
fn number<T: FromStr>(text: &[u8], field: &'static str, place: usize) -> Result<T, &'static str> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(field.as_bytes()));
    line.and_then(|line| str::from_utf8(line).ok())
        .and_then(|line| line.split_ascii_whitespace().nth(place)?.parse().ok())
        .ok_or(field)
}

#[cfg(test)]
mod tests;
