//! Other names of files that are mounted more than once (bind mounts).

use std::{fs, io};

use crate::paths::Plain;

/// What is mounted where. Guests cannot change it: mounts are refused to them.
#[derive(Debug, Default)]
pub(super) struct Mounts(Vec<Mount>);

/// A part of a file system, and where it is seen.
#[derive(PartialEq, Eq, Debug)]
struct Mount {
    device: String,
    /// The directory of the file system that is seen there.
    root: Plain,
    at: Plain,
}

impl Mounts {
    /// Ours.
    pub fn read() -> io::Result<Mounts> {
        Ok(Mounts::of(&fs::read("/proc/self/mountinfo")?))
    }

    /// As `/proc/PID/mountinfo` has them, a line each.
    fn of(text: &[u8]) -> Mounts {
        let mount = |line: &[u8]| {
            let mut words = line.split(|&byte| byte == b' ').skip(2);
            let device = String::from_utf8(words.next()?.to_vec()).ok()?;
            let mut path = || Plain::of(&unescaped(words.next()?));
            Some(Mount { device, root: path()?, at: path()? })
        };
        Mounts(text.split(|&byte| byte == b'\n').filter_map(mount).collect())
    }

    /// All other names of what has this one, and of what lies below it.
    pub fn other_names(&self, name: &Plain) -> Vec<Plain> {
        let Some((own, rest)) = self.holding(name) else { return Vec::new() };
        let in_system = own.root.join(rest);
        let same = self.0.iter().filter(|other| other.device == own.device && *other != own);
        let names = same.filter_map(|other| {
            let name = match in_system.below(&other.root) {
                Some(rest) => other.at.join(rest),
                // What is seen there lies below it.
                None => other.root.below(&in_system).map(|_| other.at.clone())?,
            };
            // Something else may be mounted above that.
            let seen = self.holding(&name).is_some_and(|(mount, _)| mount == other);
            seen.then_some(name)
        });
        names.collect()
    }

    /// The mount by which a name leads to its file, with what leads there from its directory.
    fn holding<'a>(&self, name: &'a Plain) -> Option<(&Mount, &'a [u8])> {
        let held = self.0.iter().filter_map(|mount| Some((mount, name.below(&mount.at)?)));
        // The latest counts of those at one place, which stand in that order.
        held.min_by_key(|(_, rest)| rest.len()).map(|(deepest, rest)| {
            let latest = self.0.iter().rfind(|mount| mount.at == deepest.at);
            (latest.unwrap_or(deepest), rest)
        })
    }
}

/// A path as the kernel writes it there: blanks and the like are `\` and three octal digits.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| byte == b'\\');
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(escaped) => {
                plain.push(escaped);
                rest = &after[3..];
            }
            None => {
                plain.push(byte);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
        21 20 8:1 /srv/data /mnt/data rw - ext4 /dev/sda1 rw\n\
        22 20 8:1 /srv /a\\040blank rw - ext4 /dev/sda1 rw\n\
        23 22 0:5 / /a\\040blank/data rw - tmpfs none rw\n\
        24 20 0:5 / /srv/other rw - tmpfs none rw\n\
        25 20 8:1 /srv/data/in /in rw - ext4 /dev/sda1 rw\n";

    fn others(name: &str) -> Vec<String> {
        let name = Plain::of(name.as_bytes()).expect("a plain path");
        Mounts::of(TEXT).other_names(&name).iter().map(Plain::to_string).collect()
    }

    #[test]
    fn a_file_is_seen_by_all_mounts_of_its_directory() {
        assert_eq!(others("/srv/data/f"), ["/mnt/data/f"]);
        assert_eq!(others("/srv/f"), ["/a blank/f"]);
        assert_eq!(others("/mnt/data/in/f"), ["/srv/data/in/f", "/in/f"]);
        assert_eq!(others("/home"), Vec::<String>::new());
    }

    #[test]
    fn what_lies_below_is_seen_too() {
        assert_eq!(others("/srv"), ["/mnt/data", "/a blank", "/in"]);
        // Something else covers it there.
        assert_eq!(others("/srv/data"), ["/mnt/data", "/in"]);
        assert_eq!(others("/srv/other/f"), ["/a blank/data/f"]);
    }
}
