//! A server and a peer that says anything: all that comes back are messages, one a line, and no
//! request is answered twice. The first four bytes say in which pieces the rest is said.
#![no_main]

use std::collections::HashMap;

use fuzz::world::{BATCH, MESSAGE, converse, run, server};
use fuzz::{head, pieces};
use libfuzzer_sys::fuzz_target;
use mcp_types::RequestId;
use mcp_types::lines::LineReader;
use mcp_types::rpc::{EnvelopeError, Incoming, Message, parse_batch};

fuzz_target!(|bytes: &[u8]| {
    let (sizes, bytes) = head(bytes, 4);
    let heard = run(converse(server(), pieces(bytes, sizes)));
    let mut owed = owed(bytes);
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
            let left = owed.get_mut(&id).filter(|left| **left > 0);
            *left.unwrap_or_else(|| panic!("nobody asked for {line}")) -= 1;
        }
    }
});

/// How many answers there may be for each id, and without one.
fn owed(bytes: &[u8]) -> HashMap<Option<RequestId>, usize> {
    let mut owed = HashMap::new();
    let mut owe = |id: Option<&RequestId>| *owed.entry(id.cloned()).or_default() += 1;
    let mut lines = LineReader::new(MESSAGE);
    lines.feed(bytes);
    while let Some(line) = lines.finish() {
        match line.map(|line| parse_batch(line, BATCH)) {
            Ok(Ok(Incoming::Single(message))) => owe_for(Ok(message), &mut owe),
            Ok(Ok(Incoming::Batch(messages))) => {
                // Where there are no batches, it is refused as a whole.
                owe(None);
                for one in messages {
                    owe_for(one, &mut owe);
                }
            }
            Ok(Err(error)) => owe_for(Err(error), &mut owe),
            Err(_) => owe(None),
        }
    }
    owed
}

fn owe_for(message: Result<Message<'_>, EnvelopeError>, owe: &mut impl FnMut(Option<&RequestId>)) {
    match message {
        Ok(Message::Request { id, .. }) => owe(Some(&id)),
        Ok(_) => {}
        Err(error) if error.is_response() => {}
        Err(error) => owe(error.id()),
    }
}
