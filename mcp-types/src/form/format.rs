//! [`fits`]: checks the formats that a form can require of a string.

/// Returns `true` if a text has a format. For email addresses and URIs only the syntax is checked,
/// loosely.
#[inline]
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        "email" => is_email(text),
        "uri" => is_uri(text),
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        // A format that a newer revision adds.
        _ => true,
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
        let cases = [
            ("email", "a.b+c@example.com", true),
            ("email", "é@localhost", true),
            ("email", "example.com", false),
            ("email", "@example.com", false),
            ("email", "a@", false),
            ("email", "a@b..c", false),
            ("email", "a b@example.com", false),
            ("uri", "https://example.com/a?b#c", true),
            ("uri", "urn:a:b", true),
            ("uri", "/relative", false),
            ("uri", "1http://a", false),
            ("uri", "https://a b", false),
            ("uri", "https://é", false),
            ("date", "2024-02-29", true),
            ("date", "2023-02-29", false),
            ("date", "2024-13-01", false),
            ("date", "2024-1-01", false),
            ("date", "2024-01-01T", false),
            ("date", "+024-01-01", false),
            ("date-time", "2024-01-31T23:59:60Z", true),
            ("date-time", "2024-01-31t00:00:00.125+05:30", true),
            ("date-time", "2024-01-31T00:00:00", false),
            ("date-time", "2024-01-31T24:00:00Z", false),
            ("date-time", "2024-01-31T00:00:00.Z", false),
            ("date-time", "2024-01-31T00:00:00+1:00", false),
            ("date-time", "2024-01-31", false),
            ("of a newer revision", "anything", true),
        ];
        for (format, text, right) in cases {
            assert_eq!(fits(format, text), right, "{format} {text}");
        }
    }
}
