//! `cargo bench -p shunpike --bench decode`: how many records a second one core decodes, and how
//! many it shows as text. Captures come from memory, so nothing else is measured.
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use contract::{Capture, GuestAddr, Outcome, Phase, Stamp, Tid};
use outputs::text::TextStyle;
use outputs::{Output, Sink, Text};
use record::{Decoder, Event, What};
use table::arch::x86_64;

/// How long each case is repeated.
const TIME: Duration = Duration::from_millis(300);
/// Repetitions between two looks at the clock.
const ROUND: usize = 1000;

/// Where the memory of each case lies.
const AT: u64 = 0x7ffd_0000_1000;

/// A call, and the memory that its plan copies.
struct Case {
    name: &'static str,
    args: [u64; 6],
    given: &'static [u8],
    written: &'static [u8],
    result: i64,
}

const STAT: [u8; 144] = {
    let mut stat = [0; 144];
    stat[24] = 0xa4; // st_mode: S_IFREG|0644
    stat[25] = 0x81;
    stat[48] = 0x42; // st_size
    stat
};
const TERMIOS: [u8; 36] = [0; 36];
const SIGACTION: [u8; 32] = [1; 32];
const ADDRESS: [u8; 16] = [2, 0, 0, 53, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
const EVENTS: [u8; 24] = [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
const PATH: &[u8] = b"/usr/lib/x86_64-linux-gnu/libc.so.6\0";
const TEXT: &[u8] =
    b"#include <stdio.h>\n\nint main(void)\n{\n\tputs(\"hello\");\n\treturn 0;\n}\n";
const CWD: u64 = -100_i64 as u64;

/// What programs do most.
const CASES: &[Case] = &[
    case("getppid", [0; 6], &[], &[], 4711),
    case("close", [3, 0, 0, 0, 0, 0], &[], &[], 0),
    case("openat", [CWD, AT, 0o2_000_000, 0, 0, 0], PATH, &[], 3),
    case("openat", [CWD, AT, 0o2_000_000, 0, 0, 0], PATH, &[], -2),
    case("newfstatat", [CWD, AT + 64, AT, 0, 0, 0], &[], &STAT, 0),
    case("read", [3, AT, 4096, 0, 0, 0], &[], TEXT, TEXT.len() as i64),
    case("write", [1, AT, TEXT.len() as u64, 0, 0, 0], TEXT, &[], TEXT.len() as i64),
    case("mmap", [0, 8192, 3, 0x22, u64::MAX, 0], &[], &[], AT as i64),
    case("rt_sigaction", [2, AT, 0, 8, 0, 0], &SIGACTION, &[], 0),
    case("connect", [3, AT, 16, 0, 0, 0], &ADDRESS, &[], 0),
    case("epoll_wait", [3, AT, 16, 1000, 0, 0], &[], &EVENTS, 2),
    case("futex", [AT, 128, 2, 0, 0, 0], &[], &[], -11),
    case("ioctl", [0, 0x5401, AT, 0, 0, 0], &[], &TERMIOS, 0),
];

const fn case(
    name: &'static str,
    args: [u64; 6],
    given: &'static [u8],
    written: &'static [u8],
    result: i64,
) -> Case {
    Case { name, args, given, written, result }
}

impl Case {
    fn capture(&self) -> Capture {
        let call = x86_64::by_name(self.name).expect(self.name);
        let mut capture = Capture::default();
        (capture.number, capture.args) = (call.number.into(), self.args);
        for (phase, bytes) in [(Phase::Entry, self.given), (Phase::Exit, self.written)] {
            if !bytes.is_empty() {
                capture.begin(phase, GuestAddr(AT));
                capture.extend(bytes);
            }
        }
        capture.outcome = Some(Outcome::of(self.result, Stamp(2_000), 0));
        capture
    }
}

fn main() {
    let decoder = Decoder::default();
    let mut text = Text::new(TextStyle::default(), Sink::buffered(Box::new(io::sink())));
    println!("million records a second: decoded, decoded and shown as text");
    let mut spent = [Duration::ZERO; 2];
    for case in CASES {
        let capture = case.capture();
        let decoded = each(|| {
            black_box(decoder.exit(black_box(&capture)));
        });
        let shown = each(|| {
            let record = decoder.exit(black_box(&capture));
            let event = Event { tid: Tid(1), time: Stamp(2_000), what: What::Exit(&record) };
            text.event(&event).expect("a sink that forgets takes everything");
        });
        spent[0] += decoded;
        spent[1] += shown;
        row(case.name, [decoded, shown]);
    }
    row("all, in turns", spent.map(|spent| spent / CASES.len() as u32));
    io::stdout().flush().expect("stdout");
}

/// The time that one run of this takes.
fn each(mut run: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut runs = 0;
    while start.elapsed() < TIME {
        (0..ROUND).for_each(|_| run());
        runs += ROUND as u32;
    }
    start.elapsed() / runs
}

fn row(name: &str, times: [Duration; 2]) {
    let [decoded, shown] = times.map(|time| 1e-6 / time.as_secs_f64());
    println!("{name:14} {decoded:6.2} {shown:6.2}");
}
