//! A server, and a peer that sends arbitrary bytes: everything that the server writes is a message,
//! one per line, and no request is answered twice. The first four bytes are the lengths of the
//! pieces.
#![no_main]

use std::collections::HashMap;

use fuzz::world::{BATCH, MESSAGE, exchange, run, server};
use fuzz::{head, pieces};
use libfuzzer_sys::fuzz_target;
use mcp_types::RequestId;
use mcp_types::lines::LineReader;
use mcp_types::rpc::{EnvelopeError, Incoming, Message, parse_batch};

fuzz_target!(|bytes: &[u8]| {
    let (sizes, bytes) = head(bytes, 4);
    let heard = run(exchange(server(), pieces(bytes, sizes)));
    let mut allowed_responses = allowed_responses(bytes);
    let heard = std::str::from_utf8(&heard).expect("text");
    for line in heard.lines() {
        let answers = match parse_batch(line.as_bytes(), usize::MAX).expect("a message") {
            Incoming::Single(message) => vec![message],
            Incoming::Batch(all) => all.into_iter().map(|one| one.expect("a message")).collect(),
        };
        for answer in answers {
            let id = match answer {
                Message::Result { id, .. } => Some(id),
                Message::Error { id, .. } => id,
                Message::Request { .. } | Message::Notification { .. } => continue,
            };
            let left = allowed_responses.get_mut(&id).filter(|left| **left > 0);
            *left.unwrap_or_else(|| panic!("no request for {line}")) -= 1;
        }
    }
});

/// Counts how many responses are allowed for each id, and without an id.
fn allowed_responses(bytes: &[u8]) -> HashMap<Option<RequestId>, usize> {
    let mut allowed_responses = HashMap::new();
    let mut allow =
        |id: Option<&RequestId>| *allowed_responses.entry(id.cloned()).or_default() += 1;
    let mut lines = LineReader::new(MESSAGE);
    lines.feed(bytes);
    while let Some(line) = lines.finish() {
        match line.map(|line| parse_batch(line, BATCH)) {
            Ok(Ok(Incoming::Single(message))) => add_allowed(Ok(message), &mut allow),
            Ok(Ok(Incoming::Batch(messages))) => {
                // A revision without batches rejects the whole array with one error.
                allow(None);
                for one in messages {
                    add_allowed(one, &mut allow);
                }
            }
            Ok(Err(error)) => add_allowed(Err(error), &mut allow),
            Err(_) => allow(None),
        }
    }
    allowed_responses
}

fn add_allowed(
    message: Result<Message<'_>, EnvelopeError>,
    allow: &mut impl FnMut(Option<&RequestId>),
) {
    match message {
        Ok(Message::Request { id, .. }) => allow(Some(&id)),
        Ok(_) => {}
        Err(error) if error.is_response() => {}
        Err(error) => allow(error.id()),
    }
}
