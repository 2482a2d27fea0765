//! Server-sent events: encoding, and decoding of chunks split at any position.

use mcp_types::sse::{Decoder, Event, SseError, write_comment, write_event};
use proptest::prelude::*;
use std::time::Duration;

#[derive(Debug, PartialEq)]
enum Seen {
    /// The name, the data and the last id.
    Event(String, String, String),
    Error(SseError),
}

fn seen(event: &str, data: &str, id: &str) -> Seen {
    Seen::Event(event.to_owned(), data.to_owned(), id.to_owned())
}

fn feed(decoder: &mut Decoder, mut chunk: &[u8], all: &mut Vec<Seen>) {
    loop {
        match decoder.next(&mut chunk) {
            Ok(None) => break,
            Ok(Some(message)) => all.push(seen(message.event, message.data, message.last_event_id)),
            Err(error) => all.push(Seen::Error(error)),
        }
    }
    assert!(chunk.is_empty(), "all of a chunk is read");
}

fn read<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut decoder = Decoder::new(limit);
    let mut all = Vec::new();
    for chunk in chunks {
        feed(&mut decoder, chunk, &mut all);
    }
    all
}

fn written(event: &Event<'_>) -> String {
    let mut out = Vec::new();
    write_event(&mut out, event).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn events_are_written_field_by_field() {
    let full = Event {
        id: Some("7"),
        event: Some("endpoint"),
        retry: Some(Duration::from_millis(2500)),
        data: b"{}",
    };
    let cases = [
        (Event::data(b"{}"), "data: {}\n\n"),
        (Event::data(b""), "data: \n\n"),
        (full, "id: 7\nevent: endpoint\nretry: 2500\ndata: {}\n\n"),
        (
            Event::data(b"a\nb\rc\r\nd\n"),
            "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n",
        ),
        (
            Event {
                id: Some(""),
                ..Event::data(b" x")
            },
            "id: \ndata:  x\n\n",
        ),
    ];
    for (event, text) in cases {
        assert_eq!(written(&event), text);
    }
}

#[test]
fn fields_that_would_end_early_are_rejected_and_nothing_is_written() {
    for text in ["a\nb", "a\rb", "a\0b"] {
        let id = Event {
            id: Some(text),
            ..Event::data(b"x")
        };
        let name = Event {
            event: Some(text),
            ..Event::data(b"x")
        };
        for (event, field) in [(id, "id"), (name, "event")] {
            let mut out = b"before".to_vec();
            let error = write_event(&mut out, &event).unwrap_err();
            assert_eq!((error.field, error.at), (field, 1), "{text:?}");
            assert_eq!(out, b"before");
        }
    }
}

#[test]
fn comments_are_written_line_by_line_and_ignored() {
    let mut out = Vec::new();
    write_comment(&mut out, "");
    write_comment(&mut out, "still\ndata: here");
    assert_eq!(out, b": \n: still\n: data: here\n");
    out.extend_from_slice(b"data: x\n\n");
    assert_eq!(read(64, [&out[..]]), [seen("message", "x", "")]);
}

#[test]
fn streams_are_decoded_as_the_standard_requires() {
    let message = |data| seen("message", data, "");
    let cases: Vec<(&[u8], Vec<Seen>)> = vec![
        (b"data: a\n\n", vec![message("a")]),
        (b"data: a\r\r", vec![message("a")]),
        (b"data: a\r\n\r\n", vec![message("a")]),
        (b"data:a\n\n", vec![message("a")]),
        (b"data:  a\n\n", vec![message(" a")]),
        (b"data: a: b\n\n", vec![message("a: b")]),
        (b"data: a\ndata\ndata: b\n\n", vec![message("a\n\nb")]),
        // Empty data is data; an event without data is not reported.
        (b"data\n\n", vec![message("")]),
        (b"data:\n\n", vec![message("")]),
        (b"data\ndata\n\n", vec![message("\n")]),
        (b"event: x\n\ndata: a\n\n", vec![message("a")]),
        (b"\n\n\n", vec![]),
        // The end of the stream does not complete an event.
        (b"data: a\n\ndata: b\n", vec![message("a")]),
        (b"\xEF\xBB\xBFdata: a\n\n", vec![message("a")]),
        (b"\xEF\xBB\xBF:c\ndata: a\n\n", vec![message("a")]),
        // Only one complete byte order mark at the start is skipped.
        (b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\n", vec![]),
        (b"\xEF\xBBdata: b\n\ndata: a\n\n", vec![message("a")]),
        (b"\n\xEF\xBB\xBFdata: a\n\n", vec![]),
        (b":data: c\n:\ndata: a\n\n", vec![message("a")]),
        (b"Data: c\nother: d\nretry\ndata: a\n\n", vec![message("a")]),
        (b" data: c\n\ndata: a\n\n", vec![message("a")]),
        (
            b"event: x\ndata: a\n\ndata: b\n\n",
            vec![seen("x", "a", ""), message("b")],
        ),
        (b"event: x\nevent\ndata: a\n\n", vec![message("a")]),
        (
            b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            vec![
                seen("message", "a", "1"),
                seen("message", "b", "1"),
                message("c"),
            ],
        ),
        (b"id: 1\n\ndata: a\n\n", vec![seen("message", "a", "1")]),
        (
            b"id: 1\nid: 2\0\ndata: a\n\n",
            vec![seen("message", "a", "1")],
        ),
        // An error drops one event, but not the following ones and not the id.
        (
            b"id: 1\ndata: \xFF\ndata: b\nevent: x\n\ndata: a\n\n",
            vec![Seen::Error(SseError::NotUtf8), seen("message", "a", "1")],
        ),
        (
            b"event: \xFF\ndata: \xFF\n\ndata: a\n\n",
            vec![Seen::Error(SseError::NotUtf8), message("a")],
        ),
        // Ignored fields need not be UTF-8.
        (b": \xFF\nother: \xFF\ndata: a\n\n", vec![message("a")]),
    ];
    for (input, expected) in cases {
        let text = String::from_utf8_lossy(input);
        assert_eq!(read(64, [input]), expected, "{text:?} at once");
        assert_eq!(read(64, input.chunks(1)), expected, "{text:?} by bytes");
        assert_eq!(read(64, input.chunks(3)), expected, "{text:?} by threes");
    }
}

#[test]
fn event_beyond_the_limit_is_dropped_alone() {
    let too_long = || Seen::Error(SseError::TooLong { limit: 16 });
    let cases: &[(&str, Vec<Seen>)] = &[
        (
            "data: 0123456789\n\n",
            vec![seen("message", "0123456789", "")],
        ),
        ("data: 0123456789a\n\n", vec![too_long()]),
        (
            "data: 0123456789abcdefghijklmnopqrstuvw\ndata: 0123456789a\nevent: x\n\ndata: b\n\n",
            vec![too_long(), seen("message", "b", "")],
        ),
        // Many short lines also exceed the limit.
        (
            "data\ndata\ndata\ndata\ndata\n\ndata: b\n\n",
            vec![too_long(), seen("message", "b", "")],
        ),
        ("id: 1\nid: 2\nid: 3\nid: 4\ndata: a\n\n", vec![too_long()]),
        // The id is kept, whether it precedes or follows the error.
        (
            "data: 0123456789a\nid: 5\n\ndata: b\n\n",
            vec![too_long(), seen("message", "b", "5")],
        ),
        // Comments do not count towards the limit.
        (
            ": 0123456789abcdefghijklmnopqrst\ndata: b\n: 0123456789abcdef\n\n",
            vec![seen("message", "b", "")],
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(&read(16, [input.as_bytes()]), expected, "{input:?}");
        assert_eq!(&read(16, input.as_bytes().chunks(1)), expected, "{input:?}");
    }
}

#[test]
fn id_takes_effect_when_its_event_is_complete() {
    let mut decoder = Decoder::new(64);
    let mut all = Vec::new();
    feed(&mut decoder, b"id: 1\ndata: a\n", &mut all);
    assert_eq!((decoder.last_event_id(), all.len()), ("", 0));
    feed(&mut decoder, b"\n", &mut all);
    assert_eq!((decoder.last_event_id(), all.len()), ("1", 1));
}

#[test]
fn retry_is_digits_only() {
    let mut decoder = Decoder::new(64);
    let lines: &[(&[u8], Option<u64>)] = &[
        (b"retry: 2 s\n", None),
        (b"retry:\n", None),
        (b"retry: +1\n", None),
        (b"retry: 2500\n", Some(2500)),
        (b"retry: 1.5\n", Some(2500)),
        (b"retry: 99999999999999999999999999\n", Some(2500)),
        (b"retry: 0\n", Some(0)),
    ];
    for (line, expected) in lines {
        assert_eq!(decoder.next(&mut &**line), Ok(None));
        assert_eq!(decoder.retry(), expected.map(Duration::from_millis));
        assert_eq!(decoder.next(&mut &b"\n"[..]), Ok(None));
    }
}

fn chunks<'a>(input: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (input.len() + 1)).collect();
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| &input[pair[0]..pair[1]])
        .collect()
}

proptest! {
    #[test]
    fn encoded_events_are_decoded_unchanged(
        events in prop::collection::vec(
            (prop::option::of("[^\r\n\0]{0,6}"), prop::option::of("[^\r\n\0]{0,6}"), "(.|\r|\n){0,20}"),
            0..5,
        ),
        end in prop::sample::select(vec!["\n", "\r", "\r\n"]),
        cuts in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let mut wire = String::new();
        let mut expected = Vec::new();
        let mut last = "";
        for (id, name, data) in &events {
            wire += &written(&Event {
                id: id.as_deref(),
                event: name.as_deref(),
                retry: None,
                data: data.as_bytes(),
            });
            last = id.as_deref().unwrap_or(last);
            let name = name.as_deref().filter(|name| !name.is_empty()).unwrap_or("message");
            expected.push(seen(name, &data.replace("\r\n", "\n").replace('\r', "\n"), last));
        }
        let wire = wire.replace('\n', end);
        prop_assert_eq!(read(4096, chunks(wire.as_bytes(), &cuts)), expected);
    }

    #[test]
    fn chunks_do_not_change_the_decoded_events(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "\n", "\r", "\r\n", "\n\n", ":", " ", "data", "data: ", "id: 1", "event: ",
                    "retry: 1", "\u{feff}", "\0", "a long piece of text",
                ]).prop_map(|text| text.as_bytes().to_vec()),
                prop::collection::vec(any::<u8>(), 0..3),
            ],
            0..30,
        ),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let input = pieces.concat();
        prop_assert_eq!(read(24, chunks(&input, &cuts)), read(24, [&input[..]]));
    }
}
