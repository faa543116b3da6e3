//! The languages of `--map` and `--deny`.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use modules::deny::{Rule, What};
use modules::paths::{Access, Place, Plain, Target};
use table::errno;

use super::filter::call_set;
use crate::errors::answer;

/// The error of a rule that names none: `EPERM`.
const EPERM: u16 = 1;
/// Calls that would change a file by its path.
const WRITES: &str = "@write";

/// Why a text cannot be used, with the way out.
type Why = String;

/// `GUEST=HOST[:ro]`.
pub(super) fn place(text: &OsStr) -> Result<Place, Why> {
    const FORM: &str = "it is GUEST=HOST or GUEST=HOST:ro";
    let text = text.as_bytes();
    let equals = text.iter().position(|&byte| byte == b'=').ok_or(FORM)?;
    let (guest, host) = (&text[..equals], &text[equals + 1..]);
    let (host, access) = match host {
        [host @ .., b':', b'r', b'o'] => (host, Access::ReadOnly),
        [host @ .., b':', b'r', b'w'] => (host, Access::Writable),
        host => (host, Access::Writable),
    };
    Ok(Place { guest: guests(guest)?, target: hosts(OsStr::from_bytes(host))?, access })
}

/// The directory of `--root`.
pub(super) fn root(text: &OsStr) -> Result<Place, Why> {
    let target = hosts(text)?;
    // Whether anything in it can be reached.
    match fs::metadata(Path::new(text).join(".")) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(format!("'{}' cannot be entered: {}", text.display(), answer(&error)))
        }
        _ => Ok(Place { guest: Plain::ROOT, target, access: Access::Writable }),
    }
}

/// A path of the program.
fn guests(path: &[u8]) -> Result<Plain, Why> {
    Plain::of(path).ok_or_else(|| {
        let path = OsStr::from_bytes(path).display();
        format!("'{path}' has to begin with a slash, and to do without . and ..")
    })
}

/// What the host has at a path.
fn hosts(path: &OsStr) -> Result<Target, Why> {
    let found = fs::canonicalize(Path::new(path));
    let found = found.map_err(|error| format!("'{}': {}", path.display(), answer(&error)))?;
    Ok(Target::Host(Plain::of(found.as_os_str().as_bytes()).unwrap_or_default()))
}

/// `[CALLS][:PATH][=ERRNO]`.
pub(super) fn denial(text: &str) -> Result<Rule, Why> {
    let (rest, errno) = match text.rsplit_once('=') {
        // Paths may have such a sign too.
        Some((rest, name)) if looks_like_error(name) => (rest, error(name)?),
        _ => (text, EPERM),
    };
    let (calls, path) = match (rest.starts_with('/'), rest.split_once(":/")) {
        (true, _) => ("", Some(guests(rest.as_bytes())?)),
        (false, Some((calls, _))) => (calls, Some(guests(&rest.as_bytes()[calls.len() + 1..])?)),
        // No call's name has such a sign, so it is the path that is wrong.
        (false, None) => match rest.split_once(':') {
            Some((calls, path)) => (calls, Some(guests(path.as_bytes())?)),
            None => (rest, None),
        },
    };
    let what = match calls {
        WRITES => What::Writes,
        "" if path.is_none() => return Err("it is [CALLS][:PATH][=ERRNO]".into()),
        "" => What::Calls(Box::new(contract::CallSet::ALL)),
        calls => What::Calls(Box::new(call_set(calls).map_err(|error| error.to_string())?)),
    };
    Ok(Rule { what, calls: calls.to_owned(), path, errno })
}

/// The rule about these calls with this file, as [`denial`] takes it.
pub(crate) fn denial_of(calls: &str, path: &Plain) -> Vec<u8> {
    let mut text = [calls.as_bytes(), b":", path.as_bytes()].concat();
    let behind = text.rsplit(|&byte| byte == b'=').next().unwrap_or_default();
    if behind.len() < text.len() && str::from_utf8(behind).is_ok_and(looks_like_error) {
        text.extend(b"=EPERM");
    }
    text
}

fn looks_like_error(name: &str) -> bool {
    let is_of = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    name.starts_with(is_of) && name.chars().all(is_of)
}

fn error(name: &str) -> Result<u16, Why> {
    let number = errno::by_name(name).or_else(|| name.parse().ok());
    let number = number.and_then(|number| u16::try_from(number).ok());
    number.filter(|number| (1..4096).contains(number)).ok_or_else(|| {
        format!("'{name}' is no error: it is a name as ENOENT, or a number from 1 to 4095")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toml::de::DeTable;

    use super::*;
    use crate::cli::config::list;

    #[test]
    fn rules_are_told_as_they_are_given() {
        for text in ["connect=EPERM", "%network=EACCES", "/etc/passwd=ENOENT", "@write:/usr=EROFS"]
        {
            assert_eq!(denial(text).expect("a rule").to_string(), text);
        }
        assert_eq!(
            denial("openat,stat:/a=b").expect("a rule").to_string(),
            "openat,stat:/a=b=EPERM"
        );
        for text in ["", "=ENOENT", "openat=EFOO", "nosuch", "openat=0", "/a/../b"] {
            assert!(denial(text).is_err(), "{text}");
        }
        let relative = denial("openat:a/b").expect_err("where is it?");
        assert!(relative.starts_with("'a/b' has to begin with a slash"), "{relative}");
    }

    proptest! {
        #[test]
        fn what_was_learned_can_be_forbidden(name in "(\\PC|[\\x00-\\x7f])+") {
            let mut path = Plain::ROOT;
            path.push(name.as_bytes());
            prop_assume!(Plain::of(path.as_bytes()).as_ref() == Some(&path));
            let mut text = String::new();
            list(&mut text, "deny", [denial_of("openat", &path)]);
            let table = DeTable::parse(&text).expect("it is TOML").into_inner();
            let entry = table["deny"].get_ref().as_array().expect("a list")[0].get_ref().clone();
            let rule = denial(entry.as_str().expect("a text")).expect("a rule");
            prop_assert_eq!((rule.calls.as_str(), rule.path), ("openat", Some(path)));
        }
    }

    #[test]
    fn a_place_needs_what_is_there() {
        let of = |text: &str| place(text.as_ref());
        let found = of("/a=/usr:ro").expect("a place");
        assert_eq!((found.guest.as_bytes(), found.access), (&b"/a"[..], Access::ReadOnly));
        for text in ["/a", "a=/usr", "/a/../b=/usr", "/a=/no such file", "/a="] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
