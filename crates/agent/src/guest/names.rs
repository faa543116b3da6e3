//! What descriptors stand for: the targets of their links in `/proc`, as the supervisor reads them where
//! calls stop.

use super::ring::{COPIED_LEN, Writer};
use super::slot::Slot;
use super::{Machine, is_error};
use crate::abi::{Call, PATH_MAX};

/// `readlink(2)`.
pub(super) const READLINK: u64 = 89;
/// `AT_FDCWD`, as a register has it.
const WORKING: i32 = -100;

/// `/proc/thread-self/cwd` and `/proc/thread-self/fd/`, by words of 8 bytes. The links of the process
/// are others where a thread has descriptors of its own.
const PROC_TH: u64 = u64::from_le_bytes(*b"/proc/th");
const READ_SEL: u64 = u64::from_le_bytes(*b"read-sel");
const F_CWD: u64 = u64::from_le_bytes(*b"f/cwd\0\0\0");
const F_FD: u64 = u64::from_le_bytes(*b"f/fd/\0\0\0");
/// How long the latter is.
const FD_LEN: u64 = 21;

/// How many bytes the names of a call's arguments take at most. `names` is always [`Call::names`].
pub fn most_before(names: u16) -> u64 {
    let args = names & Call::NAMED_ARGS;
    // To count takes longer than to see that there is nothing to count.
    if args == 0 { 0 } else { u64::from(args.count_ones()) * NAME_MOST }
}

/// How many bytes the name of its result takes at most.
pub fn most_after(names: u16) -> u64 {
    if names & Call::NAMED_RESULT == 0 { 0 } else { NAME_MOST }
}

/// How many bytes a name takes at most.
const NAME_MOST: u64 = COPIED_LEN + PATH_MAX;

/// Appends the names of the arguments. `None` where one has no name: the descriptor is not open, or
/// there is no `/proc` here. Then the supervisor knows better.
pub fn before(machine: &impl Machine, slot: Slot, names: u16, to: &mut Writer) -> Option<()> {
    for register in (0..6).filter(|register| names & 1 << register != 0) {
        let is_directory = names & 0x100 << register != 0;
        name(machine, slot, slot.register(register), is_directory, to)?;
    }
    Some(())
}

/// Appends the name of what the call has returned, if that is a descriptor and has one.
pub fn after(machine: &impl Machine, slot: Slot, names: u16, result: u64, to: &mut Writer) {
    if names & Call::NAMED_RESULT != 0 {
        let _ = name(machine, slot, result, false, to);
    }
}

fn name(
    machine: &impl Machine,
    slot: Slot,
    descriptor: u64,
    is_directory: bool,
    to: &mut Writer,
) -> Option<()> {
    let number = descriptor as i32;
    if number < 0 && !(is_directory && number == WORKING) {
        return Some(());
    }
    to.name(descriptor, PATH_MAX, |at| link(machine, slot, number, at, PATH_MAX))
}

/// Puts what a descriptor stands for so far into the slot, a multiple of 8, where there is so much room;
/// a negative one is the working directory. Returns how long it is: where there is no more room, perhaps
/// longer.
pub fn link(
    machine: &impl Machine,
    slot: Slot,
    descriptor: i32,
    at: u64,
    room: u64,
) -> Option<u64> {
    // The link's own name lies where its target will: the kernel has read the one before it writes
    // the other.
    slot.set_word(at, PROC_TH);
    slot.set_word(at + 8, READ_SEL);
    match u64::try_from(descriptor) {
        Err(_) => slot.set_word(at + 16, F_CWD),
        Ok(number) => {
            slot.set_word(at + 16, F_FD);
            digits(slot, at + FD_LEN, number);
        }
    }
    let address = slot.address(at);
    let len = machine.make(READLINK, [address, address, room, 0]);
    if is_error(len) { None } else { Some(len) }
}

/// Writes a number so far into the slot, with a NUL behind it.
fn digits(slot: Slot, at: u64, number: u64) {
    let mut end = at + 1;
    let mut rest = number / 10;
    while rest > 0 {
        end += 1;
        rest /= 10;
    }
    slot.set_byte(end, 0);
    rest = number;
    while end > at {
        end -= 1;
        slot.set_byte(end, b'0' + (rest % 10) as u8);
        rest /= 10;
    }
}

#[cfg(test)]
mod tests;
