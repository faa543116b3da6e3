//! What the agent does before and after a guest's call.

use super::capture::{Follower, When};
use super::names;
use super::paths::{self, Way};
use super::ring::{Ring, Writer};
use super::slot::Slot;
use super::tables::{Paths, Tables};
use super::usage;
use super::{Machine, is_error};
use crate::abi::{Call, Enter, Entry, Exit, count, entry};

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
/// published, if it is to be recorded, and there is room for its exit half. `paths` is asked where a
/// call has some.
pub fn before<'t>(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'t>,
    paths: impl FnOnce() -> Paths<'t>,
) -> Course {
    slot.set_open(None);
    let number = slot.number();
    let call = tables.call(number).filter(|_| !slot.wants_stop());
    if call.is_some_and(|call| call.flags & (Call::RECORDED | Call::PATHS) != 0) {
        slot.count_came();
    }
    let has_paths = call.filter(|call| call.flags & Call::PATHS != 0);
    let way = has_paths.map_or(Way::Kept, |call| paths::decide(machine, slot, &paths(), call));
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
            let follow = || Follower::new(slot, tables, When::Before).most(tables.entry(call));
            let most = if call.entry_count == 0 { Some(0) } else { follow() };
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
pub fn after(machine: &impl Machine, slot: Slot, tables: &Tables<'_>, result: u64) {
    let Some(call) = slot.open().and_then(|number| tables.call(number)) else { return };
    slot.announce();
    let is_open = !slot.is_closed();
    let is_measured = is_open && call.flags & Call::MEASURED != 0;
    let cpu = if is_measured { usage::spent(machine, slot) } else { 0 };
    let names = if is_open && !is_error(result) { call.names } else { 0 };
    exit(machine, slot, tables, call, names, Exit { value: result as i64, cpu });
    slot.conclude();
}

// The way of a call without copies and names is compiled apart: it is a few cache lines, and keeps its
// half in registers.

/// Publishes the entry half; `None` where the call is to be left to the net.
fn enter(machine: &impl Machine, slot: Slot, tables: &Tables<'_>, call: &Call) -> Option<()> {
    if call.entry_count == 0 && call.names == 0 && call.flags & Call::DEREFS == 0 {
        publish_entry::<false>(machine, slot, tables, call)
    } else {
        enter_with_copies(machine, slot, tables, call)
    }
}

#[inline(never)]
fn enter_with_copies(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'_>,
    call: &Call,
) -> Option<()> {
    publish_entry::<true>(machine, slot, tables, call)
}

#[inline(always)]
fn publish_entry<const COPIES: bool>(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'_>,
    call: &Call,
) -> Option<()> {
    let most = if COPIES { most(slot, tables, When::Before, call)? } else { 0 };
    let room = Ring::of(slot).room(ENTER_LEN + names::most_before(call.names) + most)?;
    // SAFETY: a trampoline has left the address of its site, which stays as long as the patch.
    let ip = unsafe { (*slot.site()).after };

    let time = machine.now();
    if slot.is_orphaned(time) {
        return None;
    }
    let [a, b, c, d, e, f, sp] = [0, 1, 2, 3, 4, 5, 6].map(|index| slot.register(index));
    let mut half = room.begin(entry::ENTER, time, [slot.number(), a, b, c, d, e, f, ip, sp]);
    if COPIES {
        let ops = tables.entry(call);
        Follower::new(slot, tables, When::Before).copy(machine, ops, &mut half);
        names::before(machine, slot, call.names, &mut half)?;
        note_counts(slot, tables, call, &half);
    }

    // From the call there is no way back to the net.
    let ahead = self::most(slot, tables, When::Ahead, call)?;
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

/// Notes the numbers in the entry half's copies by which the exit half counts.
fn note_counts(slot: Slot, tables: &Tables<'_>, call: &Call, half: &Writer) {
    if call.flags & Call::DEREFS == 0 {
        return;
    }
    let follower = Follower::new(slot, tables, When::Ahead);
    for op in tables.exit(call).iter().filter_map(|op| follower.definite(op)) {
        if op.count == count::DEREF {
            let number = half.number_at(slot.register(op.number), ENTER_WORDS);
            slot.set_pointed_to(op.number, number.unwrap_or(0));
        }
    }
}

/// Publishes the exit half, with what its call has given if it has not failed, and with these names.
fn exit(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'_>,
    call: &Call,
    names: u16,
    told: Exit,
) {
    if (call.exit_count == 0 || is_error(told.value as u64)) && names == 0 {
        publish_exit::<false>(machine, slot, tables, call, names, told);
    } else {
        exit_with_copies(machine, slot, tables, call, names, told);
    }
}

#[inline(never)]
fn exit_with_copies(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'_>,
    call: &Call,
    names: u16,
    told: Exit,
) {
    publish_exit::<true>(machine, slot, tables, call, names, told);
}

#[inline(always)]
fn publish_exit<const COPIES: bool>(
    machine: &impl Machine,
    slot: Slot,
    tables: &Tables<'_>,
    call: &Call,
    names: u16,
    told: Exit,
) {
    let when = When::After(u64::try_from(told.value).unwrap_or(0));
    let most = match COPIES {
        true => most(slot, tables, when, call).unwrap_or(u64::MAX - EXIT_LEN),
        false => 0,
    };
    let ring = Ring::of(slot);
    // There is room, unless the guest plays with its ring.
    let (room, ops) = match ring.room((EXIT_LEN + names::most_after(names)).saturating_add(most)) {
        Some(room) => (room, tables.exit(call)),
        None => match ring.room(EXIT_LEN) {
            Some(room) => (room, &[][..]),
            None => return,
        },
    };
    let time = machine.now();
    let mut half = room.begin(entry::EXIT, time, [told.value as u64, told.cpu]);
    if COPIES {
        Follower::new(slot, tables, when).copy(machine, ops, &mut half);
        names::after(machine, slot, names, told.value as u64, &mut half);
    }
    slot.set_last(time);
    slot.set_open(None);
    half.publish();
}

/// How many bytes the copies of a half take at most. `None` where the call is to be left to the net.
fn most(slot: Slot, tables: &Tables<'_>, when: When, call: &Call) -> Option<u64> {
    let (bound, ops) = match when {
        When::Before => (call.entry_most, tables.entry(call)),
        When::Ahead | When::After(_) => (call.exit_most, tables.exit(call)),
    };
    match bound {
        Call::UNBOUNDED => Follower::new(slot, tables, when).most(ops),
        bound => Some(bound.into()),
    }
}

#[cfg(test)]
mod tests;
