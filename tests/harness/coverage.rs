//! Whether each system call has a guest that makes it and prints the line that a trace of it shows.

use std::collections::BTreeSet;

use super::guest::Guest;
use super::trace::call_name;

/// Calls that no guest of `guests/lines` makes, and why.
const WITHOUT_GUEST: &[(&str, &str)] = &[
    ("exit", "does not return: every thread's last line, which `check_whole` wants"),
    ("exit_group", "does not return: every program's last line, and in the case files"),
    ("uprobe", "only for the kernel's own trampolines; filters of seccomp(2) do not see it"),
    ("uretprobe", "as `uprobe`; whoever else makes it is killed"),
];

/// Fails with the names of the x86-64 calls that have no guest and no reason to have none.
pub fn check<'a>(guests: impl Iterator<Item = &'a Guest>) -> Result<(), String> {
    let mut made = BTreeSet::new();
    for guest in guests {
        made.extend(guest.native()?.stdout.lines().filter_map(call_name));
    }
    let known: BTreeSet<_> = table::arch::x86_64::calls().map(|call| call.name).collect();
    let without: BTreeSet<_> = WITHOUT_GUEST.iter().map(|(name, _)| *name).collect();
    let missing: Vec<_> = known.difference(&made).filter(|name| !without.contains(*name)).collect();
    let stale: Vec<_> = without.intersection(&made).collect();
    if missing.is_empty() && stale.is_empty() {
        return Ok(());
    }
    Err(format!(
        "calls without a guest in guests/lines: {missing:?}; with one after all: {stale:?}"
    ))
}
