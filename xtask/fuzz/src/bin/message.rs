//! JSON-RPC messages: what is read can be written and read again as the same, and what is no JSON
//! for others is none for us.
#![no_main]

use fuzz::same::compact;
use libfuzzer_sys::fuzz_target;
use mcp_types::json::{self, Object};
use mcp_types::rpc::{self, EnvelopeError, ErrorObject, Incoming, Message, PARSE_ERROR};
use serde_json::value::RawValue;

const BATCH: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let parsed = rpc::parse(bytes);
    judge(bytes, parsed.as_ref());
    if let Ok(message) = &parsed {
        again(message);
    }
    match rpc::parse_batch(bytes, BATCH) {
        Ok(Incoming::Single(message)) => {
            let alone = parsed.expect("what is sound with batches is sound without");
            assert_eq!(shown(&message), shown(&alone));
        }
        Ok(Incoming::Batch(messages)) => {
            assert!(parsed.is_err());
            assert!((1..=BATCH).contains(&messages.len()));
            messages.iter().flatten().for_each(again);
        }
        Err(error) => assert!(parsed.is_err(), "{error}"),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        decoded(text);
    }
});

/// Compares with `serde_json` on whether the bytes are JSON at all. It refuses more values, such as
/// numbers beyond all floats, and less of what is only skipped.
fn judge(bytes: &[u8], parsed: Result<&Message<'_>, &EnvelopeError>) {
    let text = std::str::from_utf8(bytes).ok();
    let json = text.is_some_and(|text| serde_json::from_str::<&RawValue>(text).is_ok());
    let value = serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    match parsed {
        Ok(_) => assert!(json, "it is no JSON"),
        Err(error) => {
            assert!(!value || error.code() != PARSE_ERROR, "{error}");
            assert!(json || error.code() == PARSE_ERROR, "{error}");
        }
    }
}

/// Writes a message and reads it again.
fn again(message: &Message<'_>) {
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
    written.expect("what was read can be written");
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'), "one line");
    let back = rpc::parse(&line).expect("what was written can be read");
    match (message, &back) {
        (Message::Error { error, .. }, Message::Error { error: other, .. }) => {
            let read = |raw: &RawValue| json::from_str::<ErrorObject>(raw.get()).ok();
            assert_eq!(read(error), read(other));
            assert_eq!(message.id(), back.id());
        }
        _ => assert_eq!(shown(message), shown(&back)),
    }
}

/// What a message says, apart from members that are no part of JSON-RPC.
fn shown(message: &Message<'_>) -> String {
    let raw = |raw: &RawValue| compact(raw.get());
    let body = match message {
        Message::Request { params, .. } | Message::Notification { params, .. } => params.map(raw),
        Message::Result { result, .. } => Some(raw(result)),
        Message::Error { error, .. } => Some(raw(error)),
    };
    format!("{:?} {:?} {body:?}", message.id(), message.method())
}

/// Reading bodies on the way finds the same message, whichever of them are expected.
fn decoded(text: &str) {
    let envelope = rpc::parse_str(text);
    for expected in [false, true] {
        match rpc::decode::<Object, Object>(text, |_| expected) {
            Ok(rpc::Decoded::Typed(message)) => {
                let envelope = envelope.as_ref().expect("the envelope is sound");
                assert_eq!(message.id(), envelope.id());
                assert_eq!(message.method(), envelope.method());
            }
            Ok(rpc::Decoded::Raw(message)) => {
                let envelope = envelope.as_ref().expect("the envelope is sound");
                assert_eq!(shown(&message), shown(envelope));
            }
            Err(rpc::MessageError::Envelope(error)) => {
                assert_eq!(Some(&error), envelope.as_ref().err());
            }
            Err(error) => assert!(expected && envelope.is_ok(), "{error}"),
        }
    }
}
