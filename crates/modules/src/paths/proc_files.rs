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

/// The process whose files in `/proc` a path of the host leads to, and what leads there from its
/// directory. `caller` is the one that `self` means.
pub fn process_of(host: &Plain, caller: i32) -> Option<(i32, &[u8])> {
    let rest = host.raw().strip_prefix(b"/proc/")?;
    let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    let process = match &rest[..end] {
        b"self" | b"thread-self" => caller,
        name => std::str::from_utf8(name).ok()?.parse().ok()?,
    };
    Some((process, &rest[end..]))
}

fn is_number(name: &[u8]) -> bool {
    name.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

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
