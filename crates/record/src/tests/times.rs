//! Times, and what only an interrupted call leaves.

use contract::{Arch, CallSet, Capture, GuestAddr, Outcome, Stamp};
use table::Call;
use table::arch::x86_64 as id;

use super::guest::words;
use super::{Guest, shorthand};
use crate::Decoder;

fn described(id: table::Id) -> &'static Call {
    id::call(id.number.into()).expect(id.name)
}

#[test]
fn the_time_left_to_sleep_is_told_only_by_an_interrupted_call() {
    let nanosleep = described(id::NANOSLEEP);
    let asked = "rqtp={tv_sec=5, tv_nsec=0}";
    let guest =
        Guest::calls(&[0x1000, 0x2000]).gives(0x1000, &words([5, 0])).gets(0x2000, &words([4, 9]));
    assert_eq!(guest.entered(nanosleep), asked);
    let told = format!("{asked}, rmtp={{tv_sec=4, tv_nsec=9}} = E516");
    assert_eq!(guest.clone().fails(516).returned(nanosleep), told);
    assert_eq!(guest.clone().fails(22).returned(nanosleep), format!("{asked}, rmtp=?2000 = E22"));
    assert_eq!(guest.returns(0).returned(nanosleep), format!("{asked}, rmtp=?2000 = 0"));
}

#[test]
fn no_time_is_left_of_an_absolute_one_but_it_is_told_late() {
    let sleep = described(id::CLOCK_NANOSLEEP);
    let guest = Guest::calls(&[1, 1, 0x1000, 0]).gives(0x1000, &words([5, 0]));
    let asked = guest.entered(sleep);
    assert!(asked.ends_with("rqtp={tv_sec=5, tv_nsec=0}"), "{asked}");
    let told = guest.returns(0).returned(sleep);
    assert!(told.starts_with(&format!("{asked}, rmtp=")), "{told}");
}

#[test]
fn the_state_of_a_clock_is_told_with_what_is_read_of_it() {
    let adjtimex = id::ADJTIMEX.number.into();
    let note = |verbose| {
        let mut capture = Capture::default();
        capture.enter(Arch::X86_64, adjtimex, [0x1000; 6], GuestAddr(0), GuestAddr(0));
        capture.outcome = Some(Outcome { time: Stamp(0), cpu: 0, value: 5, failed: false });
        let record = Decoder { verbose, ..Decoder::default() }.exit(&capture);
        record.result.map(|result| shorthand(&result.note))
    };
    assert_eq!(note(CallSet::ALL).as_deref(), Some("TIME_ERROR"));
    assert_eq!(note(CallSet::NONE).as_deref(), Some(""));
}

#[test]
fn a_point_in_time_may_be_now() {
    const NOW: u64 = 0x3fff_ffff;
    let found = Guest::calls(&[3, 0, 0x1000, 0])
        .gives(0x1000, &words([7, NOW, 1_700_000_000, 5]))
        .entered(described(id::UTIMENSAT));
    let times = "[UTIME_NOW, at 1700000000.000000005 {tv_sec=1700000000, tv_nsec=5}]";
    assert_eq!(found, format!("dfd=dir 3, filename=&0, utimes={times}, flags=flags 0"));
}

#[test]
fn a_command_decides_which_meaning_of_the_result_is_told() {
    let fcntl = described(id::FCNTL);
    let returned = |command, value| Guest::calls(&[3, command, 0]).returns(value).returned(fcntl);
    let tail = |text: String| text[text.find(" = ").unwrap_or_default()..].to_owned();
    assert_eq!(tail(returned(1, 1)), " = 0x1 (flags: parts 1)");
    assert_eq!(tail(returned(1, 0)), " = 0x0", "no flag is no meaning");
    assert_eq!(tail(returned(3, 0)), " = 0x0 (flags: O_RDONLY)", "but 0 may have a name");
    assert_eq!(tail(returned(1034, 2)), " = 0x2 (seals: parts 2)");
    assert_eq!(tail(returned(11, 10)), " = 10 (: sig 10)");
    assert_eq!(tail(returned(9, 10)), " = 10");
}
