//! What a policy labels files with: `selabel_file(5)`.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use regex_lite::Regex;

/// The characters that make of a path a pattern; `\` takes that from the next one.
const SPECIAL: &str = ".^$?*+|[({";

/// What a policy says of the contexts of files. Later rules go before earlier ones, and those for one
/// path before patterns.
#[derive(Debug, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    /// Where paths begin, and what stands for that: the local ones, then the distribution's.
    substitutions: [Vec<(String, String)>; 2],
}

/// A line of `file_contexts`.
#[derive(Debug)]
struct Rule {
    path: Paths,
    /// Only files of this type: the letter by which `ls -l` tells it, `-` for a regular file.
    kind: Option<u8>,
    /// `None`: such files have no label.
    context: Option<String>,
}

#[derive(Debug)]
enum Paths {
    One(String),
    /// A pattern, and what all paths begin with that match it.
    Pattern(String, String),
}

impl Policy {
    /// The policy that the configuration in this directory names (`/etc/selinux`).
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn in_use(directory: &Path) -> io::Result<Policy> {
        let config = read(&directory.join("config"))?;
        let kind = config.lines().find_map(|line| line.trim().strip_prefix("SELINUXTYPE="));
        let kind = kind.map(str::trim).filter(|kind| !kind.is_empty()).unwrap_or("targeted");
        let files = directory.join(kind).join("contexts/files");
        let mut text = read(&files.join("file_contexts"))?;
        for more in ["file_contexts.homedirs", "file_contexts.local"] {
            text.push('\n');
            text.push_str(&fs::read_to_string(files.join(more)).unwrap_or_default());
        }
        let substitutions = ["file_contexts.subs", "file_contexts.subs_dist"].map(|name| {
            let text = fs::read_to_string(files.join(name)).unwrap_or_default();
            lines(&text).filter_map(|words| pair(&words)).collect()
        });
        let rules = lines(&text).filter_map(|words| Rule::parse(&words)).collect();
        Ok(Policy { rules, substitutions })
    }

    /// What the policy labels the file at the end of this path with.
    pub fn expected(&self, file: &Path) -> Option<Vec<u8>> {
        let kind = letter(fs::metadata(file).ok()?.file_type());
        let path = fs::canonicalize(file).ok()?;
        self.of(path.to_str()?, kind).map(|context| context.as_bytes().to_vec())
    }

    fn of(&self, path: &str, kind: u8) -> Option<&str> {
        let path =
            self.substitutions.iter().fold(path.to_owned(), |path, these| substituted(path, these));
        let candidates = || {
            let rules = self.rules.iter().rev();
            rules.filter(|rule| rule.kind.is_none_or(|only| only == kind))
        };
        let named = candidates().find(|rule| matches!(&rule.path, Paths::One(one) if *one == path));
        let rule = named.or_else(|| candidates().find(|rule| rule.matches(&path)))?;
        rule.context.as_deref()
    }
}

impl Rule {
    /// Of a line's words: a path, a type of files or none, a context.
    fn parse(words: &[&str]) -> Option<Rule> {
        let (path, kind, context) = match *words {
            [path, context] => (path, None, context),
            [path, kind, context] => (path, Some(*kind.as_bytes().get(1)?), context),
            _ => return None,
        };
        let context = (context != "<<none>>").then(|| context.to_owned());
        Some(Rule { path: Paths::parse(path), kind, context })
    }

    fn matches(&self, path: &str) -> bool {
        match &self.path {
            Paths::One(_) => false,
            Paths::Pattern(pattern, beginning) => {
                path.starts_with(beginning.as_str())
                    && Regex::new(&format!("^(?:{pattern})$"))
                        .is_ok_and(|pattern| pattern.is_match(path))
            }
        }
    }
}

impl Paths {
    fn parse(text: &str) -> Paths {
        let mut plain = String::new();
        let mut rest = text.chars();
        while let Some(next) = rest.next() {
            match next {
                '\\' => plain.extend(rest.next()),
                special if SPECIAL.contains(special) => {
                    if matches!(special, '?' | '*' | '{') {
                        plain.pop();
                    }
                    // One of several beginnings.
                    if has_alternatives(text) {
                        plain.clear();
                    }
                    return Paths::Pattern(text.to_owned(), plain);
                }
                plain_one => plain.push(plain_one),
            }
        }
        Paths::One(plain)
    }
}

/// Whether a `|` stands outside of parentheses.
fn has_alternatives(pattern: &str) -> bool {
    let mut depth = 0;
    pattern.chars().any(|next| {
        depth += i32::from(next == '(') - i32::from(next == ')');
        next == '|' && depth == 0
    })
}

/// The words of each line, without comments.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first().is_some_and(|first| !first.starts_with('#')))
}

fn pair(words: &[&str]) -> Option<(String, String)> {
    match words {
        [from, to] => Some((from.trim_end_matches('/').to_owned(), (*to).to_owned())),
        _ => None,
    }
}

/// A path with another beginning, if one of these is its.
fn substituted(path: String, substitutions: &[(String, String)]) -> String {
    let other = substitutions.iter().find_map(|(from, to)| {
        let rest = path.strip_prefix(from.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{to}{rest}"))
    });
    other.unwrap_or(path)
}

/// The letter of a type of files.
fn letter(kind: fs::FileType) -> u8 {
    match kind {
        kind if kind.is_dir() => b'd',
        kind if kind.is_symlink() => b'l',
        kind if kind.is_block_device() => b'b',
        kind if kind.is_char_device() => b'c',
        kind if kind.is_fifo() => b'p',
        kind if kind.is_socket() => b's',
        _ => b'-',
    }
}

fn read(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "\
# Comments are no rules.
/.*                    system_u:object_r:default_t:s0
/etc(/.*)?             system_u:object_r:etc_t:s0
/etc/passwd[-+]?   --  system_u:object_r:passwd_file_t:s0
/etc/\\.pwd\\.lock --  system_u:object_r:shadow_t:s0
/usr/(.*/)?bin(/.*)?   system_u:object_r:bin_t:s0
/usr/bin/su        --  system_u:object_r:su_exec_t:s0
/dev/(tty|pts)     -c  system_u:object_r:tty_device_t:s0
/proc(/.*)?            <<none>>
";

    fn policy() -> Policy {
        let rules = lines(RULES).filter_map(|words| Rule::parse(&words)).collect();
        let pairs = |text| lines(text).filter_map(|words| pair(&words)).collect();
        Policy { rules, substitutions: [Vec::new(), pairs("/usr/local/etc /etc\n/bin /usr/bin\n")] }
    }

    fn type_of(path: &str, kind: u8) -> Option<String> {
        let policy = policy();
        policy.of(path, kind).and_then(|context| context.split(':').nth(2).map(str::to_owned))
    }

    #[test]
    fn the_last_rule_that_matches_and_single_paths_first() {
        for (path, kind, expected) in [
            ("/home/x", b'-', "default_t"),
            ("/etc", b'd', "etc_t"),
            ("/etc/passwd", b'-', "passwd_file_t"),
            ("/etc/passwd-", b'-', "passwd_file_t"),
            ("/etc/passwd", b'd', "etc_t"),
            ("/etc/.pwd.lock", b'-', "shadow_t"),
            ("/etc/xpwd.lock", b'-', "etc_t"),
            ("/usr/bin/su", b'-', "su_exec_t"),
            ("/usr/lib/x/bin/y", b'-', "bin_t"),
            ("/dev/pts", b'c', "tty_device_t"),
        ] {
            assert_eq!(type_of(path, kind).as_deref(), Some(expected), "{path}");
        }
        assert_eq!(type_of("/proc/1", b'd'), None);
    }

    #[test]
    fn beginnings_of_paths_stand_for_others() {
        assert_eq!(type_of("/usr/local/etc/passwd", b'-').as_deref(), Some("passwd_file_t"));
        assert_eq!(type_of("/bin/su", b'-').as_deref(), Some("su_exec_t"));
        assert_eq!(type_of("/binary", b'-').as_deref(), Some("default_t"));
    }
}
