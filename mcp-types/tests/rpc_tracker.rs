//! The open requests of a session, and the revisions of its messages.

use mcp_types::rpc::{self, Tracked, Tracker, revision_of};
use mcp_types::{Revision, Sender, meta};

fn track<T>(tracker: &mut Tracker<T>, sender: Sender, text: &str, data: T) -> Tracked<T> {
    tracker.track(sender, &rpc::parse_str(text).unwrap(), data)
}

fn request(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn result(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

#[test]
fn response_is_paired_with_the_request_of_the_other_side() {
    let mut tracker = Tracker::default();
    // The same number is an id of both sides, and a string is another id.
    track(
        &mut tracker,
        Sender::Client,
        &request("1", "tools/call", "{}"),
        10,
    );
    track(
        &mut tracker,
        Sender::Server,
        &request("1", "ping", "{}"),
        20,
    );
    track(
        &mut tracker,
        Sender::Client,
        &request(r#""1""#, "tools/list", "{}"),
        30,
    );
    assert_eq!(tracker.open_requests(), 3);

    let answers = |tracker: &mut Tracker<i32>, sender, text: &str| {
        let request = track(tracker, sender, text, 0).request;
        request.map(|request| (request.method, request.data))
    };
    let own = answers(&mut tracker, Sender::Client, &result("1", "{}"));
    assert_eq!(own, Some(("ping".to_owned(), 20)));
    let text = answers(&mut tracker, Sender::Server, &result(r#""1""#, "{}"));
    assert_eq!(text, Some(("tools/list".to_owned(), 30)));
    let error = r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":1,"message":""}}"#;
    let failed = answers(&mut tracker, Sender::Server, error);
    assert_eq!(failed, Some(("tools/call".to_owned(), 10)));
    // Each request is answered once.
    assert_eq!(
        answers(&mut tracker, Sender::Server, &result("1", "{}")),
        None
    );
    assert_eq!(tracker.open_requests(), 0);
}

#[test]
fn open_requests_are_bounded_and_the_oldest_is_forgotten() {
    let mut tracker = Tracker::new(2);
    for number in 0..100_u32 {
        let text = request(&number.to_string(), "ping", "{}");
        let forgotten = track(&mut tracker, Sender::Client, &text, number).forgotten;
        let forgotten: Vec<u32> = forgotten.iter().map(|request| request.data).collect();
        assert_eq!(forgotten, Vec::from_iter(number.checked_sub(2)));
    }
    assert_eq!(tracker.open_requests(), 2);
    let again = track(
        &mut tracker,
        Sender::Client,
        &request("98", "ping", "{}"),
        7,
    );
    assert_eq!(again.forgotten[0].data, 98);
    let answered = track(&mut tracker, Sender::Server, &result("98", "{}"), 0);
    assert_eq!(answered.request.unwrap().data, 7);
    let long = request("1", &"é".repeat(1000), "{}");
    track(&mut tracker, Sender::Client, &long, 0);
    let answered = track(&mut tracker, Sender::Server, &result("1", "{}"), 0);
    assert_eq!(answered.request.unwrap().method.len(), 256);
    let nothing = track(&mut Tracker::new(0), Sender::Client, &long, 5);
    assert_eq!(nothing.forgotten[0].data, 5);
}

#[test]
fn session_has_the_revision_that_the_server_has_chosen() {
    let mut tracker = Tracker::default();
    let asked = request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#);
    let asked = track(&mut tracker, Sender::Client, &asked, ());
    assert_eq!(asked.revision, Some(Revision::V2025_11_25));
    let chosen = result("1", r#"{"capabilities":{},"protocolVersion":"2024-11-05"}"#);
    let chosen = track(&mut tracker, Sender::Server, &chosen, ());
    assert_eq!(chosen.revision, Some(Revision::V2024_11_05));
    // The result of another method states none, whatever it contains.
    track(
        &mut tracker,
        Sender::Client,
        &request("2", "tools/call", "{}"),
        (),
    );
    let other = result("2", r#"{"protocolVersion":"2025-11-25"}"#);
    let other = track(&mut tracker, Sender::Server, &other, ());
    assert_eq!(other.revision, Some(Revision::V2024_11_05));
    assert_eq!(tracker.revision(), Some(Revision::V2024_11_05));
}

#[test]
fn modern_request_and_its_response_follow_what_the_request_states() {
    let mut tracker = Tracker::default();
    let stating = |id: &str, revision: &str| {
        let key = meta::PROTOCOL_VERSION;
        request(
            id,
            "tools/call",
            &format!(r#"{{"a":[{{}}],"_meta":{{"x":1,"{key}":"{revision}"}}}}"#),
        )
    };
    let unknown = track(
        &mut tracker,
        Sender::Client,
        &stating("1", "2099-01-01"),
        (),
    );
    assert_eq!(unknown.revision, None);
    track(
        &mut tracker,
        Sender::Client,
        &stating("2", "2026-07-28"),
        (),
    );
    tracker.set_revision(Revision::V2025_11_25);
    let answered = track(&mut tracker, Sender::Server, &result("2", "{}"), ());
    assert_eq!(answered.revision, Some(Revision::V2026_07_28));
}

#[test]
fn revision_of_a_message_is_what_it_states() {
    let stated = |text: &str, answered: Option<&str>| {
        let sender = if answered.is_some() {
            Sender::Server
        } else {
            Sender::Client
        };
        let stated = revision_of(sender, &rpc::parse_str(text).unwrap(), answered);
        stated.map(|stated| stated.map_err(|unknown| unknown.as_str().to_owned()))
    };
    let key = meta::PROTOCOL_VERSION;
    let modern = request(
        "1",
        "ping",
        &format!(r#"{{"_meta":{{"{key}":"2026-07-28"}}}}"#),
    );
    assert_eq!(stated(&modern, None), Some(Ok(Revision::V2026_07_28)));
    let notification = modern.replace(r#""id":1,"#, "");
    assert_eq!(stated(&notification, None), Some(Ok(Revision::V2026_07_28)));
    let later = modern.replace("2026", "2099");
    assert_eq!(stated(&later, None), Some(Err("2099-07-28".to_owned())));
    let handshake = request(
        "1",
        "initialize",
        r#"{"x":{"protocolVersion":1},"protocolVersion":"2025-03-26"}"#,
    );
    assert_eq!(stated(&handshake, None), Some(Ok(Revision::V2025_03_26)));
    let answer = result("1", r#"{"protocolVersion":"2025-03-26"}"#);
    assert_eq!(
        stated(&answer, Some("initialize")),
        Some(Ok(Revision::V2025_03_26))
    );
    for (text, answered) in [
        (answer.as_str(), None),
        (&answer, Some("tools/call")),
        (
            &request("1", "ping", r#"{"protocolVersion":"2025-03-26"}"#),
            None,
        ),
        (
            &request("1", "initialize", r#"{"protocolVersion":7}"#),
            None,
        ),
        (&request("1", "ping", r#"{"_meta":[]}"#), None),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, Some("initialize")),
    ] {
        assert_eq!(stated(text, answered), None, "{text}");
    }
}

#[test]
fn server_states_a_revision_only_in_the_result_of_the_handshake() {
    let key = meta::PROTOCOL_VERSION;
    let params = format!(r#"{{"protocolVersion":"2024-11-05","_meta":{{"{key}":"2024-11-05"}}}}"#);
    let call = request("7", "ping", &params);
    let handshake = request("7", "initialize", &params);
    let notification = call.replace(r#""id":7,"#, "");
    for text in [&call, &handshake, &notification] {
        let message = rpc::parse_str(text).unwrap();
        for sender in [Sender::Server, Sender::Both] {
            assert_eq!(revision_of(sender, &message, None), None, "{text}");
        }
    }
    // The client does not answer its own handshake.
    let answer = result("7", r#"{"protocolVersion":"2024-11-05"}"#);
    let message = rpc::parse_str(&answer).unwrap();
    assert_eq!(
        revision_of(Sender::Client, &message, Some("initialize")),
        None
    );

    let mut session = Tracker::default();
    session.set_revision(Revision::V2025_06_18);
    for text in [&call, &notification, &handshake] {
        let tracked = track(&mut session, Sender::Server, text, ());
        assert_eq!(tracked.revision, Some(Revision::V2025_06_18), "{text}");
    }
    let tracked = track(&mut session, Sender::Client, &answer, ());
    assert_eq!(tracked.request.unwrap().method, "initialize");
    assert_eq!(tracked.revision, Some(Revision::V2025_06_18));
    assert_eq!(session.revision(), Some(Revision::V2025_06_18));
}

#[test]
fn session_keeps_its_revision_if_another_handshake_is_rejected() {
    let mut tracker = Tracker::default();
    tracker.set_revision(Revision::V2025_06_18);
    let again = request("1", "initialize", r#"{"protocolVersion":"2024-11-05"}"#);
    let again = track(&mut tracker, Sender::Client, &again, ());
    assert_eq!(again.revision, Some(Revision::V2024_11_05));
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":""}}"#;
    track(&mut tracker, Sender::Server, error, ());
    assert_eq!(tracker.revision(), Some(Revision::V2025_06_18));
}

#[test]
fn requests_with_long_ids_are_forgotten_before_they_take_much_memory() {
    let mut tracker = Tracker::default();
    track(&mut tracker, Sender::Server, &request("1", "ping", "{}"), 0);
    let quarter = Tracker::<u32>::ID_BYTES / 4;
    let id = |number: u32, length: usize| format!(r#""{number:03}{}""#, "x".repeat(length - 3));
    for number in 1..=100 {
        let text = request(&id(number, quarter), "ping", "{}");
        let forgotten = track(&mut tracker, Sender::Client, &text, number).forgotten;
        let forgotten: Vec<u32> = forgotten.iter().map(|request| request.data).collect();
        assert_eq!(
            forgotten,
            Vec::from_iter(number.checked_sub(4).filter(|it| *it > 0))
        );
    }
    // One id takes the place of several, and one that is longer than the limit takes none.
    let text = request(&id(101, 2 * quarter), "ping", "{}");
    let forgotten = track(&mut tracker, Sender::Client, &text, 101).forgotten;
    assert_eq!(
        forgotten.iter().map(|it| it.data).collect::<Vec<_>>(),
        [97, 98]
    );
    let text = request(&id(102, 4 * quarter + 1), "ping", "{}");
    let forgotten = track(&mut tracker, Sender::Client, &text, 102).forgotten;
    assert_eq!(
        forgotten.iter().map(|it| it.data).collect::<Vec<_>>(),
        [102]
    );
    // Answers make room, and the requests of the other side are not affected.
    for (number, length) in [(99, quarter), (100, quarter), (101, 2 * quarter)] {
        let answered = track(
            &mut tracker,
            Sender::Server,
            &result(&id(number, length), "{}"),
            0,
        );
        assert_eq!(answered.request.unwrap().data, number);
    }
    assert_eq!(tracker.open_requests(), 1);
    let text = request(&id(103, 4 * quarter), "ping", "{}");
    assert!(
        track(&mut tracker, Sender::Client, &text, 103)
            .forgotten
            .is_empty()
    );
    assert_eq!(tracker.open_requests(), 2);
}
