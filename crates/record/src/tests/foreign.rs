//! Calls by another ABI than the 64-bit one.

use contract::{Arch, CallSet, Capture, GuestAddr, Outcome, Phase, Stamp};

use super::shorthand;
use crate::{Base, Decoder, Value};

/// A call of the 32-bit ABI.
fn i386(number: u64, args: [u64; 6]) -> Capture {
    let mut capture = Capture::default();
    capture.enter(Arch::I386, number, args, GuestAddr(0), GuestAddr(0));
    capture
}

#[test]
fn of_a_32_bit_call_s_registers_the_low_halves_count() {
    let mut capture = i386(5, [0xffff_ffff_0000_1000, 0x0000_0001_0000_0002, 3, 4, 5, 6]);
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    capture.extend(b"path\0");
    let record = Decoder::default().entry(&capture);
    assert_eq!(record.name, Some("open"));
    assert_eq!(shorthand(&record.args), "filename=path \"path\", flags=O_RDWR");
}

#[test]
fn a_32_bit_call_is_meant_by_its_abi_and_number() {
    let mut capture = i386(20, [0; 6]);
    capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value: 4242, failed: false });
    let value = |arch| {
        let mut calls = CallSet::NONE;
        calls.insert_of(arch, 20);
        let record = Decoder { raw: calls, ..Decoder::default() }.exit(&capture);
        assert_eq!(record.name, Some("getpid"));
        record.result.map(|result| result.value)
    };
    assert!(matches!(value(Arch::I386), Some(Value::Unsigned(4242, Base::Hex))));
    assert!(matches!(value(Arch::X86_64), Some(Value::Pid(4242))));
}

#[test]
fn halves_in_two_registers_are_one_number() {
    const PWRITE64: u64 = 181;
    let capture = i386(PWRITE64, [7, 0, 0, 0xffff_fffe, 0xffff_ffff, 0]);
    let record = Decoder::default().entry(&capture);
    assert_eq!(shorthand(&record.args), "fd=fd 7, buf=&0, count=0, pos=-2");
}

#[test]
fn times_have_32_bits_unless_the_call_says_64() {
    const CLOCK_SETTIME: u64 = 264;
    const CLOCK_SETTIME64: u64 = 404;
    let shown = |number, time: &[i64], size: usize| {
        let mut capture = i386(number, [0, 0x1000, 0, 0, 0, 0]);
        capture.begin(Phase::Entry, GuestAddr(0x1000));
        time.iter().for_each(|word| capture.extend(&word.to_le_bytes()[..size]));
        shorthand(&Decoder::default().entry(&capture).args)
    };
    let expected = "which_clock=CLOCK_REALTIME, tp={tv_sec=-1, tv_nsec=5}";
    assert_eq!(shown(CLOCK_SETTIME, &[-1, 5], 4), expected);
    assert_eq!(shown(CLOCK_SETTIME64, &[-1, 5], 8), expected);
}

#[test]
fn no_limit_is_all_ones_of_the_abi() {
    const SETRLIMIT: u64 = 75;
    let mut capture = i386(SETRLIMIT, [4, 0x1000, 0, 0, 0, 0]);
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    capture.extend(&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    let told = shorthand(&Decoder::default().entry(&capture).args);
    let limits = "{rlim_cur=limit 4294967294 finite, rlim_max=limit 4294967295 RLIM_INFINITY}";
    assert!(told.ends_with(limits), "{told}");
}

#[test]
fn vectors_have_pointers_and_lengths_of_the_abi() {
    const WRITEV: u64 = 146;
    let mut capture = i386(WRITEV, [1, 0x1000, 2, 0, 0, 0]);
    capture.begin(Phase::Entry, GuestAddr(0x1000));
    for word in [0x2000_u32, 2, 0x3000, 3] {
        capture.extend(&word.to_le_bytes());
    }
    for (addr, text) in [(0x2000, "ab"), (0x3000, "cde")] {
        capture.begin(Phase::Entry, GuestAddr(addr));
        capture.extend(text.as_bytes());
    }
    let record = Decoder::default().entry(&capture);
    assert_eq!(
        shorthand(&record.args),
        "fd=fd 1, vec=[{iov_base=\"ab\", iov_len=2}, {iov_base=\"cde\", iov_len=3}], vlen=2"
    );
}

#[test]
fn all_of_a_chosen_result_is_told() {
    const OPEN: u64 = 2;
    const CHDIR: u64 = 80;
    const UMASK: u64 = 95;
    const EXIT_GROUP: u64 = 231;
    const I386_CHDIR: u64 = 12;
    let cases = [
        (Arch::X86_64, CHDIR, -1, "Unsigned(18446744073709551615, Dec)"),
        (Arch::I386, I386_CHDIR, -1, "Unsigned(4294967295, Dec)"),
        (Arch::X86_64, OPEN, 1 << 32, "Signed(4294967296)"),
        (Arch::X86_64, OPEN, i64::MIN, "Signed(-9223372036854775808)"),
        (Arch::X86_64, OPEN, 5, "Fd(5, None)"),
        (Arch::X86_64, UMASK, -1, "Unsigned(18446744073709551615, Oct)"),
        (Arch::X86_64, EXIT_GROUP, 3, "Unsigned(3, Dec)"),
    ];
    for (arch, number, value, told) in cases {
        let mut capture = Capture::default();
        capture.enter(arch, number, [0; 6], GuestAddr(0), GuestAddr(0));
        capture.changes.result = true;
        capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value, failed: false });
        let record = Decoder::default().exit(&capture);
        let result = record.result.map(|result| format!("{:?}", result.value));
        assert_eq!(result.as_deref(), Some(told));
    }
}
