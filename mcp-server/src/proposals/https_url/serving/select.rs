//! Evaluates conditions and ranges of a request: all of a representation, a part, or nothing if it
//! has not changed (RFC 9110, 13 and 14).

use std::ops::Range;
use std::time::SystemTime;

use http::header::{
    IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// What the response contains, and its status.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// 200: all bytes.
    Whole,
    /// 206: these bytes.
    Part(Range<u64>),
    /// 304: the client has the current representation.
    NotModified,
    /// 412: the representation does not match `If-Match`.
    Changed,
    /// 416: the range is outside of the representation.
    Outside,
}

/// What identifies the state of a representation.
#[derive(Clone, Debug, Default)]
pub(crate) struct CacheValidators {
    /// A strong entity tag.
    pub(crate) etag: Option<String>,
    /// The time of the last change, in whole seconds.
    pub(crate) last_modified: Option<SystemTime>,
}

/// Returns what a request selects of a representation of this size in bytes. Without a size there
/// are no ranges.
pub(crate) fn select(
    method: &Method,
    headers: &HeaderMap,
    validators: &CacheValidators,
    size: Option<u64>,
) -> Selected {
    let failed = evaluate_conditions(headers, validators);
    failed.unwrap_or_else(|| range(method, headers, validators, size))
}

/// Evaluates the conditions in the order of RFC 9110, 13.2.2: a date counts only if the header with
/// tags is absent. Returns `None` if they are met or absent.
pub(crate) fn evaluate_conditions(
    headers: &HeaderMap,
    validators: &CacheValidators,
) -> Option<Selected> {
    let etag = validators.etag.as_deref();
    let modified_after = |name| {
        let date = date(headers, name)?;
        Some(validators.last_modified? > date)
    };
    let is_changed = if headers.contains_key(IF_MATCH) {
        !header_tags(headers, IF_MATCH).any(|tag| tag_matches(tag, etag))
    } else {
        modified_after(IF_UNMODIFIED_SINCE) == Some(true)
    };
    if is_changed {
        return Some(Selected::Changed);
    }
    let is_current = if headers.contains_key(IF_NONE_MATCH) {
        // `*` is not a tag, so it has no weak form.
        let weakly = |tag: &str| tag == "*" || Some(tag.strip_prefix("W/").unwrap_or(tag)) == etag;
        header_tags(headers, IF_NONE_MATCH).any(weakly)
    } else {
        modified_after(IF_MODIFIED_SINCE) == Some(false)
    };
    is_current.then_some(Selected::NotModified)
}

/// Returns the date in a header. A header that is no date, or several ones, is ignored.
fn date(headers: &HeaderMap, name: HeaderName) -> Option<SystemTime> {
    let mut values = headers.get_all(name).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    httpdate::parse_http_date(value.to_str().ok()?).ok()
}

/// Evaluates `Range` and `If-Range`.
fn range(
    method: &Method,
    headers: &HeaderMap,
    validators: &CacheValidators,
    size: Option<u64>,
) -> Selected {
    let mut ranges = headers.get_all(RANGE).iter();
    let (Some(range), None, Some(size)) = (ranges.next(), ranges.next(), size) else {
        return Selected::Whole;
    };
    // A date never matches: two changes may happen in the same second (RFC 9110, 8.8.2.2).
    let etag = validators.etag.as_deref();
    let fits = |tag: &HeaderValue| etag.is_some_and(|etag| tag == etag);
    if method != Method::GET || !headers.get(IF_RANGE).is_none_or(fits) {
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

fn tag_matches(tag: &str, etag: Option<&str>) -> bool {
    tag == "*" || Some(tag) == etag
}

/// Parses a range. Returns `None` for a range that is ignored: its unit or form is unknown, or it
/// contains several ranges.
fn parse_range(text: &str, size: u64) -> Option<Selected> {
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
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"abc\"";

    const CHANGED: &str = "Sat, 21 Nov 2026 22:00:00 GMT";

    fn selected(pairs: &[(HeaderName, &'static str)], size: u64) -> Selected {
        let validators = CacheValidators {
            etag: Some(TAG.to_owned()),
            last_modified: httpdate::parse_http_date(CHANGED).ok(),
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_static(value));
        }
        select(&Method::GET, &headers, &validators, Some(size))
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
            ((IF_NONE_MATCH, "W/*"), Part(0..2)),
            ((IF_MATCH, "W/*"), Changed),
            ((IF_NONE_MATCH, "\"x\""), Part(0..2)),
            ((IF_NONE_MATCH, "abc"), Part(0..2)),
            ((IF_MATCH, "\"abc\""), Part(0..2)),
            ((IF_MATCH, "*"), Part(0..2)),
            ((IF_MATCH, "\"x\""), Changed),
            ((IF_MATCH, "W/\"abc\""), Changed),
            ((IF_RANGE, "\"abc\""), Part(0..2)),
            ((IF_RANGE, "\"x\""), Whole),
            ((IF_RANGE, "W/\"abc\""), Whole),
            ((IF_RANGE, CHANGED), Whole),
            ((IF_MODIFIED_SINCE, CHANGED), NotModified),
            (
                (IF_MODIFIED_SINCE, "Sat, 21 Nov 2026 22:00:01 GMT"),
                NotModified,
            ),
            (
                (IF_MODIFIED_SINCE, "Saturday, 21-Nov-26 22:00:00 GMT"),
                NotModified,
            ),
            ((IF_MODIFIED_SINCE, "Sat Nov 21 22:00:00 2026"), NotModified),
            (
                (IF_MODIFIED_SINCE, "Sat, 21 Nov 2026 21:59:59 GMT"),
                Part(0..2),
            ),
            ((IF_MODIFIED_SINCE, "2026-11-21T22:00:00Z"), Part(0..2)),
            ((IF_UNMODIFIED_SINCE, CHANGED), Part(0..2)),
            (
                (IF_UNMODIFIED_SINCE, "Sat, 21 Nov 2026 21:59:59 GMT"),
                Changed,
            ),
            ((IF_UNMODIFIED_SINCE, "yesterday"), Part(0..2)),
        ] {
            let name = format!("{condition:?}");
            assert_eq!(
                selected(&[range.clone(), condition], 10),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn dates_count_only_without_tags() {
        use Selected::*;
        let earlier = "Sat, 21 Nov 2026 21:59:59 GMT";
        for (pairs, expected) in [
            (
                &[(IF_NONE_MATCH, "\"x\""), (IF_MODIFIED_SINCE, CHANGED)],
                Whole,
            ),
            (
                &[(IF_NONE_MATCH, TAG), (IF_MODIFIED_SINCE, earlier)],
                NotModified,
            ),
            (&[(IF_MATCH, TAG), (IF_UNMODIFIED_SINCE, earlier)], Whole),
            (
                &[(IF_MATCH, "\"x\""), (IF_UNMODIFIED_SINCE, CHANGED)],
                Changed,
            ),
            // What guards against changes is evaluated first.
            (
                &[(IF_UNMODIFIED_SINCE, earlier), (IF_NONE_MATCH, TAG)],
                Changed,
            ),
            // Two dates are no date.
            (
                &[(IF_MODIFIED_SINCE, CHANGED), (IF_MODIFIED_SINCE, CHANGED)],
                Whole,
            ),
        ] {
            assert_eq!(selected(pairs, 10), expected, "{pairs:?}");
        }
    }

    #[test]
    fn unknown_validators_and_sizes_match_nothing() {
        use Selected::*;
        let mut headers = HeaderMap::new();
        let all =
            |headers: &HeaderMap| select(&Method::GET, headers, &CacheValidators::default(), None);
        headers.insert(RANGE, HeaderValue::from_static("bytes=0-1"));
        headers.insert(IF_MODIFIED_SINCE, HeaderValue::from_static(CHANGED));
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static(TAG));
        assert_eq!(all(&headers), Whole);
        headers.insert(IF_MATCH, HeaderValue::from_static(TAG));
        assert_eq!(all(&headers), Changed);
    }
}
