//! Whether each system call has a guest that makes it and prints the line that a trace of it shows.

use std::collections::BTreeSet;

use super::guest::Guest;
use super::trace::call_name;

/// Whose calls.
#[derive(Clone, Copy)]
pub enum Arch {
    /// Made by `guests/lines`.
    X86_64,
    /// Made by `guests/lines_i386`.
    I386,
}

/// Calls without a guest that prints their lines, and why.
const WITHOUT_GUEST: &[(&str, &str)] = &[
    ("exit", "does not return: every thread's last line, which `check_whole` wants"),
    ("exit_group", "does not return: every program's last line, and in the case files"),
    ("uprobe", "only for the kernel's own trampolines; filters of seccomp(2) do not see it"),
    ("uretprobe", "as `uprobe`; whoever else makes it is killed"),
];

impl Arch {
    /// The name in the tests' names.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86-64",
            Self::I386 => "i386",
        }
    }

    fn calls(self) -> BTreeSet<&'static str> {
        match self {
            Self::X86_64 => table::arch::x86_64::calls().map(|call| call.name).collect(),
            Self::I386 => table::arch::i386::calls().map(|(_, call)| call.name).collect(),
        }
    }
}

/// Fails with the names of the calls that have no guest and no reason to have none.
pub fn check<'a>(arch: Arch, guests: impl Iterator<Item = &'a Guest>) -> Result<(), String> {
    let mut made = BTreeSet::new();
    for guest in guests {
        made.extend(guest.native()?.stdout.lines().filter_map(call_name));
    }
    let without: BTreeSet<_> = WITHOUT_GUEST.iter().map(|(name, _)| *name).collect();
    let calls = arch.calls();
    let missing: Vec<_> = calls.difference(&made).filter(|name| !without.contains(*name)).collect();
    let stale: Vec<_> = without.intersection(&made).collect();
    if missing.is_empty() && stale.is_empty() {
        return Ok(());
    }
    Err(format!(
        "calls without a guest that prints their line: {missing:?}; with one after all: {stale:?}"
    ))
}
