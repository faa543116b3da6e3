//! Moments and durations.

use record::Fraction;

use super::flags::push;
use super::style::{Precision, TimeFormat};
use crate::WallClock;
use crate::clock::civil;

const SECOND: u64 = 1_000_000_000;

/// Appends seconds and as many digits of the fraction as asked for: `0.000131`. The whole seconds
/// take `width` columns at least.
pub(super) fn seconds(out: &mut Vec<u8>, nanos: u64, width: usize, precision: Precision) {
    push(out, format_args!("{:width$}", nanos / SECOND));
    fraction(out, nanos % SECOND, precision);
}

fn fraction(out: &mut Vec<u8>, nanos: u64, precision: Precision) {
    match precision {
        Precision::Seconds => {}
        Precision::Millis => push(out, format_args!(".{:03}", nanos / 1_000_000)),
        Precision::Micros => push(out, format_args!(".{:06}", nanos / 1_000)),
        Precision::Nanos => push(out, format_args!(".{nanos:09}")),
    }
}

/// Appends a moment, given in nanoseconds since 1970.
pub(super) fn moment(
    out: &mut Vec<u8>,
    clock: &WallClock,
    nanos: i64,
    (format, precision): (TimeFormat, Precision),
) {
    let whole = nanos.div_euclid(SECOND as i64);
    match format {
        TimeFormat::Unix => push(out, format_args!("{whole}")),
        TimeFormat::TimeOfDay => {
            let local = whole.saturating_add((clock.utc_offset)(whole).into());
            time_of_day(out, local.rem_euclid(86_400));
        }
    }
    fraction(out, nanos.rem_euclid(SECOND as i64) as u64, precision);
}

fn time_of_day(out: &mut Vec<u8>, second: i64) {
    push(out, format_args!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60));
}

/// Whether the C library tells a date of these seconds since the epoch: its years are an `int`.
pub(super) fn has_date(seconds: i64) -> bool {
    let (year, ..) = civil(seconds.div_euclid(86_400));
    i32::try_from(year - 1900).is_ok()
}

/// Appends a date in local time: `2026-11-21T23:36:48+0000`; the fraction only where there is one.
pub(super) fn date(out: &mut Vec<u8>, clock: &WallClock, seconds: i64, fraction: Option<Fraction>) {
    let offset = (clock.utc_offset)(seconds);
    let local = seconds.saturating_add(offset.into());
    let (year, month, day) = civil(local.div_euclid(86_400));
    push(out, format_args!("{year:04}-{month:02}-{day:02}T"));
    time_of_day(out, local.rem_euclid(86_400));
    if let Some(Fraction { value: value @ 1.., digits }) = fraction {
        push(out, format_args!(".{value:0width$}", width = usize::from(digits)));
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    push(out, format_args!("{sign}{:02}{:02}", minutes / 60, minutes % 60));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_of_many_centuries() {
        let utc = WallClock::default();
        let date = |seconds, value| {
            shown(|out| date(out, &utc, seconds, Some(Fraction { value, digits: 9 })))
        };
        assert_eq!(date(0, 0), "1970-01-01T00:00:00+0000");
        assert_eq!(date(5, 7), "1970-01-01T00:00:05.000000007+0000");
        assert_eq!(date(951_782_399, 0), "2000-02-28T23:59:59+0000");
        assert_eq!(date(951_782_400, 0), "2000-02-29T00:00:00+0000");
        assert_eq!(date(1_795_304_208, 0), "2026-11-21T23:36:48+0000");
        assert_eq!(date(-1, 0), "1969-12-31T23:59:59+0000");
        assert_eq!(date(4_107_542_400, 0), "2100-03-01T00:00:00+0000");
        assert!(date(i64::MAX, 0).ends_with("+0000") && date(i64::MIN, 0).ends_with("+0000"));
    }

    #[test]
    fn zones_shift_the_clock() {
        let clock = WallClock { epoch: 0, utc_offset: |_| -12_600 };
        assert_eq!(shown(|out| date(out, &clock, 0, None)), "1969-12-31T20:30:00-0330");
        let format = (TimeFormat::TimeOfDay, Precision::Millis);
        assert_eq!(shown(|out| moment(out, &clock, 1_999_999, format)), "20:30:00.001");
    }

    #[test]
    fn precisions() {
        let unix = |nanos, precision| {
            let format = (TimeFormat::Unix, precision);
            shown(|out| moment(out, &WallClock::default(), nanos, format))
        };
        let nanos = 1_795_304_259_674_232_706;
        assert_eq!(unix(nanos, Precision::Seconds), "1795304259");
        assert_eq!(unix(nanos, Precision::Micros), "1795304259.674232");
        assert_eq!(unix(nanos, Precision::Nanos), "1795304259.674232706");
        let width = |nanos, precision| shown(|out| seconds(out, nanos, 6, precision));
        assert_eq!(width(131_999, Precision::Micros), "     0.000131");
        assert_eq!(width(7_000_000_000, Precision::Seconds), "     7");
    }
}
