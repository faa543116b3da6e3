//! Calls by another ABI than the 64-bit one.

use contract::{Arch, CallSet, Capture, GuestAddr, Outcome, Phase, Stamp};

use super::shorthand;
use crate::{Base, Decoder, Value};

/// A call of the 32-bit ABI.
fn i386(number: u64, args: [u64; 6]) -> Capture {
    let mut capture = Capture::default();
    (capture.arch, capture.number, capture.args) = (Arch::I386, number, args);
    capture
}

#[test]
fn a_32_bit_call_has_its_own_name_and_its_arguments_are_not_followed() {
    let mut capture = i386(5, [0xffff_ffff_0000_1000, 2, 3, 4, 5, 6]);
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    capture.extend(b"path\0");
    let record = Decoder::default().entry(&capture);
    assert_eq!(record.name, Some("open"));
    assert_eq!(shorthand(&record.args), "filename=0x1000, flags=0x2, mode=0x3");
}

#[test]
fn a_32_bit_call_is_meant_by_its_name_not_by_its_number() {
    const GETPID: u64 = 39;
    const WRITEV: u64 = 20;
    let mut capture = i386(20, [0; 6]);
    capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value: 4242, failed: false });
    let value = |raw| {
        let mut calls = CallSet::NONE;
        calls.insert(raw);
        let record = Decoder { raw: calls, ..Decoder::default() }.exit(&capture);
        assert_eq!(record.name, Some("getpid"));
        record.result.map(|result| result.value)
    };
    assert!(matches!(value(GETPID), Some(Value::Unsigned(4242, Base::Hex))));
    assert!(matches!(value(WRITEV), Some(Value::Signed(4242))));
}
