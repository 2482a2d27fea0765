//! Generates and validates the ids of sessions, channels, streams and events.
//!
//! An id of another form was not issued by this server. It is treated as unknown without looking it
//! up, so that a peer cannot choose the keys of a store.

use crate::transport::http::refusal::Refusal;
use crate::util::hex;

/// Hexadecimal digits in the id of a session or of an HTTP+SSE channel.
const SESSION_DIGITS: usize = 32;
/// Hexadecimal digits of the id of a process, with which the names of all its streams begin.
const STREAM_PREFIX_DIGITS: usize = 16;

/// Generates an id of 128 random bits.
pub(super) fn new_id() -> Result<String, Refusal> {
    hex::random_id().map_err(|error| {
        tracing::error!(%error, "the system returned no random numbers");
        Refusal::NoRandomNumbers
    })
}

/// Returns `true` if a text has the form of the ids of sessions and of HTTP+SSE channels.
pub(crate) fn is_session_id(text: &str) -> bool {
    text.len() == SESSION_DIGITS && text.bytes().all(is_hex)
}

/// Splits the id of an event into the name of its stream and its number in the stream. Returns
/// `None` if the text does not have the form of such an id.
pub(crate) fn split_event_id(text: &str) -> Option<(&str, u64)> {
    let (stream, number) = text.split_once('-')?;
    let (prefix, count) = stream.split_at_checked(STREAM_PREFIX_DIGITS)?;
    let is_name = prefix.bytes().all(is_hex)
        && count.bytes().all(is_hex)
        && u64::from_str_radix(count, 16).is_ok()
        && is_canonical(count);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && is_canonical(number);
    (is_name && is_number).then_some(())?;
    Some((stream, number.parse().ok()?))
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Returns `true` if a number has no leading zeros.
fn is_canonical(digits: &str) -> bool {
    digits == "0" || !digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_in_the_issued_form_are_accepted() {
        let session = "0123456789abcdef0123456789abcdef";
        assert!(is_session_id(session));
        for other in [
            "",
            "0123456789abcdef0123456789abcde",
            "0123456789abcdef0123456789abcdef0",
            "0123456789ABCDEF0123456789ABCDEF",
            "0123456789abcdef0123456789abcde/",
            "0123456789abcdef0123456789abcd\u{e9}",
        ] {
            assert!(!is_session_id(other), "{other}");
        }
        for (text, stream, number) in [
            ("0123456789abcdef0-0", "0123456789abcdef0", 0),
            ("0123456789abcdef1f-17", "0123456789abcdef1f", 17),
            (
                "0123456789abcdefffffffffffffffff-18446744073709551615",
                "0123456789abcdefffffffffffffffff",
                u64::MAX,
            ),
        ] {
            assert_eq!(split_event_id(text), Some((stream, number)), "{text}");
        }
        for other in [
            "",
            "-",
            "-1",
            "0123456789abcdef0",
            "0123456789abcdef0-",
            "0123456789abcdef-1",
            "0123456789abcdef0-+1",
            "0123456789abcdef0-01",
            "0123456789abcdef0-1-1",
            "0123456789abcdef01-18446744073709551616",
            "0123456789abcdef10000000000000000-1",
            "0123456789abcdeF0-1",
            "0123456789abcdef01x-1",
            "0123456789abcdef*-1",
            "0123456789abcde\u{e9}0-1",
        ] {
            assert_eq!(split_event_id(other), None, "{other}");
        }
    }
}
