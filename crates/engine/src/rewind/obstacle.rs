//! What stands in the way of a snapshot, of what a descriptor is of.

use std::fs::{File, Metadata};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use kernel::{behalf, kcmp, proc};

use super::Obstacle;
use super::named::Named;
use super::nameless::{Copied, Found, Nameless};

/// `MQUEUE_MAGIC`: the file system of message queues.
const QUEUES: u64 = 0x1980_0202;
/// The devices without a state: `/dev/null`, `/dev/zero`, `/dev/full`, `/dev/random` and `/dev/urandom`.
const MEMORY: u32 = 1;
const STATELESS: [u32; 5] = [3, 5, 7, 8, 9];
/// The major numbers of terminals: of consoles, of `/dev/tty` and `/dev/ptmx`, of `devpts`.
const CONSOLES: u32 = 4;
const TERMINALS: u32 = 5;
const PSEUDO_TERMINALS: std::ops::RangeInclusive<u32> = 136..=143;

/// What stands in the way, if anything does; this is a copy of the descriptor. What the program has inherited
/// from us is not its own.
pub fn obstacle(named: &Named, copy: &File, copied: &mut Copied) -> Option<Obstacle> {
    let Named { pid, fd, name, .. } = named;
    let own = std::process::id() as i32;
    if kcmp::share_file((own, *fd), (*pid, *fd)).unwrap_or(false) {
        return None;
    }
    let what = match name.as_str() {
        socket if socket.starts_with("socket:") => "a socket".to_owned(),
        pipe if pipe.starts_with("pipe:") => "a pipe".to_owned(),
        other => match other.strip_prefix("anon_inode:") {
            Some(kind) => format!("of the kind {}", kind.trim_matches(['[', ']'])),
            None => match with_state(copy).or_else(|| uncopied(named, copy, copied)) {
                Some(kind) => format!("{kind} ({name})"),
                None => {
                    let locked = proc::descriptor_field(*pid, *fd, "lock").is_ok();
                    return locked.then(|| Obstacle::Lock(*fd, name.clone()));
                }
            },
        },
    };
    Some(Obstacle::Descriptor(*fd, what))
}

/// What has a path, and a state that is not put back.
fn with_state(copy: &File) -> Option<&'static str> {
    let data = copy.metadata().ok()?;
    let kind = data.file_type();
    if kind.is_fifo() {
        return Some("a FIFO");
    }
    if kind.is_char_device() {
        return of_device(&data);
    }
    let is_queue = kind.is_file() && behalf::file_system(copy.as_fd()).ok()? == QUEUES;
    is_queue.then_some("a message queue")
}

fn uncopied(named: &Named, copy: &File, copied: &mut Copied) -> Option<&'static str> {
    let is_it = matches!(Nameless::of(named, copy, copied), Found::Uncopied);
    is_it.then_some("a file without a name that cannot be copied")
}

fn of_device(data: &Metadata) -> Option<&'static str> {
    match (libc::major(data.rdev()), libc::minor(data.rdev())) {
        (MEMORY, minor) if STATELESS.contains(&minor) => None,
        (CONSOLES | TERMINALS, _) => Some("a terminal"),
        (major, _) if PSEUDO_TERMINALS.contains(&major) => Some("a terminal"),
        _ => Some("a device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_without_a_state_are_known() {
        let of = |path: &str| File::open(path).map(|file| with_state(&file));
        for path in ["/dev/null", "/dev/zero", "/dev/urandom", "/proc/self/maps", "/"] {
            assert_eq!(of(path).unwrap(), None, "{path}");
        }
        if let Ok(found) = of("/dev/ptmx") {
            assert_eq!(found, Some("a terminal"));
        }
    }
}
