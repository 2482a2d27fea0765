//! [`fits`]: checks the formats that a form can require of a string.

use crate::StringSchemaFormat;

/// Returns `true` if a text has a format. For email addresses and URIs only the syntax is checked,
/// loosely.
#[inline]
pub(super) fn fits(format: StringSchemaFormat, text: &str) -> bool {
    match format {
        StringSchemaFormat::Email => is_email(text),
        StringSchemaFormat::Uri => is_uri(text),
        StringSchemaFormat::Date => is_date(text),
        StringSchemaFormat::DateTime => is_date_time(text),
    }
}

#[inline]
fn is_email(text: &str) -> bool {
    let sound = |part: &str| {
        let known = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
        !part.is_empty() && part.chars().all(known)
    };
    text.rsplit_once('@')
        .is_some_and(|(local, domain)| sound(local) && domain.split('.').all(sound))
}

/// Checks the syntax of RFC 3986: a scheme, a colon, and no characters that a URI cannot contain.
#[inline]
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let named = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let allowed = |c: char| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(named)
        && rest.chars().all(allowed)
}

/// Parses a number with exactly `count` digits. Returns it and the rest of the text.
#[inline]
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| all)?, rest))
}

/// Parses a date that exists. Returns the rest of the text.
#[inline]
fn date(text: &str) -> Option<&str> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(rest)
}

/// Parses hours and minutes. Returns the rest of the text.
#[inline]
fn clock(text: &str) -> Option<&str> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    (hour < 24 && minute < 60).then_some(rest)
}

#[inline]
fn is_date(text: &str) -> bool {
    date(text) == Some("")
}

/// Checks the syntax of RFC 3339, which requires a time zone offset.
#[inline]
fn is_date_time(text: &str) -> bool {
    let time = |text| {
        let rest = date(text)?.strip_prefix(['T', 't'])?;
        let (second, rest) = digits(clock(rest)?.strip_prefix(':')?, 2)?;
        let rest = match rest.strip_prefix('.') {
            Some(rest) => {
                let end = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                (end.len() < rest.len()).then_some(end)?
            }
            None => rest,
        };
        let zone = match rest {
            "Z" | "z" => "",
            _ => clock(rest.strip_prefix(['+', '-'])?)?,
        };
        (second <= 60 && zone.is_empty()).then_some(())
    };
    time(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_checked() {
        use StringSchemaFormat::{Date, DateTime, Email, Uri};
        let cases = [
            (Email, "a.b+c@example.com", true),
            (Email, "é@localhost", true),
            (Email, "example.com", false),
            (Email, "@example.com", false),
            (Email, "a@", false),
            (Email, "a@b..c", false),
            (Email, "a b@example.com", false),
            (Uri, "https://example.com/a?b#c", true),
            (Uri, "urn:a:b", true),
            (Uri, "/relative", false),
            (Uri, "1http://a", false),
            (Uri, "https://a b", false),
            (Uri, "https://é", false),
            (Date, "2024-02-29", true),
            (Date, "2023-02-29", false),
            (Date, "2024-13-01", false),
            (Date, "2024-1-01", false),
            (Date, "2024-01-01T", false),
            (Date, "+024-01-01", false),
            (DateTime, "2024-01-31T23:59:60Z", true),
            (DateTime, "2024-01-31t00:00:00.125+05:30", true),
            (DateTime, "2024-01-31T00:00:00", false),
            (DateTime, "2024-01-31T24:00:00Z", false),
            (DateTime, "2024-01-31T00:00:00.Z", false),
            (DateTime, "2024-01-31T00:00:00+1:00", false),
            (DateTime, "2024-01-31", false),
        ];
        for (format, text, right) in cases {
            assert_eq!(fits(format, text), right, "{format:?} {text}");
        }
    }
}
