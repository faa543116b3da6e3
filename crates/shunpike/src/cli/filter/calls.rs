//! Sets of calls: `-e trace=`, `%file`, `/REGEX`.

use std::collections::BTreeSet;

use contract::{Arch, CallSet};
use table::arch::{i386, x32, x86_64};
use table::{Call, Classes};

use super::{Set, UsageError, parse_set};

/// Classes that may also be written without their `%`, as they were before it existed.
const BARE_CLASSES: [&str; 7] = ["file", "process", "network", "signal", "ipc", "desc", "memory"];

impl Set for CallSet {
    const NONE: CallSet = CallSet::NONE;

    fn complement(self) -> CallSet {
        CallSet::complement(self)
    }
}

/// i386's calls without a number of their own have one from here on.
const NO_NUMBER: u16 = 512;

/// A call of one ABI.
#[derive(Clone, Copy)]
struct Known {
    arch: Arch,
    number: u16,
    call: &'static Call,
}

/// The calls of all ABIs.
fn known() -> impl Iterator<Item = Known> {
    let native = || x86_64::calls().map(|call| (call.number, call));
    let of = |arch| move |(number, call)| Known { arch, number, call };
    let x32 = x32::numbers().filter_map(|number| Some((number, x32::namesake(number.into())?)));
    native()
        .map(of(Arch::X86_64))
        .chain(i386::calls().map(of(Arch::I386)))
        .chain(native().chain(x32).map(of(Arch::X32)))
}

/// Parses a set of system calls.
///
/// An item is a name, a number, a `%class`, a `/regex` or `all`; `?` in front forgives an item
/// that no call is meant by; `@64`, `@32` or `@x32` behind it limits it to that ABI.
pub(in crate::cli) fn call_set(text: &str) -> Result<CallSet, UsageError> {
    parse_set("system call", text, |set: &mut CallSet, item| {
        let bare = item.trim_start_matches('?');
        let forgiven = bare.len() < item.len();
        let (name, abi) = split_abi(bare)?;
        match matching(name, abi)? {
            None if forgiven => {}
            None => return Err(invalid(item)),
            Some(found) => *set = set.union(found),
        }
        Ok(())
    })
}

/// What an item of a call set can be: names of calls and of classes.
pub(in crate::cli) fn call_candidates() -> impl Iterator<Item = String> {
    let classes = Classes::NAMES.iter().map(|(name, _)| format!("%{name}"));
    let names: BTreeSet<&str> = known().map(|known| known.call.name).collect();
    classes.chain(names.into_iter().map(str::to_owned))
}

/// Takes the ABI off an item.
fn split_abi(item: &str) -> Result<(&str, Option<Arch>), UsageError> {
    match item.rsplit_once('@') {
        None => Ok((item, None)),
        Some((name, "64")) => Ok((name, Some(Arch::X86_64))),
        Some((name, "32")) => Ok((name, Some(Arch::I386))),
        Some((name, "x32")) => Ok((name, Some(Arch::X32))),
        Some((_, abi)) => Err(UsageError::new(format!(
            "incorrect personality designator '{abi}' in qualification '{item}'"
        ))
        .way_out("it is one of 64, 32 and x32")),
    }
}

/// The calls of the ABI, or of all, that a name, number, class or regular expression stands for;
/// `None` if it stands for nothing.
fn matching(name: &str, abi: Option<Arch>) -> Result<Option<CallSet>, UsageError> {
    if name == "all" {
        return Ok(Some(abi.map_or(CallSet::ALL, CallSet::all_of)));
    }
    if let Some(pattern) = name.strip_prefix('/') {
        let regex = regex_lite::Regex::new(pattern)
            .map_err(|error| UsageError::new(format!("regcomp: {pattern}: {error}")))?;
        return Ok(collect(abi, |known| regex.is_match(known.call.name)));
    }
    if let Some(class) = class(name) {
        let found = collect(abi, |known| known.call.classes.intersects(class));
        return Ok(Some(found.unwrap_or(CallSet::NONE)));
    }
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        let Ok(number) = name.parse::<u16>() else { return Ok(None) };
        let is_named = |known: &Known| known.arch != Arch::I386 || known.number < NO_NUMBER;
        return Ok(collect(abi, |known| known.number == number && is_named(known)));
    }
    Ok(collect(abi, |known| known.call.name == name))
}

/// The calls of the ABI, or of all, which the condition picks; `None` if there are none.
fn collect(abi: Option<Arch>, condition: impl Fn(&Known) -> bool) -> Option<CallSet> {
    let mut set = CallSet::NONE;
    let of_abi = known().filter(|known| abi.is_none_or(|abi| abi == known.arch));
    for known in of_abi.filter(condition) {
        set.insert_of(known.arch, known.number.into());
    }
    (!set.is_none()).then_some(set)
}

/// The class of this name: `%file`, or plain `file` where that is an old name.
fn class(name: &str) -> Option<Classes> {
    let wanted = match name.strip_prefix('%') {
        Some(class) => class,
        None => BARE_CLASSES.into_iter().find(|&bare| bare == name)?,
    };
    Classes::NAMES.iter().find(|(known, _)| *known == wanted).map(|&(_, class)| class)
}

fn invalid(item: &str) -> UsageError {
    let candidates: Vec<String> = call_candidates().collect();
    let way_out = if item.starts_with('%') {
        let classes: Vec<_> = Classes::NAMES.iter().map(|(name, _)| format!("%{name}")).collect();
        format!("the classes are {}", classes.join(", "))
    } else if item == "none" {
        "it stands for a whole set, not for a part of one".to_owned()
    } else if item.contains('=') {
        "--help lists the names that may stand before a =".to_owned()
    } else {
        format!("a ? in front forgives calls that are not known here: '?{item}'")
    };
    UsageError::new(format!("invalid system call '{item}'"))
        .way_out(way_out)
        .nearest(item, candidates.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::call_set;
    use contract::{Arch, CallSet};

    /// The numbers of read, write, open and close.
    const FIRST: std::ops::Range<u64> = 0..4;

    fn first_of(text: &str) -> Vec<u64> {
        let set = call_set(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        FIRST.filter(|&number| set.contains(number)).collect()
    }

    #[test]
    fn items() {
        let cases: [(&str, &[u64]); 23] = [
            ("read", &[0]),
            ("read,close", &[0, 3]),
            ("read,,close,", &[0, 3]),
            ("!read", &[1, 2, 3]),
            ("!!read", &[0]),
            ("!read,close", &[1, 2]),
            ("0,3", &[0, 3]),
            ("00", &[0]),
            ("?read,?no_such_call", &[0]),
            ("?no_such_call", &[]),
            ("!?no_such_call", &[0, 1, 2, 3]),
            ("?!read", &[]),
            ("/^(read|close)$", &[0, 3]),
            ("?/no_such", &[]),
            ("read@64", &[0]),
            ("read@32,close", &[3]),
            ("7@64,stat64,close", &[3]),
            ("all", &[0, 1, 2, 3]),
            ("read,all", &[0, 1, 2, 3]),
            ("none", &[]),
            ("stat64,read", &[0]),
            ("512,399,read", &[0]),
            ("%clock,read", &[0]),
        ];
        for (text, expected) in cases {
            assert_eq!(first_of(text), expected, "{text}");
        }
    }

    #[test]
    fn an_item_is_of_all_abis_or_of_one() {
        let has = |text: &str, arch, number| call_set(text).unwrap().contains_of(arch, number);
        assert!(has("read", Arch::I386, 3) && has("read", Arch::X32, 0));
        assert!(has("waitpid", Arch::I386, 7) && !has("waitpid", Arch::X86_64, 7));
        assert!(has("read@32", Arch::I386, 3) && !has("read@32", Arch::X86_64, 0));
        assert!(has("7", Arch::I386, 7) && has("7", Arch::X86_64, 7));
        assert!(has("%file@32", Arch::I386, 195) && !has("%file@32", Arch::X86_64, 2));
        assert!(has("all@x32", Arch::X32, 9999) && !has("all@x32", Arch::I386, 9999));
        assert!(has("rt_sigaction", Arch::X32, 512) && !has("rt_sigaction@64", Arch::X32, 512));
        for text in ["waitpid@64", "403@64", "512@32", "none@32", "oldstat@x32"] {
            assert!(call_set(text).is_err(), "{text}");
        }
        assert!(call_set("?waitpid@64").unwrap().is_none());
    }

    #[test]
    fn full_sets_hold_calls_that_nobody_knows() {
        assert_eq!(call_set("!none"), Ok(CallSet::ALL));
        assert_eq!(call_set("read,all"), Ok(CallSet::ALL));
        assert!(call_set("!read").unwrap().contains(9999));
        assert!(!call_set("/.").unwrap().contains(9999));
    }

    #[test]
    fn errors_name_the_item_and_the_nearest_name() {
        let cases = [
            ("opennat", "invalid system call 'opennat'; did you mean 'openat'?"),
            ("%flie", "invalid system call '%flie'; did you mean '%file'?"),
            (
                "read,zzzzzzzz",
                "invalid system call 'zzzzzzzz'; a ? in front forgives calls that are not known \
                 here: '?zzzzzzzz'",
            ),
            (
                "none,read",
                "invalid system call 'none'; it stands for a whole set, not for a part of one",
            ),
            (
                "zzz=read",
                "invalid system call 'zzz=read'; --help lists the names that may stand before a =",
            ),
            (
                "read@65",
                "incorrect personality designator '65' in qualification 'read@65'; it is one of \
                 64, 32 and x32",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(call_set(text).unwrap_err().to_string(), message, "{text}");
        }
        for text in [
            "?read@65",
            "?/[",
            "+3",
            "548",
            "",
            ",",
            "%",
            "@64",
            "READ",
            " read",
            "-1",
            "net",
            "read,!close",
            "/[",
        ] {
            assert!(call_set(text).is_err(), "{text}");
        }
    }
}
