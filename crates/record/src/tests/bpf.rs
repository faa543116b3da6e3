//! What objects of `bpf(2)` are.

use contract::{Arch, BpfKind, BpfObject};
use table::Call;
use table::arch::x86_64 as id;
use table::flags::BPF_OBJ_GET_INFO_BY_FD;

use super::Guest;
use super::guest::words;

/// Asks about descriptor 3, with so much room at 0x2000.
fn asks(kind: Option<BpfKind>, room: u64) -> Guest {
    let attributes = |room: u64| words([room << 32 | 3, 0x2000]);
    Guest::calls(&[BPF_OBJ_GET_INFO_BY_FD, 0x1000, 16])
        .about(kind.map(|kind| BpfObject { kind, started: 1_000_000_000 }))
        .gives(0x1000, &attributes(room))
        .gets(0x1000, &attributes(32))
}

fn bpf() -> &'static Call {
    Arch::X86_64.call(id::BPF.number.into()).unwrap()
}

/// What is told of the object.
fn told(guest: &Guest) -> String {
    let line = guest.returned(bpf());
    let (_, told) = line.split_once(" info=").unwrap();
    told.split_once("}}, size").unwrap().0.to_owned()
}

#[test]
fn a_map_is_told_by_its_kind() {
    let map = words([7 << 32 | 2, 8 << 32 | 4, 16, u64::from_le_bytes(*b"a map\0\0\0")]);
    let guest = asks(Some(BpfKind::Map), 256).gets(0x2000, &map).returns(0);
    let told = told(&guest);
    for part in ["BPF_MAP_TYPE_ARRAY", "id=7", "value_size=8", "max_entries=16", "str \"a map\""] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn what_an_unknown_object_is_is_told_by_its_address() {
    let guest = asks(None, 32).gets(0x2000, &[1; 32]).returns(0);
    assert_eq!(told(&guest), "&2000");
}

#[test]
fn what_was_not_filled_is_told_by_its_address() {
    for kind in [BpfKind::Map, BpfKind::Program] {
        let guest = asks(Some(kind), 256).gives(0x2000, &[0; 256]).fails(7);
        assert_eq!(told(&guest), "?2000");
    }
}
