//! JSON-RPC messages: a decoded message can be encoded and decoded again without a change, and text
//! that `serde_json` rejects as invalid JSON is rejected.
#![no_main]

use fuzz::same::compact;
use libfuzzer_sys::fuzz_target;
use mcp_types::json::{self, Object};
use mcp_types::rpc::{self, EnvelopeError, ErrorObject, Incoming, Message, PARSE_ERROR};
use serde_json::value::RawValue;

const BATCH: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let parsed = rpc::parse(bytes);
    compare_with_serde_json(bytes, parsed.as_ref());
    if let Ok(message) = &parsed {
        check_round_trip(message);
    }
    match rpc::parse_batch(bytes, BATCH) {
        Ok(Incoming::Single(message)) => {
            let alone = parsed.expect("a valid batch element is a valid message");
            assert_eq!(content(&message), content(&alone));
        }
        Ok(Incoming::Batch(messages)) => {
            assert!(parsed.is_err());
            assert!((1..=BATCH).contains(&messages.len()));
            messages.iter().flatten().for_each(check_round_trip);
        }
        Err(error) => assert!(parsed.is_err(), "{error}"),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        decoded(text);
    }
});

/// Compares with `serde_json` whether the bytes are valid JSON. Some valid texts are rejected by
/// `serde_json` only, such as numbers outside the range of floats; and it validates less of a value
/// that it skips.
fn compare_with_serde_json(bytes: &[u8], parsed: Result<&Message<'_>, &EnvelopeError>) {
    let text = std::str::from_utf8(bytes).ok();
    let json = text.is_some_and(|text| serde_json::from_str::<&RawValue>(text).is_ok());
    let value = serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    match parsed {
        Ok(_) => assert!(json, "serde_json accepts invalid JSON"),
        Err(error) => {
            assert!(!value || error.code() != PARSE_ERROR, "{error}");
            assert!(json || error.code() == PARSE_ERROR, "{error}");
        }
    }
}

/// Encodes a message and decodes the result.
fn check_round_trip(message: &Message<'_>) {
    let mut line = Vec::new();
    let written = match message {
        Message::Request {
            id, method, params, ..
        } => rpc::write_request(&mut line, id, method, params.as_ref()),
        Message::Notification { method, params, .. } => {
            rpc::write_notification(&mut line, method, params.as_ref())
        }
        Message::Result { id, result, .. } => rpc::write_result(&mut line, id, result),
        Message::Error { id, error, .. } => {
            let Ok(error) = json::from_str::<ErrorObject>(error.get()) else {
                return;
            };
            rpc::write_error(&mut line, id.as_ref(), &error)
        }
    };
    written.expect("a decoded message can be encoded");
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'), "one line");
    let back = rpc::parse(&line).expect("an encoded message can be decoded");
    match (message, &back) {
        (Message::Error { error, .. }, Message::Error { error: other, .. }) => {
            let read = |raw: &RawValue| json::from_str::<ErrorObject>(raw.get()).ok();
            assert_eq!(read(error), read(other));
            assert_eq!(message.id(), back.id());
        }
        _ => assert_eq!(content(message), content(&back)),
    }
}

/// Returns the content of a message, without members that are not part of JSON-RPC.
fn content(message: &Message<'_>) -> String {
    let raw = |raw: &RawValue| compact(raw.get());
    let body = match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => params.map(raw),
        Message::Result { result, .. } => Some(raw(result)),
        Message::Error { error, .. } => Some(raw(error)),
    };
    format!("{:?} {:?} {body:?}", message.id(), message.method())
}

/// Decoding the body in the same pass returns the same message, whatever bodies are expected.
fn decoded(text: &str) {
    let envelope = rpc::parse_str(text);
    for expected in [false, true] {
        match rpc::decode::<Object, Object>(text, |_| expected) {
            Ok(rpc::Decoded::Typed(message)) => {
                let envelope = envelope.as_ref().expect("the envelope is valid");
                assert_eq!(message.id(), envelope.id());
                assert_eq!(message.method(), envelope.method());
            }
            Ok(rpc::Decoded::Raw(message)) => {
                let envelope = envelope.as_ref().expect("the envelope is valid");
                assert_eq!(content(&message), content(envelope));
            }
            Err(rpc::MessageError::Envelope(error)) => {
                assert_eq!(Some(&error), envelope.as_ref().err());
            }
            Err(error) => assert!(expected && envelope.is_ok(), "{error}"),
        }
    }
}
