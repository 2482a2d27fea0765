//! Server-sent events: the parser returns the same events however the stream is divided, and parses
//! what the writer writes. The first two bytes are the limit, the next four the lengths of the
//! pieces.
#![no_main]

use std::time::Duration;

use fuzz::{head, number, pieces};
use libfuzzer_sys::fuzz_target;
use mcp_types::sse::{Decoder, Event, SseError, write_comment, write_event};

#[derive(Debug, PartialEq)]
struct Seen {
    event: String,
    data: String,
    id: String,
}

fuzz_target!(|bytes: &[u8]| {
    let (limit, bytes) = head(bytes, 2);
    let (sizes, bytes) = head(bytes, 4);
    let limit = number(limit);
    let whole = read([bytes].into_iter(), limit);
    assert_eq!(read(pieces(bytes, sizes), limit), whole);
    for seen in whole.0.iter().flatten() {
        assert!(seen.data.len() <= limit && seen.event.len() <= limit.max("message".len()));
    }
    written(bytes);
});

type Read = (Vec<Result<Seen, SseError>>, String, Option<Duration>);

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, limit: usize) -> Read {
    let mut decoder = Decoder::new(limit);
    let mut seen = Vec::new();
    for mut piece in pieces {
        loop {
            match decoder.next(&mut piece) {
                Ok(Some(message)) => seen.push(Ok(Seen {
                    event: message.event.to_owned(),
                    data: message.data.to_owned(),
                    id: message.last_event_id.to_owned(),
                })),
                Ok(None) => break,
                Err(error) => seen.push(Err(error)),
            }
        }
    }
    (seen, decoder.last_event_id().to_owned(), decoder.retry())
}

/// Reads the input as the fields of an event: id, name, retry time and data.
fn written(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut fields = text.splitn(4, '|');
    let mut field = || fields.next().unwrap_or_default();
    let (id, name, retry, data) = (field(), field(), field(), field());
    let retry = retry.parse().ok().map(Duration::from_millis);
    let mut stream = Vec::new();
    write_comment(&mut stream, name);
    let event = Event {
        id: (!id.is_empty()).then_some(id),
        event: (!name.is_empty()).then_some(name),
        retry,
        data: data.as_bytes(),
    };
    let before = stream.len();
    if write_event(&mut stream, &event).is_err() {
        let bad = |text: &str| text.contains(['\r', '\n', '\0']);
        assert!(bad(id) || bad(name), "a valid field was rejected");
        assert_eq!(stream.len(), before, "a rejected event writes nothing");
        return;
    }
    let expected = Seen {
        event: event.event.unwrap_or("message").to_owned(),
        data: data.replace("\r\n", "\n").replace('\r', "\n"),
        id: id.to_owned(),
    };
    let (seen, last, delay) = read([&*stream].into_iter(), usize::MAX);
    assert_eq!(
        (seen, last.as_str(), delay),
        (vec![Ok(expected)], id, retry)
    );
}
