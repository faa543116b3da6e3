//! Devices that lead past files, and the one that is another for each guest: its terminal.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use kernel::behalf;
use kernel::proc::{self, Device};
use libc::pid_t;

use super::walk::{Found, errno};

/// Major number of the memory devices: of these `null`, `zero`, `full`, `random`, `urandom` and `kmsg`
/// tell nobody's data.
const MEMORY: u32 = 1;
const HARMLESS: [u32; 6] = [3, 5, 7, 8, 9, 11];
/// Major numbers of disks by another way: SCSI generic, flash, raw.
const DISKS: [u32; 3] = [21, 90, 162];
/// Drivers, as `/proc/devices` names them, that lead to disks or memory by another way, and have no
/// number of their own.
const DRIVERS: [&str; 9] =
    ["bsg", "nvme", "nvme-generic", "dax", "usb_device", "uio", "vfio", "vfio-dev", "firewire"];
/// Major number of what has no driver of its own, and what of that is refused, by its name in `/proc/misc`:
/// whoever copies memory that is behind a userfaultfd waits for the guest, and `snapshot` tells all memory.
const MISC: u32 = 10;
const REFUSED_MISC: [&str; 3] = ["userfaultfd", "cuse", "snapshot"];
/// `/dev/tty`.
const OWN_TERMINAL: (u32, u32) = (5, 0);
/// Major number of terminals that have their names from `devpts`.
const PTS: u32 = 136;

/// Whether a file is a device that leads to memory or disks past all files.
pub fn is_raw(data: &Metadata) -> bool {
    let kind = data.file_type();
    if !kind.is_char_device() {
        return kind.is_block_device();
    }
    let (major, minor) = (libc::major(data.rdev()), libc::minor(data.rdev()));
    match major {
        MEMORY => !HARMLESS.contains(&minor),
        MISC => is_listed("/proc/misc", minor, &REFUSED_MISC),
        _ => DISKS.contains(&major) || is_listed("/proc/devices", major, &DRIVERS),
    }
}

/// Whether a list of the kernel's has this number with one of these names. What has another name in the
/// same list does no harm. A list that cannot be read has all numbers.
fn is_listed(list: &str, number: u32, names: &[&str]) -> bool {
    let Ok(text) = fs::read_to_string(list) else { return true };
    // Block devices are behind the others, with numbers of their own.
    let lines = text.lines().take_while(|line| !line.starts_with("Block"));
    lines
        .filter_map(|line| line.trim().split_once(' '))
        .any(|(listed, name)| listed.parse() == Ok(number) && names.contains(&name.trim()))
}

/// The terminal of a thread's session, where what was found is `/dev/tty` and that is not ours: opened
/// by us it would be ours.
///
/// # Errors
/// `ENXIO` if it has none.
pub fn own_terminal(found: &Found, tid: pid_t) -> io::Result<Option<OwnedFd>> {
    let Some(file) = &found.file else { return Ok(None) };
    let data = File::from(file.try_clone()?).metadata()?;
    let device = (libc::major(data.rdev()), libc::minor(data.rdev()));
    if !data.file_type().is_char_device() || device != OWN_TERMINAL {
        return Ok(None);
    }
    let of = |tid| proc::terminal(tid).map_err(|_| errno(libc::ENXIO));
    let terminal = of(tid)?.ok_or_else(|| errno(libc::ENXIO))?;
    if of(std::process::id() as pid_t)? == Some(terminal) {
        return Ok(None);
    }
    open_terminal(terminal).map(Some)
}

fn open_terminal(terminal: Device) -> io::Result<OwnedFd> {
    let Device { major, minor, .. } = terminal;
    let path = if major == PTS {
        format!("/dev/pts/{minor}\0")
    } else {
        let known = fs::read_link(format!("/sys/dev/char/{major}:{minor}"))?;
        let name = known.file_name().unwrap_or_default();
        format!("/dev/{}\0", name.display())
    };
    let file = behalf::open(path.as_bytes(), libc::O_PATH | libc::O_NOFOLLOW, 0)?;
    let data = File::from(file.try_clone()?).metadata()?;
    let is_it = data.file_type().is_char_device() && data.rdev() == libc::makedev(major, minor);
    if is_it { Ok(file) } else { Err(errno(libc::ENXIO)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_devices_that_tell_nobodys_data_are_opened() {
        let is_raw = |path| is_raw(&fs::metadata(path).expect("it is there"));
        assert!(!is_raw("/dev/null") && !is_raw("/dev/urandom") && !is_raw("/"));
        for path in ["/dev/userfaultfd", "/dev/mem", "/dev/vda", "/dev/loop0"] {
            assert!(fs::metadata(path).map_or(true, |_| is_raw(path)), "{path}");
        }
    }
}
