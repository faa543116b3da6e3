use std::string::String;
use std::vec::Vec;

use super::*;
use crate::abi::{RING_LEN, entry};
use crate::entries::Entries;
use crate::guest::ring::Ring;
use crate::guest::testing::{Model, OwnedSlot, drain};

/// What is told of a call with these names and first two arguments, which returns 7: the descriptors and
/// their names, which are here those of the links up to `len` bytes.
fn told(names: u16, args: [u64; 2], len: u64) -> Option<Vec<(i32, String)>> {
    let mut machine = Model::default();
    machine.result = len;
    let mut owned = OwnedSlot::new();
    let slot = owned.calling(0, [args[0], args[1], 0, 0, 0, 0, 0]);
    let room = Ring::of(slot).room(RING_LEN / 2).unwrap();
    let mut half = room.begin(entry::EXIT, 1, [0, 0]);
    before(&machine, slot, names, &mut half)?;
    after(&machine, slot, names, 7, &mut half);
    half.publish();
    let bytes = drain(slot);
    let half = Entries::new(&bytes).next().unwrap().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let names = half.copies.map(|copy| {
        assert!(copy.is_name && !copy.fault);
        (copy.addr as i32, text(copy.bytes))
    });
    Some(names.collect())
}

#[test]
fn links_are_asked_for_what_they_lead_to() {
    let link = |fd: i32, rest: &str| (fd, std::format!("/proc/thread-self/{rest}"));
    assert_eq!(told(0b01, [3, 4], 22), Some([link(3, "fd/3")].into()));
    assert_eq!(told(0b11, [0, 9], 22), Some([link(0, "fd/0"), link(9, "fd/9")].into()));
    assert_eq!(told(0b01, [1234567, 0], 28), Some([link(1234567, "fd/1234567")].into()));
    // The register may hold more than a descriptor.
    assert_eq!(told(0b01, [0xffff_ffff_0000_000a, 0], 23), Some([link(10, "fd/10")].into()));
    assert_eq!(told(Call::NAMED_RESULT, [0, 0], 22), Some([link(7, "fd/7")].into()));
}

#[test]
fn what_is_no_descriptor_has_no_name() {
    let working = -100i64 as u64;
    assert_eq!(
        told(0x101, [working, 0], 21),
        Some([(-100, "/proc/thread-self/cwd".into())].into())
    );
    assert_eq!(told(0x001, [working, 0], 21), Some([].into()));
    assert_eq!(told(0x101, [u64::MAX, 0], 21), Some([].into()));
}

#[test]
fn the_supervisor_is_left_what_has_no_link() {
    let missing = -2i64 as u64;
    assert_eq!(told(0b01, [3, 0], missing), None);
    assert_eq!(told(Call::NAMED_RESULT, [3, 0], missing), Some([].into()));
}
