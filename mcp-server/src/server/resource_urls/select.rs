//! What of a representation is asked for: all, a part, or nothing if it has not changed
//! (RFC 9110, 13 and 14).

use std::ops::Range;

use http::header::{IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderName, Method};

/// What is to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// 200, all of it.
    Whole,
    /// 206, these bytes.
    Part(Range<usize>),
    /// 304, the client has it.
    NotModified,
    /// 412, it is not what the client takes it for.
    Changed,
    /// 416, there are no such bytes.
    Outside,
}

/// What a request selects of a representation with this tag and so many bytes.
pub(crate) fn select(method: &Method, headers: &HeaderMap, etag: &str, size: usize) -> Selected {
    unmet(headers, etag).unwrap_or_else(|| range(method, headers, etag, size))
}

/// The outcome of conditions that keep a request from being served; `None` where it is served.
pub(crate) fn unmet(headers: &HeaderMap, etag: &str) -> Option<Selected> {
    if headers.contains_key(IF_MATCH) && !named(headers, IF_MATCH).any(|tag| is(tag, etag)) {
        return Some(Selected::Changed);
    }
    let weakly = |tag: &str| is(tag.strip_prefix("W/").unwrap_or(tag), etag);
    named(headers, IF_NONE_MATCH)
        .any(weakly)
        .then_some(Selected::NotModified)
}

/// The bytes that a request without such conditions selects.
fn range(method: &Method, headers: &HeaderMap, etag: &str, size: usize) -> Selected {
    let mut ranges = headers.get_all(RANGE).iter();
    let (Some(range), None) = (ranges.next(), ranges.next()) else {
        return Selected::Whole;
    };
    // A date never fits: there is none that is exact enough.
    let fits = headers.get(IF_RANGE).is_none_or(|tag| tag == etag);
    if method != Method::GET || !fits {
        return Selected::Whole;
    }
    let range = range.to_str().ok().and_then(|range| part(range, size));
    range.unwrap_or(Selected::Whole)
}

/// The tags in a header.
fn named(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    // A tag with a comma falls apart; no half of it is one of ours, which have quotes on both
    // sides.
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

fn is(tag: &str, etag: &str) -> bool {
    tag == "*" || tag == etag
}

/// The bytes that one range names; `None` where it is to be ignored: its form is unknown, or
/// there are several.
fn part(text: &str, size: usize) -> Option<Selected> {
    let (unit, range) = text.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (start, end) = match range.trim().split_once('-')? {
        ("", last) => (size.saturating_sub(number(last)?), size),
        (first, "") => (number(first)?, size),
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return None;
            }
            (first, size.min(last.saturating_add(1)))
        }
    };
    Some(if start < end {
        Selected::Part(start..end)
    } else {
        Selected::Outside
    })
}

/// A number; one that is too large to be one stands for the largest.
fn number(text: &str) -> Option<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"abc\"";

    fn selected(pairs: &[(HeaderName, &'static str)], size: usize) -> Selected {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, http::HeaderValue::from_static(value));
        }
        select(&Method::GET, &headers, TAG, size)
    }

    #[test]
    fn ranges_are_those_of_the_rfc() {
        use Selected::*;
        for (range, size, expected) in [
            ("bytes=0-0", 10, Part(0..1)),
            ("bytes=0-9", 10, Part(0..10)),
            ("bytes=0-99", 10, Part(0..10)),
            ("bytes=9-", 10, Part(9..10)),
            ("bytes=-3", 10, Part(7..10)),
            ("bytes=-99", 10, Part(0..10)),
            ("Bytes = 2-3", 10, Part(2..4)),
            ("bytes=10-", 10, Outside),
            ("bytes=10-12", 10, Outside),
            ("bytes=-0", 10, Outside),
            ("bytes=0-", 0, Outside),
            ("bytes=-1", 0, Outside),
            ("bytes=99999999999999999999-", 10, Outside),
            ("bytes=1-99999999999999999999", 10, Part(1..10)),
            ("bytes=-99999999999999999999", 10, Part(0..10)),
            ("bytes=0-1,3-4", 10, Whole),
            ("bytes=3-2", 10, Whole),
            ("bytes=-", 10, Whole),
            ("bytes=", 10, Whole),
            ("bytes=a-b", 10, Whole),
            ("bytes=+1-2", 10, Whole),
            ("bytes=1- 2", 10, Whole),
            ("bytes=--2", 10, Whole),
            ("lines=1-2", 10, Whole),
            ("nonsense", 10, Whole),
        ] {
            assert_eq!(selected(&[(RANGE, range)], size), expected, "{range}");
        }
        let two = [(RANGE, "bytes=0-1"), (RANGE, "bytes=2-3")];
        assert_eq!(selected(&two, 10), Whole);
    }

    #[test]
    fn conditions_come_before_ranges() {
        use Selected::*;
        let range = (RANGE, "bytes=0-1");
        for (condition, expected) in [
            ((IF_NONE_MATCH, "\"abc\""), NotModified),
            ((IF_NONE_MATCH, "W/\"abc\""), NotModified),
            ((IF_NONE_MATCH, "\"x\", \"abc\""), NotModified),
            ((IF_NONE_MATCH, "*"), NotModified),
            ((IF_NONE_MATCH, "\"x\""), Part(0..2)),
            ((IF_NONE_MATCH, "abc"), Part(0..2)),
            ((IF_MATCH, "\"abc\""), Part(0..2)),
            ((IF_MATCH, "*"), Part(0..2)),
            ((IF_MATCH, "\"x\""), Changed),
            ((IF_MATCH, "W/\"abc\""), Changed),
            ((IF_RANGE, "\"abc\""), Part(0..2)),
            ((IF_RANGE, "\"x\""), Whole),
            ((IF_RANGE, "W/\"abc\""), Whole),
            ((IF_RANGE, "Sat, 21 Nov 2026 22:00:00 GMT"), Whole),
        ] {
            let name = format!("{condition:?}");
            assert_eq!(
                selected(&[range.clone(), condition], 10),
                expected,
                "{name}"
            );
        }
    }
}
