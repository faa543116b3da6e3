//! What the descriptors that a call mentions stand for.
//!
//! No meaning of a number is remembered from one call to the next: another thread may change it at
//! any time.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use contract::{Capture, FdDetail, FdDetails, FdInfo, Pid, Tid};
use kernel::proc;
use record::{Decoder, Record, Value};
use table::arch::x86_64::PIDFD_GETFD;

use crate::SecurityContexts;
use crate::sockets::Sockets;

/// Stands for the working directory where a directory's descriptor is expected (`openat(2)`).
const AT_FDCWD: i32 = -100;

/// Looks up descriptors.
#[derive(Debug)]
pub struct Descriptors {
    wanted: FdDetails,
    sockets: Sockets,
}

impl Descriptors {
    /// Looks up these details.
    pub fn new(wanted: FdDetails) -> Descriptors {
        Descriptors { wanted, sockets: Sockets::default() }
    }

    /// Notes in the capture what each descriptor stands for that the call is known to mention by
    /// now: among its arguments, in memory behind them, as its result. A thread that is gone has
    /// none.
    pub fn look_up(
        &mut self,
        process: Pid,
        tid: Tid,
        call: &mut Capture,
        contexts: &SecurityContexts,
    ) {
        if self.wanted == FdDetails::NONE && !contexts.are_wanted() {
            return;
        }
        if call.arch.native_number(call.number) == PIDFD_GETFD.number.into() {
            call.others_fd = self.of_other(tid, call.args[0] as i32, call.args[1] as i32);
        }
        let mut fds = mentioned(&Decoder::default().exit(call));
        fds.sort_unstable();
        fds.dedup();
        call.fds.extend(fds.into_iter().filter_map(|fd| match fd {
            AT_FDCWD => {
                let target = proc::working_directory(tid.0).ok()?.into_os_string().into_vec();
                Some(FdInfo { fd, target, ..FdInfo::default() })
            }
            fd => {
                let context = contexts.of_descriptor(tid, fd);
                self.descriptor(process, tid, fd).map(|info| FdInfo { context, ..info })
            }
        }));
    }

    /// A descriptor of the process behind another one.
    fn of_other(&mut self, tid: Tid, pidfd: i32, fd: i32) -> Option<FdInfo> {
        // The process may be over: -1.
        let pid = proc::descriptor_number(tid.0, pidfd, "Pid", 10).ok()?;
        let other = Tid(i32::try_from(pid).ok().filter(|pid| *pid > 0)?);
        self.descriptor(other, other, fd)
    }

    fn descriptor(&mut self, process: Pid, tid: Tid, fd: i32) -> Option<FdInfo> {
        let target = proc::descriptor(tid.0, fd).ok()?.into_os_string().into_vec();
        let number = |field, radix| proc::descriptor_number(tid.0, fd, field, radix).ok();
        let wanted = self.wanted;
        let detail = match &target[..] {
            [b'/', ..] => return Some(self.file(tid, fd, target)),
            target if target.starts_with(b"socket:[") && wanted.sockets => {
                self.sockets.look_up(process, tid, fd).map(FdDetail::Socket)
            }
            // The process may be over: -1.
            b"anon_inode:[pidfd]" if wanted.pidfds => {
                number("Pid", 10).filter(|pid| *pid > 0).map(|pid| FdDetail::Process(pid as i32))
            }
            b"anon_inode:[signalfd]" if wanted.signalfds => {
                number("sigmask", 16).map(FdDetail::Signals)
            }
            b"anon_inode:[eventfd]" if wanted.eventfds => {
                number("eventfd-count", 16).map(FdDetail::Counter)
            }
            _ => None,
        };
        Some(FdInfo { fd, target, detail: detail.unwrap_or_default(), ..FdInfo::default() })
    }

    /// A descriptor of a file that has, or had, this path.
    fn file(&self, tid: Tid, fd: i32, mut target: Vec<u8>) -> FdInfo {
        let looks_deleted = target.ends_with(DELETED);
        let needed = looks_deleted || self.wanted.devices;
        let open = needed.then(|| proc::open_file(tid.0, fd).ok()).flatten();
        // It may as well be a file of such a name.
        let deleted = looks_deleted && {
            let named = proc::named_file(tid.0, Path::new(OsStr::from_bytes(&target))).ok();
            named.is_none() || named.map(|file| file.identity) != open.map(|file| file.identity)
        };
        if deleted {
            target.truncate(target.len() - DELETED.len());
        }
        let detail = match open.and_then(|file| file.device).filter(|_| self.wanted.devices) {
            Some(proc::Device { block, major, minor }) => FdDetail::Device { block, major, minor },
            None => FdDetail::None,
        };
        FdInfo { fd, target, deleted, detail, context: None }
    }
}

/// What the kernel writes behind the path of a file that is no more.
const DELETED: &[u8] = b" (deleted)";

/// A descriptor of which a thread has told the target itself. It may mean something else by now.
pub fn named(tid: Tid, fd: i32, mut target: Vec<u8>) -> FdInfo {
    // A file may have such a name.
    let deleted = target.starts_with(b"/")
        && target.ends_with(DELETED)
        && proc::named_file(tid.0, Path::new(OsStr::from_bytes(&target))).is_err();
    if deleted {
        target.truncate(target.len() - DELETED.len());
    }
    FdInfo { fd, target, deleted, ..FdInfo::default() }
}

/// The descriptors of which nothing is known yet. The result is always one of them, whatever its
/// number stood for before.
fn mentioned(record: &Record<'_>) -> Vec<i32> {
    let unknown = |value| match value {
        Value::Fd(fd @ 0.., None) | Value::DirFd(fd @ (0.. | AT_FDCWD), None) => Some(fd),
        _ => None,
    };
    let mut fds: Vec<i32> = record.args.all().filter_map(|node| unknown(node.value)).collect();
    if let Some(result) = &record.result {
        fds.extend(result.note.all().filter_map(|node| unknown(node.value)));
        if let Value::Fd(fd @ 0.., _) = result.value {
            fds.push(fd);
        }
    }
    fds
}
