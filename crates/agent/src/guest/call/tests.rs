use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::abi::{self, CALLS, COPY_MAX, Frame, Op, RING_LEN, op, slot, trim};
use crate::entries::{Copy, Entries, Half, What};
use crate::guest::testing::{Model, OwnedSlot, PAGE, drain};
use proptest::prelude::*;

const NUMBER: u64 = 5;

/// A guest about to make call [`NUMBER`].
struct Guest {
    machine: Model,
    owned: OwnedSlot,
    head: Box<abi::Tables>,
    ops: Vec<Op>,
}

impl Guest {
    /// Two pages of memory hold the letter `a`; the call is recorded with these ops.
    fn new(args: [u64; 6], entry: &[Op], exit: &[Op]) -> Guest {
        let mut machine = Model::default();
        machine.pages.extend([1, 2].map(|page| (page * PAGE, vec![b'a'; PAGE as usize])));
        let mut calls = [Call::default(); CALLS];
        calls[NUMBER as usize] = Call {
            flags: Call::RECORDED | Call::DEREFS,
            entry_most: Call::UNBOUNDED,
            exit_most: Call::UNBOUNDED,
            entry_count: entry.len() as u16,
            exit: entry.len() as u16,
            exit_count: exit.len() as u16,
            ..Call::default()
        };
        let ops = [entry, exit].concat();
        let head = abi::Tables {
            string_limit: 32,
            element_limit: 32,
            op_count: ops.len() as u32,
            ring_len: RING_LEN as u32,
            paths: abi::PathRules::default(),
            calls,
        };
        let mut owned = OwnedSlot::new();
        let [a, b, c, d, e, f] = args;
        owned.calling(NUMBER, [a, b, c, d, e, f, 0x7fff_0000]);
        Guest { machine, owned, head: Box::new(head), ops }
    }

    fn slot(&mut self) -> Slot {
        self.owned.slot()
    }

    fn before(&mut self) -> bool {
        let slot = self.slot();
        let made =
            before(&self.machine, slot, &Tables { head: &self.head, ops: &self.ops }, || {
                unreachable!("no call has paths")
            });
        assert_eq!(slot.word(slot::SINCE), 0);
        made == Course::Made
    }

    fn after(&mut self, result: i64) {
        let slot = self.slot();
        after(&self.machine, slot, &Tables { head: &self.head, ops: &self.ops }, result as u64);
        assert_eq!(slot.word(slot::SINCE), 0);
    }

    /// Fills the ring up to so many bytes, a multiple of 8.
    fn leave_room(&mut self, room: u64) {
        let slot = self.slot();
        slot.set_word(slot::HEAD, RING_LEN);
        slot.set_word(slot::TAIL, room);
    }
}

/// The only entry in what was drained.
fn only(bytes: &[u8]) -> Half<'_> {
    let mut entries = Entries::new(bytes);
    let half = entries.next().unwrap().unwrap();
    assert!(entries.next().is_none());
    half
}

/// A block of so many bytes as the call returns, at most as many as register 2 says.
const READ: Op = Op {
    kind: op::BLOCK,
    register: 1,
    number: 2,
    count: count::RESULT,
    trim: trim::WHOLE,
    reserved: [0; 3],
    size: 1,
    next: 0,
    value: 0,
};
const PATH: Op = Op { kind: op::STR, count: count::CONST, ..READ };

#[test]
fn the_halves_tell_what_the_call_was() {
    let mut guest = Guest::new([3, PAGE, 64, 4, 5, 6], &[], &[READ]);
    assert!(guest.before());
    let drained = drain(guest.slot());
    let enter = only(&drained);
    let args = [3, PAGE, 64, 4, 5, 6];
    let told = Enter { number: NUMBER, args, ip: 0x40_0002, sp: 0x7fff_0000 };
    assert_eq!((enter.what, enter.copies.count()), (What::Enter(told), 0));
    guest.after(10);
    let drained = drain(guest.slot());
    let exit = only(&drained);
    assert_eq!(exit.what, What::Exit(Exit { value: 10, cpu: 0 }));
    assert!(enter.time < exit.time);
    let copies: Vec<_> = exit.copies.collect();
    assert_eq!(copies, [Copy { addr: PAGE, bytes: &[b'a'; 10], fault: false, is_name: false }]);
}

#[test]
fn a_call_that_fails_has_no_copies_after_it() {
    let mut guest = Guest::new([3, PAGE, 64, 0, 0, 0], &[], &[READ]);
    assert!(guest.before());
    drain(guest.slot());
    guest.after(-4095);
    let drained = drain(guest.slot());
    let exit = only(&drained);
    assert_eq!((exit.what, exit.copies.count()), (What::Exit(Exit { value: -4095, cpu: 0 }), 0));
}

#[test]
fn a_length_in_memory_counts_as_it_was_copied_before_the_call() {
    let length =
        Op { register: 2, count: count::CONST, trim: trim::WHOLE, size: 4, value: 1, ..READ };
    let address = Op { register: 1, count: count::DEREF, ..READ };
    let mut guest = Guest::new([3, PAGE, 2 * PAGE + 8, 0, 0, 0], &[address, length], &[address]);
    let set = |guest: &mut Guest, length: u8| {
        let page = guest.machine.pages.get_mut(&(2 * PAGE)).unwrap();
        page[8..12].copy_from_slice(&[length, 0, 0, 0]);
    };
    set(&mut guest, 16);
    assert!(guest.before());
    let drained = drain(guest.slot());
    let lengths: Vec<_> = only(&drained).copies.map(|copy| copy.bytes.len()).collect();
    assert_eq!(lengths, [0, 4]);
    set(&mut guest, 100);
    guest.after(0);
    let drained = drain(guest.slot());
    assert_eq!(only(&drained).copies.next().unwrap().bytes.len(), 16);
}

#[test]
fn calls_are_left_to_the_net() {
    let reasons: [(&str, &[(u64, u64)]); 6] = [
        ("unknown", &[(slot::FRAME, CALLS as u64)]),
        ("unclaimed", &[(slot::FRAME, NUMBER + 1)]),
        ("stop wanted", &[(slot::ATTENTION, 1)]),
        ("large", &[(slot::FRAME + 24, COPY_MAX + 1)]),
        ("full", &[(slot::HEAD, RING_LEN), (slot::TAIL, 64)]),
        ("no reason", &[]),
    ];
    for (name, words) in reasons {
        let mut guest = Guest::new([3, PAGE, 64, 0, 0, 0], &[PATH], &[READ]);
        words.iter().for_each(|(offset, value)| guest.slot().set_word(*offset, *value));
        let head = guest.slot().word(slot::HEAD);
        let left = !words.is_empty();
        assert_eq!(guest.before(), !left, "{name}");
        assert_eq!(guest.slot().word(slot::LEFT), u64::from(left), "{name}");
        assert_eq!(guest.slot().word(slot::HEAD) == head, left, "{name}");
    }
}

#[test]
fn what_a_call_takes_is_told_where_that_is_wanted() {
    for (more, spent) in [(0, 0), (Call::MEASURED, 3000)] {
        let mut guest = Guest::new([3, PAGE, 64, 0, 0, 0], &[], &[]);
        guest.head.calls[NUMBER as usize].flags |= more;
        assert!(guest.before());
        drain(guest.slot());
        guest.machine.cpu_time = [0, 3000];
        guest.after(1);
        assert_eq!(only(&drain(guest.slot())).what, What::Exit(Exit { value: 1, cpu: spent }));
    }
}

#[test]
fn a_closed_agent_makes_no_calls_of_its_own() {
    for (attention, calls) in [(1, 1), (slot::CLOSED, 0)] {
        let mut guest = Guest::new([3, PAGE, 64, 0, 0, 0], &[], &[]);
        guest.head.calls[NUMBER as usize].flags |= Call::MEASURED;
        guest.head.calls[NUMBER as usize].names = Call::NAMED_RESULT;
        assert!(guest.before());
        guest.slot().set_word(slot::ATTENTION, attention.into());
        guest.machine.cpu_time = [0, 3000];
        guest.after(1);
        assert_eq!(guest.machine.asked.borrow().len(), calls);
        let halves = drain(guest.slot());
        let exit = Entries::new(&halves).last().unwrap().unwrap();
        assert_eq!(exit.what, What::Exit(Exit { value: 1, cpu: 3000 * calls as u64 }));
    }
}

#[test]
fn a_call_that_nobody_wants_to_know_is_made_without_a_record() {
    let mut guest = Guest::new([0; 6], &[], &[]);
    guest.head.calls[NUMBER as usize].flags = Call::PASSED;
    assert!(guest.before());
    guest.after(1);
    assert!(drain(guest.slot()).is_empty());
}

#[test]
fn a_call_that_is_made_has_room_for_its_exit_half() {
    let enter = ENTER_LEN + 16 + abi::PATH_MAX;
    let exit = EXIT_LEN + 16 + 1000;
    for room in (0..enter + exit + 64).step_by(8) {
        let mut guest = Guest::new([3, PAGE, 1000, 0, 0, 0], &[PATH], &[READ]);
        guest.leave_room(room);
        let made = guest.before();
        assert_eq!(made, room >= enter + exit, "{room}");
        if made {
            guest.after(1000);
            let slot = guest.slot();
            slot.set_word(slot::TAIL, RING_LEN);
            let drained = drain(slot);
            let exit = Entries::new(&drained).last().unwrap().unwrap();
            assert_eq!(exit.copies.map(|copy| copy.bytes.len()).sum::<usize>(), 1000);
        }
    }
}

proptest! {
    /// Other threads of the guest can write over a slot at any time.
    #[test]
    fn whatever_a_slot_holds_nothing_else_is_written(
        words in prop::collection::vec(
            (
                prop_oneof![0..16u64, 16..64u64, 16..64u64],
                prop_oneof![0..0x100u64, PAGE - 8..3 * PAGE, 0..1u64 << 20, any::<u64>()],
            ),
            0..40,
        ),
        written_before in any::<bool>(),
    ) {
        let data = Op { count: count::REGISTER, trim: trim::DATA, ..READ };
        let told = Op { count: count::DEREF, ..READ };
        let mut guest = Guest::new([3, PAGE, 64, PAGE, 0, 0], &[data, PATH], &[READ, told]);
        let site = guest.slot().site() as u64;
        let write = |guest: &mut Guest| {
            words.iter().for_each(|(word, value)| guest.slot().set_word(8 * word, *value));
            guest.slot().set_word(slot::SINCE, 0);
            guest.slot().set_word(core::mem::offset_of!(Frame, site) as u64, site);
        };
        if written_before {
            write(&mut guest);
        }
        let made = guest.before();
        if !written_before {
            prop_assert!(made);
            write(&mut guest);
        }
        guest.after(1000);
        prop_assert!(guest.owned.is_whole());
    }
}
