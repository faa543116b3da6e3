use std::ops::RangeInclusive;

use contract::CallSet;
use table::arch::{i386, x86_64};
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

/// The numbers that only the x32 ABI has.
const X32_NUMBERS: RangeInclusive<u16> = 512..=547;

/// Parses a set of system calls.
///
/// An item is a name, a number, a `%class`, a `/regex` or `all`; `?` in front forgives an item
/// that no call is meant by; `@64`, `@32` or `@x32` behind it limits it to that ABI. The set is
/// one of x86-64 calls, so an item limited to another ABI is checked and adds nothing.
pub(in crate::cli) fn call_set(text: &str) -> Result<CallSet, UsageError> {
    parse_set("system call", text, |set: &mut CallSet, item| {
        let bare = item.trim_start_matches('?');
        let forgiven = bare.len() < item.len();
        let (name, native) = split_abi(bare)?;
        match matching(name)? {
            None if forgiven => {}
            None => return Err(invalid(item)),
            Some(_) if !native => {}
            Some(CallSet::ALL) => *set = CallSet::ALL,
            Some(found) => found.numbers().for_each(|number| set.insert(number)),
        }
        Ok(())
    })
}

/// What an item of a call set can be: names of calls and of classes.
pub(in crate::cli) fn call_candidates() -> impl Iterator<Item = String> {
    let classes = Classes::NAMES.iter().map(|(name, _)| format!("%{name}"));
    classes.chain(x86_64::calls().map(|call| call.name.to_owned()))
}

/// Takes the ABI off an item, and tells whether the item is about x86-64.
fn split_abi(item: &str) -> Result<(&str, bool), UsageError> {
    match item.rsplit_once('@') {
        None => Ok((item, true)),
        Some((name, "64")) => Ok((name, true)),
        Some((name, "32" | "x32")) => Ok((name, false)),
        Some((_, abi)) => Err(UsageError::new(format!(
            "incorrect personality designator '{abi}' in qualification '{item}'"
        ))
        .way_out("it is one of 64, 32 and x32")),
    }
}

/// The calls that a name, number, class or regular expression stands for; `None` if it stands for
/// nothing that any ABI knows.
fn matching(name: &str) -> Result<Option<CallSet>, UsageError> {
    if name == "all" {
        return Ok(Some(CallSet::ALL));
    }
    if let Some(pattern) = name.strip_prefix('/') {
        let regex = regex_lite::Regex::new(pattern).map_err(|error| {
            UsageError::new(format!("invalid regular expression '{pattern}': {error}"))
        })?;
        return Ok(matching_names(|name| regex.is_match(name)));
    }
    if let Some(class) = class(name) {
        return Ok(Some(collect(|call| call.classes.intersects(class))));
    }
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(name.parse().ok().and_then(matching_number));
    }
    Ok(matching_names(|known| known == name))
}

/// The calls with such names. Names that only 32-bit programs use, as `stat64`, are known too.
fn matching_names(is_match: impl Fn(&str) -> bool) -> Option<CallSet> {
    let found = collect(|call| is_match(call.name));
    let elsewhere = || (0..u64::from(*X32_NUMBERS.start())).filter_map(i386::name).any(&is_match);
    (!found.is_none() || elsewhere()).then_some(found)
}

/// The call with this number.
fn matching_number(number: u16) -> Option<CallSet> {
    let mut found = collect(|call| call.number == number);
    if X32_NUMBERS.contains(&number) {
        found.insert(u64::from(number));
    }
    (!found.is_none() || i386::name(u64::from(number)).is_some()).then_some(found)
}

/// The class of this name: `%file`, or plain `file` where that is an old name.
fn class(name: &str) -> Option<Classes> {
    let wanted = match name.strip_prefix('%') {
        Some(class) => class,
        None => BARE_CLASSES.into_iter().find(|&bare| bare == name)?,
    };
    Classes::NAMES.iter().find(|(known, _)| *known == wanted).map(|&(_, class)| class)
}

/// The known calls which the condition picks.
fn collect(condition: impl Fn(&Call) -> bool) -> CallSet {
    let mut set = CallSet::NONE;
    for call in x86_64::calls().filter(|call| condition(call)) {
        set.insert(u64::from(call.number));
    }
    set
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
    use contract::CallSet;

    /// The numbers of read, write, open and close.
    const FIRST: std::ops::Range<u64> = 0..4;

    fn first_of(text: &str) -> Vec<u64> {
        let set = call_set(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        FIRST.filter(|&number| set.contains(number)).collect()
    }

    #[test]
    fn items() {
        let cases: [(&str, &[u64]); 22] = [
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
