//! Bytes → a capture of any call → every output. For the fuzz target beside this file, and for
//! `tests/decode.rs`.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contract::{Arch, Capture, GuestAddr, Outcome, Phase, Stamp, Tid};
use outputs::json::JsonStyle;
use outputs::text::{Constants, HexStrings, TextStyle, ValueStyle};
use outputs::{Json, Output, Sink, StatusFilter, Text, WallClock};
use record::{Decoder, Event, Record, What};

/// What an output may write of one event: so much, and so much more for each value in it. The
/// longest are flags, of which each has a name.
const MOST_OF_EVENT: usize = 1 << 13;
const MOST_OF_VALUE: usize = 1 << 12;
/// A byte of a string: `\u0000`.
const LONGEST_ESCAPE: usize = 6;
const STRING_LIMIT: usize = 64;

/// Decodes and shows the call that these bytes describe.
///
/// # Panics
/// If an output writes more than it may.
pub fn show(bytes: &[u8]) {
    let mut outputs = Outputs::new();
    outputs.show(&capture(bytes));
}

/// A call: the ABI, its number, its arguments and its outcome, then pieces of memory, as long as
/// there are bytes.
pub fn capture(bytes: &[u8]) -> Capture {
    let mut bytes = Cursor(bytes);
    let mut capture = Capture::default();
    capture.arch = [Arch::X86_64, Arch::I386, Arch::X32][usize::from(bytes.byte() % 3)];
    capture.number = u64::from(bytes.byte()) | u64::from(bytes.byte() & 3) << 8;
    capture.args = std::array::from_fn(|_| bytes.number());
    capture.sp = GuestAddr(bytes.number());
    capture.previous = u64::from(bytes.byte());
    capture.outcome = match bytes.byte() % 4 {
        0 => None,
        1 => Some((bytes.number() as i64, true)),
        _ => Some((bytes.number() as i64, false)),
    }
    .map(|(value, failed)| Outcome { time: Stamp(2), cpu: 0, value, failed });
    while !bytes.0.is_empty() {
        let phase = if bytes.byte() % 2 == 0 { Phase::Entry } else { Phase::Exit };
        capture.begin(phase, GuestAddr(bytes.number()));
        let size = usize::from(bytes.byte()) * usize::from(1 + bytes.byte() % 16);
        capture.extend(bytes.take(size));
        if bytes.byte() % 8 == 0 {
            capture.fault();
        }
    }
    capture
}

/// What is left of the bytes; zeroes behind their end.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(size.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// An argument: a small number, an address at which memory may be given, or anything.
    fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..128 => u64::from(small),
            page @ 128..200 => u64::from(page) << 12 | u64::from(self.byte() & 0xf8),
            200..228 => u64::from(u32::from_le_bytes(self.bytes())),
            228..240 => u64::MAX - u64::from(self.byte()),
            _ => u64::from_le_bytes(self.bytes()),
        }
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut whole = [0; N];
        let taken = self.take(N);
        whole[..taken.len()].copy_from_slice(taken);
        whole
    }
}

/// A sink's writer that only counts.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Every output, each with the bytes of a string that it shows at most (if not all), and with
/// the bytes that it has written.
pub struct Outputs(Vec<(Box<dyn Output>, Option<usize>, Count)>);

impl Outputs {
    /// The text in its plainest and in its longest form, and JSON.
    pub fn new() -> Outputs {
        let json = JsonStyle {
            command: Vec::new(),
            started: Stamp(0),
            clock: WallClock::default(),
            status: StatusFilter::ALL,
        };
        let counts: [Count; 4] = Default::default();
        let [plain, long, raw, whole] =
            counts.each_ref().map(|count| Sink::live(Box::new(count.clone())));
        let outputs: [(Box<dyn Output>, Option<usize>); 4] = [
            (Box::new(Text::new(TextStyle::default(), plain)), Some(STRING_LIMIT)),
            (Box::new(Text::new(longest(), long)), Some(STRING_LIMIT)),
            (Box::new(Text::new(rawest(), raw)), Some(STRING_LIMIT)),
            (Box::new(Json::new(json, whole)), None),
        ];
        let with_counts = outputs.into_iter().zip(counts);
        Outputs(with_counts.map(|((output, limit), count)| (output, limit, count)).collect())
    }

    /// Decodes a call before and after it has returned, and shows both.
    ///
    /// # Panics
    /// If an output writes more than it may.
    pub fn show(&mut self, capture: &Capture) {
        let decoder = Decoder::default();
        self.tell(capture, What::Enter(&decoder.entry(capture)));
        if capture.outcome.is_some() {
            self.tell(capture, What::Exit(&decoder.exit(capture)));
        }
    }

    fn tell(&mut self, capture: &Capture, what: What<'_>) {
        let (What::Enter(record) | What::Exit(record)) = what else { return };
        let values = values(record);
        for (nth, (output, string_limit, count)) in self.0.iter_mut().enumerate() {
            let string = string_limit.unwrap_or(captured(capture));
            let most = MOST_OF_EVENT + values * (MOST_OF_VALUE + LONGEST_ESCAPE * string);
            count.0.store(0, Ordering::Relaxed);
            let event = Event { tid: Tid(1), time: Stamp(1), what };
            output.event(&event).expect("counting cannot fail");
            let written = count.0.load(Ordering::Relaxed);
            assert!(
                written <= most,
                "output {nth}: {written} bytes of {values} values, call {}",
                capture.number
            );
        }
    }
}

impl Default for Outputs {
    fn default() -> Outputs {
        Outputs::new()
    }
}

/// How many bytes of memory a capture holds.
fn captured(capture: &Capture) -> usize {
    capture.spans().map(|(_, bytes)| bytes.len()).sum()
}

/// How many values a record has.
fn values(record: &Record<'_>) -> usize {
    let note = record.result.as_ref().map_or(0, |result| 1 + result.note.len());
    record.args.len() + note
}

fn longest() -> TextStyle {
    let values = ValueStyle {
        abbreviated: Some(Box::new(|_| false)),
        string_limit: STRING_LIMIT,
        strings_in_hex: HexStrings::All,
        constants: Constants::Verbose,
        argument_names: true,
        color: true,
        ..ValueStyle::default()
    };
    TextStyle { values, ..TextStyle::default() }
}

fn rawest() -> TextStyle {
    let values = ValueStyle { constants: Constants::Raw, ..ValueStyle::default() };
    TextStyle { values, ..TextStyle::default() }
}
