//! What the descriptors that a call mentions stand for.

use std::os::unix::ffi::OsStringExt as _;

use contract::{Capture, FdInfo, Tid};
use kernel::proc;
use record::{Decoder, Record, Value};

/// Stands for the working directory where a directory's descriptor is expected (`openat(2)`).
const AT_FDCWD: i32 = -100;

/// Notes in the capture what each descriptor stands for that the call is known to mention by now:
/// among its arguments, in memory behind them, as its result. A thread that is gone has none.
pub fn look_up(tid: Tid, call: &mut Capture) {
    let record = if call.outcome.is_some() { Decoder.exit(call) } else { Decoder.entry(call) };
    let mut fds = mentioned(&record);
    fds.sort_unstable();
    fds.dedup();
    for fd in fds {
        let target = match fd {
            AT_FDCWD => proc::working_directory(tid.0),
            fd => proc::descriptor(tid.0, fd),
        };
        if let Ok(target) = target {
            call.fds.push(FdInfo { fd, target: target.into_os_string().into_vec() });
        }
    }
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
