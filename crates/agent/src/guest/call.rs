//! What the agent does before and after a guest's call.

use super::capture::{Follower, When};
use super::names;
use super::paths::{self, Way};
use super::ring::Ring;
use super::slot::Slot;
use super::tables::Tables;
use super::usage;
use super::{Machine, is_error};
use crate::abi::{Call, Enter, Entry, Exit, Op, count, entry};

/// How many words of an entry lie between its head and its copies.
const ENTER_WORDS: u64 = size_of::<Enter>() as u64 / 8;
/// Size of the halves without copies, in bytes.
const ENTER_LEN: u64 = (size_of::<Entry>() + size_of::<Enter>()) as u64;
const EXIT_LEN: u64 = (size_of::<Entry>() + size_of::<Exit>()) as u64;

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// It is left to the net.
    Net,
    /// The agent makes it.
    Made,
    /// The agent makes it with the arguments of [`slot::ARGS`](crate::abi::slot::ARGS).
    Changed,
    /// It is not made, and returns this.
    Answered(u64),
}

/// What becomes of the call that its slot tells of. If the agent makes it its entry half has been
/// published, if it is to be recorded, and there is room for its exit half.
pub fn before(machine: &impl Machine, slot: Slot, tables: Tables<'_>) -> Course {
    slot.set_open(None);
    let number = slot.number();
    let call = tables.call(number).filter(|_| !slot.wants_stop());
    if call.is_some_and(|call| call.flags & (Call::RECORDED | Call::PATHS) != 0) {
        slot.count_came();
    }
    let has_paths = call.filter(|call| call.flags & Call::PATHS != 0);
    let way = has_paths.map_or(Way::Kept, |call| paths::decide(machine, slot, tables, call));
    // Before it looks for a wish to stop: a supervisor that goes to sleep sees that it comes.
    slot.announce();
    let made = |made: Option<_>| match (made, way) {
        (Some(()), Way::Changed) => Course::Changed,
        (Some(()), _) => Course::Made,
        (None, _) => Course::Net,
    };
    let course = match call.filter(|_| way != Way::Asked && !slot.wants_stop()) {
        Some(call) if call.flags & Call::RECORDED != 0 => made(enter(machine, slot, tables, call)),
        Some(call) if call.flags & Call::PASSED != 0 => {
            let most = Follower::new(slot, tables, When::Before).most(tables.entry(call));
            match (made(most.map(drop)), way) {
                (Course::Made, Way::Made(result)) => Course::Answered(result),
                (course, _) => course,
            }
        }
        Some(call) if call.flags & Call::ANSWERED != 0 => Course::Answered(call.answer()),
        _ => Course::Net,
    };
    slot.conclude();
    if course == Course::Net {
        slot.count_left();
    }
    course
}

/// Publishes the exit half of the call that was made last, if it is recorded.
pub fn after(machine: &impl Machine, slot: Slot, tables: Tables<'_>, result: u64) {
    let Some(call) = slot.open().and_then(|number| tables.call(number)) else { return };
    slot.announce();
    let is_open = !slot.is_closed();
    let is_measured = is_open && call.flags & Call::MEASURED != 0;
    let cpu = if is_measured { usage::spent(machine, slot) } else { 0 };
    let failed = is_error(result);
    let (ops, bound) = if failed { (&[][..], 0) } else { (tables.exit(call), call.exit_most) };
    let names = if is_open && !failed { call.names } else { 0 };
    exit(machine, slot, tables, (names, ops, bound), Exit { value: result as i64, cpu });
    slot.conclude();
}

/// Publishes the entry half; `None` where the call is to be left to the net.
fn enter(machine: &impl Machine, slot: Slot, tables: Tables<'_>, call: &Call) -> Option<()> {
    let ops = tables.entry(call);
    let most = match bounded(call.entry_most) {
        Some(most) => most,
        None => Follower::new(slot, tables, When::Before).most(ops)?,
    };
    let room = Ring::of(slot).room(ENTER_LEN + names::most_before(call.names) + most)?;
    // SAFETY: a trampoline has left the address of its site, which stays as long as the patch.
    let ip = unsafe { (*slot.site()).after };

    let time = machine.now();
    if slot.is_orphaned(time) {
        return None;
    }
    let mut half = room.begin(entry::ENTER, time);
    half.word(slot.number());
    for index in 0..6 {
        half.word(slot.register(index));
    }
    half.word(ip);
    half.word(slot.register(6));
    Follower::new(slot, tables, When::Before).copy(machine, ops, &mut half);
    names::before(machine, slot, call.names, &mut half)?;

    // From the call there is no way back to the net.
    let ops = tables.exit(call);
    if call.flags & Call::DEREFS != 0 {
        let follower = Follower::new(slot, tables, When::Ahead);
        for op in ops.iter().filter_map(|op| follower.definite(op)) {
            if op.count == count::DEREF {
                let number = half.number_at(slot.register(op.number), ENTER_WORDS);
                slot.set_pointed_to(op.number, number.unwrap_or(0));
            }
        }
    }
    let ahead = match bounded(call.exit_most) {
        Some(most) => most,
        None => Follower::new(slot, tables, When::Ahead).most(ops)?,
    };
    if !room.leaves(EXIT_LEN + names::most_after(call.names) + ahead) {
        return None;
    }
    if call.flags & Call::MEASURED != 0 {
        usage::begin(machine, slot);
    }
    slot.set_last(time);
    slot.set_open(Some(slot.number()));
    half.publish();
    Some(())
}

/// How much is copied at most, if that does not depend on the arguments.
fn bounded(most: u32) -> Option<u64> {
    (most != Call::UNBOUNDED).then_some(most.into())
}

/// Publishes the exit half, with these names, and copies by these ops and their bound.
fn exit(
    machine: &impl Machine,
    slot: Slot,
    tables: Tables<'_>,
    (names, ops, bound): (u16, &[Op], u32),
    told: Exit,
) {
    let when = When::After(u64::try_from(told.value).unwrap_or(0));
    let ring = Ring::of(slot);
    let most = match bounded(bound) {
        Some(most) => most,
        None => Follower::new(slot, tables, when).most(ops).unwrap_or(u64::MAX - EXIT_LEN),
    };
    // There is room, unless the guest plays with its ring.
    let (room, ops) = match ring.room(EXIT_LEN + names::most_after(names) + most) {
        Some(room) => (room, ops),
        None => match ring.room(EXIT_LEN) {
            Some(room) => (room, &[][..]),
            None => return,
        },
    };
    let time = machine.now();
    let mut half = room.begin(entry::EXIT, time);
    half.word(told.value as u64);
    half.word(told.cpu);
    Follower::new(slot, tables, when).copy(machine, ops, &mut half);
    names::after(machine, slot, names, told.value as u64, &mut half);
    slot.set_last(time);
    slot.set_open(None);
    half.publish();
}

#[cfg(test)]
mod tests;
