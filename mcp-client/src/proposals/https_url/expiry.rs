//! Parses the time at which a URL expires (ISO 8601).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Parses a time of a calendar date, such as `2026-07-28T12:00:00.5+02:00`: RFC 3339, and the forms
/// of ISO 8601 without separators (`20260728T100000Z`), without seconds (`2026-07-28T10:00Z`), with
/// a comma before fractions, and with a short offset (`+0200`, `+02`). Fractions of a second are
/// cut off. A time without an offset is invalid, because it depends on the time zone.
pub(super) fn parse_time(text: &str) -> Option<SystemTime> {
    let mut reader = Reader(text.as_bytes());
    let year = reader.number(4)?;
    let is_extended = reader.sign(b"-").is_some();
    let month = reader.number(2)?;
    reader.separator(b"-", is_extended)?;
    let day = reader.number(2)?;
    reader.sign(b"Tt")?;
    let hour = reader.number(2)?;
    reader.separator(b":", is_extended)?;
    let minute = reader.number(2)?;
    let has_second = if is_extended {
        reader.sign(b":").is_some()
    } else {
        reader.0.first().is_some_and(u8::is_ascii_digit)
    };
    let second = if has_second { reader.number(2)? } else { 0 };
    if has_second && reader.sign(b".,").is_some() {
        reader.fraction()?;
    }
    let offset = match reader.sign(b"Zz+-")? {
        sign @ (b'+' | b'-') => {
            let hours = reader.number(2)?;
            let has_minutes = reader.sign(b":").is_some() || !reader.0.is_empty();
            let minutes = if has_minutes { reader.number(2)? } else { 0 };
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 3600 + minutes * 60;
            if sign == b'+' { offset } else { -offset }
        }
        _ => 0,
    };
    // A leap second counts as the second before it.
    let legal = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !legal || !reader.0.is_empty() {
        return None;
    }
    let second = second.min(59);
    let since = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    let span = Duration::from_secs(since.unsigned_abs());
    if since < 0 {
        UNIX_EPOCH.checked_sub(span)
    } else {
        UNIX_EPOCH.checked_add(span)
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn sign(&mut self, among: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !among.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }

    /// Reads a sign that only the extended form has.
    fn separator(&mut self, among: &[u8], is_extended: bool) -> Option<()> {
        if is_extended {
            self.sign(among)?;
        }
        Some(())
    }

    /// Reads a number with exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |sum, digit| {
            let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
            Some(sum * 10 + digit)
        })
    }

    fn fraction(&mut self) -> Option<()> {
        let digits = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        self.0 = self.0.get(digits..)?;
        (digits > 0).then_some(())
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days from the beginning of 1970 to a day of the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // The days of all years before. The year 0 was a leap year.
    let whole = |year: i64| {
        let last = year - 1;
        year * 365 + last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400)
    };
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    whole(year) - whole(1970) + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        let time = parse_time(text)?;
        let span = |span: Duration| i64::try_from(span.as_secs()).expect("in bounds");
        Some(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => span(after),
            Err(before) => -span(before.duration()),
        })
    }

    #[test]
    fn times_are_parsed() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:01z", 1),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-07-28T00:00:00Z", 1_785_196_800),
            ("2026-07-28T02:00:00+02:00", 1_785_196_800),
            ("2026-07-27T18:30:00-05:30", 1_785_196_800),
            ("2026-07-28T00:00:00.999Z", 1_785_196_800),
            ("2016-12-31T23:59:60Z", 1_483_228_799),
            // The time of Windows begins in 1601.
            #[cfg(not(windows))]
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            #[cfg(not(windows))]
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2026-07-28T02:00:00+0200", 1_785_196_800),
            ("2026-07-28T02:00:00+02", 1_785_196_800),
            ("2026-07-28T00:00Z", 1_785_196_800),
            ("2026-07-28T02:00+02:00", 1_785_196_800),
            ("2026-07-28T00:00:00,5Z", 1_785_196_800),
            ("20260728T000000Z", 1_785_196_800),
            ("20260728T0000Z", 1_785_196_800),
            ("20260727T183000.25-0530", 1_785_196_800),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_times_are_rejected() {
        for text in [
            "",
            "soon",
            "1785196800",
            "2026-07-28",
            "2026-07-28T00:00:00",
            "2026-07-28 00:00:00Z",
            "2026-07-28T00Z",
            "2026-07-28T00:00.5Z",
            "2026-07-28T000000Z",
            "20260728T00:00:00Z",
            "2026-0728T00:00:00Z",
            "20260728T00000Z",
            "20260728T000000",
            "2026-W31-2T00:00:00Z",
            "2026-209T00:00:00Z",
            "2026-07-28T00:00:00.Z",
            "2026-07-28T00:00:00Z ",
            "2026-07-28T00:00:00+2",
            "2026-07-28T00:00:00+02:",
            "2026-07-28T00:00:00+020",
            "2026-07-28T00:00:00+02000",
            "2026-07-28T00:00:00+24:00",
            "2026-07-28T24:00:00Z",
            "2026-07-28T00:60:00Z",
            "2026-07-28T00:00:61Z",
            "2026-00-01T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-07-00T00:00:00Z",
            "-2026-07-28T00:00:00Z",
            "2026-7-28T00:00:00Z",
            "２026-07-28T00:00:00Z",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
