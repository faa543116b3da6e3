//! The links of `proc(5)` that are no ordinary links.

use super::plain::Plain;

/// A link of `/proc` that the kernel follows other than by its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// `/proc/self`, `/proc/thread-self`: different for each that follows it.
    Oneself,
    /// It leads to a file of a process, whatever is said of its path: `cwd`, `root`, `exe`, `fd/N`, ….
    Magic,
}

/// Which of these links is at a path of the host.
pub fn link(host: &Plain) -> Option<Link> {
    let mut names = host.names();
    if names.next() != Some(b"proc") {
        return None;
    }
    let process = names.next()?;
    let mut name = match names.next() {
        None => return matches!(process, b"self" | b"thread-self").then_some(Link::Oneself),
        Some(name) => name,
    };
    let is_process = matches!(process, b"self" | b"thread-self") || is_number(process);
    if name == b"task" {
        names.next()?;
        name = names.next()?;
    }
    let magic = matches!(
        (name, names.next()),
        (b"cwd" | b"root" | b"exe", None) | (b"fd" | b"ns" | b"map_files", Some(_))
    );
    (is_process && magic && names.next().is_none()).then_some(Link::Magic)
}

/// The process whose files in `/proc` a path of the host leads to, its thread, and what leads there from
/// the directory of either. `caller` and `thread` are those that `self` and `thread-self` mean.
pub fn process_of(host: &Plain, caller: i32, thread: i32) -> Option<(i32, i32, &[u8])> {
    let (name, rest) = cut(host.raw().strip_prefix(b"/proc/")?);
    let (process, first) = match name {
        b"self" => (caller, caller),
        b"thread-self" => (caller, thread),
        name => (number(name)?, number(name)?),
    };
    match rest.strip_prefix(b"/task/").map(cut) {
        Some((name, rest)) => Some((process, number(name)?, rest)),
        None => Some((process, first, rest)),
    }
}

/// The first name of a path that is relative, and the rest behind it.
fn cut(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(path.iter().position(|&byte| byte == b'/').unwrap_or(path.len()))
}

fn number(name: &[u8]) -> Option<i32> {
    std::str::from_utf8(name).ok()?.parse().ok()
}

fn is_number(name: &[u8]) -> bool {
    name.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_of_a_process() {
        let of = |path: &str| {
            let host = Plain::of(path.as_bytes()).expect("a plain path");
            let (process, thread, rest) = process_of(&host, 5, 6)?;
            Some((process, thread, String::from_utf8_lossy(rest).into_owned()))
        };
        assert_eq!(of("/proc/self/cwd"), Some((5, 5, "/cwd".into())));
        assert_eq!(of("/proc/thread-self/cwd"), Some((5, 6, "/cwd".into())));
        assert_eq!(of("/proc/7/task/8/root"), Some((7, 8, "/root".into())));
        assert_eq!(of("/proc/7/fd/3"), Some((7, 7, "/fd/3".into())));
        assert_eq!(of("/proc/sys/fs"), None);
    }

    #[test]
    fn links_of_processes_are_told_from_others() {
        let of = |path: &str| link(&Plain::of(path.as_bytes()).expect("a plain path"));
        for path in ["/proc/self/exe", "/proc/12/fd/3", "/proc/self/task/7/cwd", "/proc/1/ns/mnt"] {
            assert_eq!(of(path), Some(Link::Magic), "{path}");
        }
        assert_eq!(of("/proc/self"), Some(Link::Oneself));
        assert_eq!(of("/proc/thread-self"), Some(Link::Oneself));
        for path in [
            "/",
            "/proc",
            "/proc/mounts",
            "/proc/12",
            "/proc/sys/fs",
            "/proc/self/fd",
            "/srv/self/exe",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
