//! Headers of the protocol as values of the crate `http`, parsed at compile time.

use http::{HeaderName, HeaderValue};

use mcp_types::headers;

/// `MCP-Protocol-Version`.
pub const PROTOCOL_VERSION: HeaderName = HeaderName::from_static(headers::PROTOCOL_VERSION);
/// `Mcp-Method`.
pub const METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
/// `Mcp-Name`.
pub const NAME: HeaderName = HeaderName::from_static(headers::NAME);
/// `Mcp-Session-Id`.
pub const SESSION_ID: HeaderName = HeaderName::from_static(headers::SESSION_ID);
/// `Last-Event-ID`.
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static(headers::LAST_EVENT_ID);

/// The media type of a message.
pub const JSON: HeaderValue = HeaderValue::from_static(JSON_TYPE);
/// The media type of a stream of events.
pub const EVENTS: HeaderValue = HeaderValue::from_static(EVENTS_TYPE);
/// The value of `Accept` for a POST: the response is a message or a stream of events.
pub const JSON_AND_EVENTS: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");

const JSON_TYPE: &str = "application/json";
const EVENTS_TYPE: &str = "text/event-stream";

/// Returns a media type without its parameters.
#[inline]
#[must_use]
pub fn essence(media_type: &[u8]) -> &[u8] {
    let mut pieces = media_type.split(|byte| *byte == b';');
    pieces.next().unwrap_or_default().trim_ascii()
}

/// Returns `true` if a media type without parameters is that of a message.
#[inline]
#[must_use]
pub fn is_json(essence: &[u8]) -> bool {
    essence.eq_ignore_ascii_case(JSON_TYPE.as_bytes())
}

/// Returns `true` if a media type without parameters is that of a stream of events.
#[inline]
#[must_use]
pub fn is_events(essence: &[u8]) -> bool {
    essence.eq_ignore_ascii_case(EVENTS_TYPE.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_compared_without_parameters_and_case() {
        for (value, json, events) in [
            ("application/json", true, false),
            (" Application/JSON ; charset=utf-8", true, false),
            ("text/Event-Stream;x=y;z", false, true),
            ("application/json5", false, false),
            (";application/json", false, false),
            ("", false, false),
        ] {
            let found = essence(value.as_bytes());
            assert_eq!(
                (is_json(found), is_events(found)),
                (json, events),
                "{value}"
            );
        }
    }

    #[test]
    fn the_value_of_accept_names_both_media_types() {
        let accept = JSON_AND_EVENTS;
        let types: Vec<_> = accept.as_bytes().split(|byte| *byte == b',').collect();
        assert_eq!(types.len(), 2);
        assert!(is_json(essence(types[0])) && is_events(essence(types[1])));
    }
}
