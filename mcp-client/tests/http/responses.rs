//! Invalid and incomplete HTTP responses, in both eras: one call fails, with a typed error, and the
//! next one works.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{CallError, HttpError, TransportError};

use super::fake::*;
use super::trust::{LIMIT, assert_works, builder, connect, list};

/// Invalid bytes of a response.
struct Response {
    name: &'static str,
    sends: String,
    then: Next,
    fails: Fails,
}

/// The error, or `None` if the call times out.
type Fails = Option<fn(&CallError) -> bool>;

/// What the server does after it.
enum Next {
    Closes,
    Waits,
    /// It repeats these bytes forever.
    Repeats(&'static str),
}

const OK: &str = "HTTP/1.1 200 OK\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

fn broken(error: &CallError) -> bool {
    matches!(http(error), HttpError::Exchange(_))
}

fn no_answer(error: &CallError) -> bool {
    matches!(http(error), HttpError::NoAnswer)
}

fn too_long(error: &CallError) -> bool {
    matches!(
        transport_error(error),
        TransportError::TooLong { limit: LIMIT }
    )
}

fn response(name: &'static str, sends: &str, then: Next, fails: Fails) -> Response {
    Response {
        name,
        sends: sends.to_owned(),
        then,
        fails,
    }
}

fn events() -> String {
    format!("{OK}{EVENTS}\r\n")
}

/// Responses that end too early, or are malformed.
fn cut() -> Vec<Response> {
    use Next::Closes;
    let events = events();
    let chunked = format!("{OK}{JSON}Transfer-Encoding: chunked\r\n\r\n");
    vec![
        response("nothing", "", Closes, Some(broken)),
        response(
            "half a head",
            "HTTP/1.1 200 OK\r\nContent-T",
            Closes,
            Some(broken),
        ),
        response(
            "no HTTP",
            "{\"jsonrpc\":\"2.0\"}\r\n\r\n",
            Closes,
            Some(broken),
        ),
        response(
            "a version of another time",
            "HTTP/7.5 200 OK\r\n\r\n",
            Closes,
            Some(broken),
        ),
        response("zeroes", &"\0".repeat(1_000), Closes, Some(broken)),
        response(
            "two lengths",
            &format!("{OK}{JSON}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{{}}"),
            Closes,
            Some(broken),
        ),
        response(
            "a negative length",
            &format!("{OK}{JSON}Content-Length: -1\r\n\r\n{{}}"),
            Closes,
            Some(broken),
        ),
        response(
            "half a body",
            &format!("{OK}{JSON}Content-Length: 99\r\n\r\n{{"),
            Closes,
            Some(broken),
        ),
        response(
            "half a chunk",
            &format!("{chunked}99\r\n{{"),
            Closes,
            Some(broken),
        ),
        response(
            "no size of a chunk",
            &format!("{chunked}zz\r\n{{}}\r\n"),
            Closes,
            Some(broken),
        ),
        response(
            "a chunk of almost all memory",
            &format!("{chunked}fffffffffffffff0\r\n{{"),
            Closes,
            Some(|error| broken(error) || too_long(error)),
        ),
        response(
            "a body longer than memory",
            &format!("{OK}{JSON}Content-Length: 9223372036854775807\r\n\r\n{{"),
            Closes,
            Some(too_long),
        ),
        response("no events", &events, Closes, Some(no_answer)),
        response(
            "half an event",
            &format!("{events}data: {{\"jsonrpc\""),
            Closes,
            Some(no_answer),
        ),
        response(
            "an event without an end",
            &format!("{events}data: {{}}\n"),
            Closes,
            Some(no_answer),
        ),
        response(
            "events of another kind",
            &format!("{events}event: other\ndata: {{}}\n\n"),
            Closes,
            Some(no_answer),
        ),
        response(
            "fields that are none",
            &format!("{events}dat\n:\nretry: -1\nid\n\n"),
            Closes,
            Some(no_answer),
        ),
    ]
}

/// Responses that never end, without further bytes.
fn silent() -> Vec<Response> {
    use Next::Waits;
    let events = events();
    vec![
        response("never a word", "", Waits, None),
        response(
            "half a head and no more",
            "HTTP/1.1 200 OK\r\nConten",
            Waits,
            None,
        ),
        response(
            "a head and no body",
            &format!("{OK}{JSON}\r\n"),
            Waits,
            None,
        ),
        response("a stream without events", &events, Waits, None),
        response(
            "half an event and no more",
            &format!("{events}data: {{"),
            Waits,
            None,
        ),
    ]
}

/// Responses that never end, with further bytes.
fn endless() -> Vec<Response> {
    use Next::Repeats;
    let events = events();
    vec![
        response(
            "a head without an end",
            OK,
            Repeats("X-Endless: header\r\n"),
            Some(broken),
        ),
        response(
            "a header without an end",
            &format!("{OK}X-Endless: "),
            Repeats("endless "),
            Some(broken),
        ),
        response(
            "a body without an end",
            &format!("{OK}{JSON}\r\n"),
            Repeats("        "),
            Some(too_long),
        ),
        response(
            "an event on a line without an end",
            &format!("{events}data: "),
            Repeats("endless "),
            Some(too_long),
        ),
        response(
            "an event of endless lines",
            &events,
            Repeats("data: endless\n"),
            Some(too_long),
        ),
        response(
            "comments without an end",
            &events,
            Repeats(": here\n\n"),
            None,
        ),
        response(
            "events of another kind without an end",
            &events,
            Repeats("event: other\ndata: {}\n\n"),
            None,
        ),
        response(
            "answers to nothing without an end",
            &events,
            Repeats("data: {\"jsonrpc\":\"2.0\",\"id\":999999,\"result\":{}}\n\n"),
            None,
        ),
    ]
}

async fn each_response(revision: Revision) {
    let mut fake = FakeHttp::start().await;
    let client = connect(&mut fake, revision, builder()).await;
    let responses = [cut(), silent(), endless()];
    for Response {
        name,
        sends,
        then,
        fails,
    } in responses.into_iter().flatten()
    {
        println!("{revision}: {name}");
        let time = fails.map_or(Duration::from_millis(50), |_| TIMEOUT);
        let call = list(&client, time);
        let mut asked = fake.message("tools/list").await;
        let id = asked.body["id"].clone();
        asked.write(&sends).await;
        match then {
            Next::Closes => drop(asked),
            Next::Waits => asked.closed().await,
            Next::Repeats(text) => asked.flood(&text.repeat(100)).await,
        }
        let error = soon(call).await.expect("no panic").expect_err(name);
        let late = |error: &CallError| matches!(error, CallError::Timeout { .. });
        assert!(fails.unwrap_or(late)(&error), "{name}: {error} ({error:?})");
        assert_works(&mut fake, &client, Some(&error), &id).await;
    }
}

#[tokio::test]
async fn malformed_http_response_at_the_newest_revision_fails_one_call() {
    each_response(Revision::LATEST).await;
}

#[tokio::test]
async fn malformed_http_response_in_a_session_fails_one_call() {
    each_response(Revision::V2025_11_25).await;
}
