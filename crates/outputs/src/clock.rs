//! From the clock of records to that on the wall.

use record::Stamp;

/// What clocks and time zones say.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    /// What to add to a [`Stamp`] for the nanoseconds since 1970.
    pub epoch: i64,
    /// Seconds that local time is ahead of UTC at this moment, given in seconds since 1970.
    pub utc_offset: fn(i64) -> i32,
}

impl WallClock {
    /// Nanoseconds since 1970.
    pub fn since_epoch(&self, stamp: Stamp) -> i64 {
        self.epoch.saturating_add_unsigned(stamp.0)
    }
}

impl Default for WallClock {
    fn default() -> WallClock {
        WallClock { epoch: 0, utc_offset: |_| 0 }
    }
}

/// A moment in UTC, given in nanoseconds since 1970, as RFC 3339 has it.
pub(crate) fn rfc3339(nanos: i64) -> String {
    const SECOND: i64 = 1_000_000_000;
    let seconds = nanos.div_euclid(SECOND);
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let [hour, minute, second] = [second / 3600, second / 60 % 60, second % 60];
    let nanos = nanos.rem_euclid(SECOND);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Counts in years that begin with March, so that a leap day is the last day of its year, and in
/// eras of 400 years, which all have the same number of days.
pub(crate) fn civil(day: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let month_day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, month_day)
}
