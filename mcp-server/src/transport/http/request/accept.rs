//! [`AcceptedForms`]: the forms of a response that a client accepts.

use http::header::ACCEPT;
use http::request::Parts;
use mcp_wire::http_headers::{JSON_AND_EVENTS, essence};

use crate::transport::http::refusal::{Refusal, header_value};

/// The forms of a response to a POST that the client accepts: at least one of them.
///
/// The specification requires that clients accept both. A client that accepts only one of them gets
/// it wherever the response can have that form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AcceptedForms {
    pub(crate) json: bool,
    pub(crate) events: bool,
}

impl AcceptedForms {
    pub(crate) const ALL: Self = Self {
        json: true,
        events: true,
    };

    /// Reads the header `Accept` of a request.
    ///
    /// # Errors
    ///
    /// If the client accepts none of the forms.
    pub(crate) fn read(parts: &Parts) -> Result<Self, Refusal> {
        // Nearly all clients send this value.
        if parts.headers.get(ACCEPT) == Some(&JSON_AND_EVENTS) {
            return Ok(Self::ALL);
        }
        let accepted = Self {
            json: accepts(parts, b"application", b"json"),
            events: accepts(parts, b"text", b"event-stream"),
        };
        if !accepted.json && !accepted.events {
            return Err(Refusal::Accept {
                found: header_value(parts, ACCEPT),
                expected: "application/json and text/event-stream",
            });
        }
        Ok(accepted)
    }
}

/// Checks that the client accepts a stream of events.
pub(crate) fn check_events(parts: &Parts) -> Result<(), Refusal> {
    if accepts(parts, b"text", b"event-stream") {
        return Ok(());
    }
    Err(Refusal::Accept {
        found: header_value(parts, ACCEPT),
        expected: "text/event-stream",
    })
}

/// Returns `true` if the client accepts a media type. The most specific range that includes the
/// type decides (RFC 9110, section 12.5.1).
fn accepts(parts: &Parts, main: &[u8], sub: &[u8]) -> bool {
    let values = parts.headers.get_all(ACCEPT).into_iter();
    let ranges = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let including = ranges.filter_map(|range| {
        let specificity = specificity(essence(range), main, sub)?;
        Some((specificity, !is_excluded(range)))
    });
    let decisive = including.max_by_key(|(specificity, _)| *specificity);
    decisive.is_some_and(|(_, is_accepted)| is_accepted)
}

/// Returns how specific a media range is that includes a media type: 0 for `*/*`, 2 for the type
/// itself. `None` if it does not include the type.
fn specificity(range: &[u8], main: &[u8], sub: &[u8]) -> Option<u8> {
    let mut halves = range.splitn(2, |byte| *byte == b'/');
    let (first, second) = (halves.next()?, halves.next()?);
    match (first, second) {
        (b"*", b"*") => Some(0),
        (first, b"*") => first.eq_ignore_ascii_case(main).then_some(1),
        (first, second) => {
            let is_same = first.eq_ignore_ascii_case(main) && second.eq_ignore_ascii_case(sub);
            is_same.then_some(2)
        }
    }
}

/// Returns `true` if a media range has a weight of zero, such as `q=0` or `q=0.000`.
fn is_excluded(range: &[u8]) -> bool {
    let mut parameters = range.split(|byte| *byte == b';').skip(1);
    parameters.any(|parameter| {
        let mut halves = parameter.splitn(2, |byte| *byte == b'=');
        let (name, value) = (halves.next(), halves.next());
        let is_weight = name.is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"q"));
        let value = value.unwrap_or_default().trim_ascii();
        is_weight && value.starts_with(b"0") && value.iter().all(|byte| b"0.".contains(byte))
    })
}
