//! Whatever a guest does, decoding ends with a well-formed record of bounded size.

use contract::{Arch, Capture, GuestAddr, Outcome, Phase, Stamp};
use proptest::prelude::*;
use table::arch::x86_64;

use crate::{Decoder, Nodes, Siblings};

/// A call of this number with these arguments.
fn called(number: u64, args: [u64; 6]) -> Capture {
    let mut capture = Capture::default();
    (capture.number, capture.args) = (number, args);
    capture
}

/// Numbers that are edges of something, and addresses at which there is memory.
fn number() -> impl Strategy<Value = u64> {
    let edges = vec![0, 1, 2, 8, 63, 64, 1 << 31, u64::from(u32::MAX), 1 << 62, u64::MAX];
    prop_oneof![
        proptest::sample::select(edges),
        (1..8_u64).prop_map(|page| page * 0x1000),
        any::<u64>(),
        0..200_u64,
    ]
}

/// Memory full of such numbers.
fn memory() -> impl Strategy<Value = Vec<u8>> {
    let bytes =
        |numbers: Vec<u64>| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    prop_oneof![
        proptest::collection::vec(number(), 0..40).prop_map(bytes),
        proptest::collection::vec(any::<u8>(), 0..300),
    ]
}

prop_compose! {
    fn capture()(
        args in proptest::array::uniform6(number()),
        sp in number(),
        spans in proptest::collection::vec(
            (any::<bool>(), (1..8_u64), memory(), any::<bool>()), 0..16),
        outcome in proptest::option::of((any::<i64>(), any::<bool>())),
        small in 0..200_i64,
    ) -> Capture {
        let mut capture = called(0, args);
        capture.sp = GuestAddr(sp);
        for (is_entry, page, bytes, torn) in spans {
            let phase = if is_entry { Phase::Entry } else { Phase::Exit };
            capture.begin(phase, GuestAddr(page * 0x1000));
            capture.extend(&bytes);
            if torn {
                capture.fault();
            }
        }
        capture.outcome = outcome.map(|(value, failed)| {
            let value = if value % 2 == 0 { small } else { value };
            Outcome { time: Stamp(0), cpu: 0, value, failed }
        });
        capture
    }
}

/// How many nodes are met on a walk through the whole tree.
fn met(nodes: Siblings<'_, '_>) -> usize {
    nodes.map(|(_, children)| 1 + met(children)).sum()
}

fn check(nodes: &Nodes<'_>) {
    let met = if nodes.is_empty() { 0 } else { met(nodes.from(0)) };
    assert_eq!(met, nodes.len(), "each node belongs to one place in the tree");
    assert!(nodes.len() < 1 << 17, "{} nodes", nodes.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_capture_of_any_call_gives_a_record(mut capture in capture()) {
        let unknown = [u64::from(u16::MAX), u64::MAX];
        let numbers = x86_64::calls().map(|call| u64::from(call.number)).chain(unknown);
        for number in numbers {
            capture.number = number;
            for arch in [Arch::X86_64, Arch::I386, Arch::X32] {
                capture.arch = arch;
                check(&Decoder::default().entry(&capture).args);
                let record = Decoder::default().exit(&capture);
                check(&record.args);
                prop_assert_eq!(record.result.is_some(), capture.outcome.is_some());
                if let Some(result) = record.result {
                    check(&result.note);
                }
            }
        }
    }

    #[test]
    fn any_siginfo_gives_one_struct(info in proptest::collection::vec(any::<u8>(), 128),
                                    signal in 0..70_i32, code in -10..10_i32) {
        let mut whole: contract::SigInfo = info.try_into().expect("128 bytes");
        whole[..4].copy_from_slice(&signal.to_le_bytes());
        whole[8..12].copy_from_slice(&code.to_le_bytes());
        let nodes = Decoder::default().signal(&whole);
        check(&nodes);
        prop_assert_eq!(nodes.from(0).count(), 1);
    }
}

#[test]
fn a_set_of_millions_of_members_is_cut() {
    let mut capture = called(23, [u64::from(i32::MAX as u32), 0x1000, 0, 0, 0, 0]);
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    capture.extend(&vec![0xff; 1 << 20]);
    check(&Decoder::default().entry(&capture).args);
}

#[test]
fn a_call_that_the_kernel_does_not_have_shows_its_registers() {
    let capture = called(1000, [1, 2, 3, 4, 5, 6]);
    let record = Decoder::default().entry(&capture);
    assert_eq!(record.name, None);
    assert_eq!(super::shorthand(&record.args), "0x1, 0x2, 0x3, 0x4, 0x5, 0x6");
}
