//! Times as text of RFC 3339.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Formats seconds since 1970 in UTC. Returns `None` from the year 10000 on, which the format
/// cannot express.
pub(crate) fn format(seconds: u64) -> Option<String> {
    let seconds = i64::try_from(seconds).ok()?;
    let time = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    time.format(&Rfc3339).ok()
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
            assert_eq!(format(seconds).as_deref(), Some(expected));
        }
        assert_eq!(format(253_402_300_800), None);
        assert_eq!(format(u64::MAX), None);
    }

    #[test]
    fn dates_increase_day_by_day() {
        let mut previous = String::new();
        for day in 0..200_000_u64 {
            let text = format(day * 86_400).unwrap();
            assert!(text > previous, "{text} after {previous}");
            previous = text;
        }
        assert!(previous.starts_with("2517-"), "{previous}");
    }
}
