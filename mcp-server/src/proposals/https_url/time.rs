//! Conversion of times to milliseconds since 1970 and to RFC 3339 text.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns milliseconds since 1970, or 0 for earlier times.
pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    duration_millis(since)
}

/// Returns a duration in milliseconds.
pub(crate) fn duration_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Formats milliseconds since 1970 as RFC 3339 text in UTC, with whole seconds. Returns `None` from
/// the year 10000 on, which the format cannot express.
pub(crate) fn iso(millis: u64) -> Option<String> {
    let seconds = millis / 1_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last day of one, and are counted from
    // 1600-03-01, where the cycle of 400 years begins. It is 135,080 days before 1970.
    let days = days + 135_080;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = 1_600 + 400 * cycle + year + next;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
    (year < 10_000).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_match_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_738_094_400, "2025-01-28T20:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(iso(seconds * 1_000 + 999).as_deref(), Some(expected));
        }
        assert_eq!(iso(253_402_300_800_000), None);
        assert_eq!(iso(u64::MAX), None);
    }

    #[test]
    fn dates_increase_day_by_day() {
        let mut previous = String::new();
        for day in 0..200_000_u64 {
            let text = iso(day * 86_400_000).unwrap();
            assert!(text > previous, "{text} after {previous}");
            previous = text;
        }
        assert!(previous.starts_with("2517-"), "{previous}");
    }
}
