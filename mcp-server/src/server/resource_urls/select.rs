//! Evaluates conditions and ranges of a request: all of a representation, a part, or nothing if it
//! has not changed (RFC 9110, 13 and 14).

use std::ops::Range;

use http::header::{IF_MATCH, IF_NONE_MATCH, IF_RANGE, RANGE};
use http::{HeaderMap, HeaderName, Method};

/// What the response contains, and its status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// 200: all bytes.
    Whole,
    /// 206: these bytes.
    Part(Range<usize>),
    /// 304: the client has the current representation.
    NotModified,
    /// 412: the representation does not match `If-Match`.
    Changed,
    /// 416: the range is outside of the representation.
    Outside,
}

/// Returns what a request selects of a representation with this tag and size in bytes.
pub(crate) fn select(method: &Method, headers: &HeaderMap, etag: &str, size: usize) -> Selected {
    evaluate_conditions(headers, etag).unwrap_or_else(|| range(method, headers, etag, size))
}

/// Evaluates `If-Match` and `If-None-Match`. Returns `None` if they are met or absent.
pub(crate) fn evaluate_conditions(headers: &HeaderMap, etag: &str) -> Option<Selected> {
    if headers.contains_key(IF_MATCH)
        && !header_tags(headers, IF_MATCH).any(|tag| tag_matches(tag, etag))
    {
        return Some(Selected::Changed);
    }
    let weakly = |tag: &str| tag_matches(tag.strip_prefix("W/").unwrap_or(tag), etag);
    header_tags(headers, IF_NONE_MATCH)
        .any(weakly)
        .then_some(Selected::NotModified)
}

/// Evaluates `Range` and `If-Range`.
fn range(method: &Method, headers: &HeaderMap, etag: &str, size: usize) -> Selected {
    let mut ranges = headers.get_all(RANGE).iter();
    let (Some(range), None) = (ranges.next(), ranges.next()) else {
        return Selected::Whole;
    };
    // A date never matches: the server sends no `Last-Modified`.
    let fits = headers.get(IF_RANGE).is_none_or(|tag| tag == etag);
    if method != Method::GET || !fits {
        return Selected::Whole;
    }
    let range = range
        .to_str()
        .ok()
        .and_then(|range| parse_range(range, size));
    range.unwrap_or(Selected::Whole)
}

/// Iterates over the tags in a header.
fn header_tags(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    // A tag that contains a comma is split. No part of it equals a tag of this server, because
    // those have quotes on both sides.
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

fn tag_matches(tag: &str, etag: &str) -> bool {
    tag == "*" || tag == etag
}

/// Parses a range. Returns `None` for a range that is ignored: its unit or form is unknown, or it
/// contains several ranges.
fn parse_range(text: &str, size: usize) -> Option<Selected> {
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

/// Parses a number. A number that is too large is treated as the maximum.
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
    fn ranges_are_parsed_as_in_rfc_9110() {
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
    fn conditions_are_evaluated_before_ranges() {
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
