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

/// Parses a set of system calls.
///
/// An item is a name, a number, a `%class`, a `/regex` or `all`; `?` in front forgives an item
/// that matches nothing; `@64`, `@32` or `@x32` behind it limits it to that ABI. The set is one of
/// x86-64 calls, so an item limited to another ABI is checked and adds nothing.
pub(in crate::cli) fn call_set(text: &str) -> Result<CallSet, UsageError> {
    parse_set("system call", text, |set, item| {
        let bare = item.trim_start_matches('?');
        match add(set, bare) {
            Err(_) if bare.len() < item.len() => Ok(()),
            added => added,
        }
    })
}

/// What an item of a call set can be: names of calls and of classes.
pub(in crate::cli) fn call_candidates() -> impl Iterator<Item = String> {
    let classes = Classes::NAMES.iter().map(|(name, _)| format!("%{name}"));
    classes.chain(x86_64::calls().map(|call| call.name.to_owned()))
}

/// Adds the calls that an item names.
fn add(set: &mut CallSet, item: &str) -> Result<(), UsageError> {
    let (name, native) = match item.rsplit_once('@') {
        None => (item, true),
        Some((name, "64")) => (name, true),
        Some((name, "32" | "x32")) => (name, false),
        Some((_, abi)) => {
            return Err(UsageError::new(format!(
                "incorrect personality designator '{abi}' in qualification '{item}'"
            ))
            .way_out("it is one of 64, 32 and x32"));
        }
    };
    let found = match name {
        "all" => CallSet::ALL,
        _ => matching(name)?.ok_or_else(|| invalid(item))?,
    };
    if native {
        for number in found.numbers() {
            set.insert(number);
        }
        if found.is_all() {
            *set = CallSet::ALL;
        }
    }
    Ok(())
}

/// The calls that a name, number, class or regular expression stands for; `None` if it stands for
/// nothing that any ABI knows.
fn matching(name: &str) -> Result<Option<CallSet>, UsageError> {
    if let Some(pattern) = name.strip_prefix('/') {
        return matching_regex(pattern);
    }
    if let Some(class) = class(name) {
        return Ok(collect(|call| call.classes.intersects(class)));
    }
    if let Ok(number) = name.parse::<u16>() {
        return Ok(collect(|call| call.number == number));
    }
    let elsewhere = i386_names().any(|known| known == name).then_some(CallSet::NONE);
    Ok(collect(|call| call.name == name).or(elsewhere))
}

fn matching_regex(pattern: &str) -> Result<Option<CallSet>, UsageError> {
    let regex = regex_lite::Regex::new(pattern).map_err(|error| {
        UsageError::new(format!("invalid regular expression '{pattern}': {error}"))
    })?;
    let elsewhere = i386_names().any(|name| regex.is_match(name)).then_some(CallSet::NONE);
    Ok(collect(|call| regex.is_match(call.name)).or(elsewhere))
}

/// The class of this name: `%file`, or plain `file` where that is an old name.
fn class(name: &str) -> Option<Classes> {
    let wanted = match name.strip_prefix('%') {
        Some(class) => class,
        None => BARE_CLASSES.into_iter().find(|&bare| bare == name)?,
    };
    Classes::NAMES.iter().find(|(known, _)| *known == wanted).map(|&(_, class)| class)
}

/// The known calls which the condition picks, if there are any.
fn collect(condition: impl Fn(&Call) -> bool) -> Option<CallSet> {
    let mut set = CallSet::NONE;
    for call in x86_64::calls().filter(|call| condition(call)) {
        set.insert(u64::from(call.number));
    }
    (!set.is_none()).then_some(set)
}

/// Names that 32-bit programs use: some, like `stat64`, are not in the x86-64 list.
fn i386_names() -> impl Iterator<Item = &'static str> {
    (0..512).filter_map(i386::name)
}

fn invalid(item: &str) -> UsageError {
    let candidates: Vec<String> = call_candidates().collect();
    UsageError::new(format!("invalid system call '{item}'"))
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
        let cases: [(&str, &[u64]); 20] = [
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
            ("read,zzzzzzzz", "invalid system call 'zzzzzzzz'"),
            ("none,read", "invalid system call 'none'"),
            ("9999", "invalid system call '9999'"),
            ("/zzz", "invalid system call '/zzz'"),
            (
                "read@65",
                "incorrect personality designator '65' in qualification 'read@65'; it is one of \
                 64, 32 and x32",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(call_set(text).unwrap_err().to_string(), message, "{text}");
        }
        for text in ["", ",", "%", "@64", "READ", " read", "-1", "net", "read,!close", "/["] {
            assert!(call_set(text).is_err(), "{text}");
        }
    }
}
