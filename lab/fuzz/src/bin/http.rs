//! The HTTP endpoint, and a client that sends arbitrary requests: each request gets a status, and a
//! body that is a message or a stream of events with messages.
//!
//! Each line is a request: flags up to the first space, then the body. A line that begins with `+`
//! is a header of the request that follows it.
#![no_main]

use bytes::Bytes;
use fuzz::world::{Pieces, run, server, settle};
use http::header::{ACCEPT, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{Method, Request, Response};
use http_body::Body as _;
use libfuzzer_sys::fuzz_target;
use mcp_server::{HttpBody, HttpConfig};
use mcp_types::headers::{METHOD, NAME, PROTOCOL_VERSION, SESSION_ID, encode_value, name_member};
use mcp_types::json::{self, Object, Value};
use mcp_types::rpc;
use mcp_types::sse::Decoder;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;
use tower_service::Service as _;

fuzz_target!(|bytes: &[u8]| run(async {
    let config = HttpConfig::new().http_sse("/sse");
    let mut service = server().clone().into_service(config);
    let (mut session, mut more) = (None, Vec::new());
    let mut reading = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').take(16) {
        if let [b'+', header @ ..] = line {
            more.extend(parse_header(header));
            continue;
        }
        let Some(request) = request(line, session.as_ref(), std::mem::take(&mut more)) else {
            continue;
        };
        let answer = tokio::spawn(service.call(request));
        settle().await;
        // The handler may wait for an answer that the next request contains.
        let reader = tokio::spawn(async move {
            let Ok(answer) = answer.await.expect("no panic");
            let given = answer.headers().get(SESSION_ID).cloned();
            (given, check_response(answer).await)
        });
        settle().await;
        if reader.is_finished() {
            let (given, ()) = reader.await.expect("no panic");
            session = given.or(session);
        } else {
            reading.push(reader);
        }
    }
    for reader in reading {
        reader.await.expect("no panic");
    }
}));

fn parse_header(header: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let at = header.iter().position(|byte| *byte == b':')?;
    let (name, value) = header.split_at(at);
    let value = HeaderValue::from_bytes(value.get(1..)?.trim_ascii()).ok()?;
    Some((HeaderName::from_bytes(name).ok()?, value))
}

fn request(
    line: &[u8],
    session: Option<&HeaderValue>,
    more: Vec<(HeaderName, HeaderValue)>,
) -> Option<Request<Pieces>> {
    let space = line.iter().position(|byte| *byte == b' ')?;
    let (flags, body) = line.split_at(space);
    let body = body.get(1..)?;
    let has = |flag| flags.contains(&flag);
    let mut request = Request::new(Pieces(split(body, has(b'2')).into_iter()));
    *request.method_mut() = match () {
        () if has(b'G') => Method::GET,
        () if has(b'D') => Method::DELETE,
        () => Method::POST,
    };
    *request.uri_mut() = if has(b'e') { "/sse" } else { "/mcp" }.parse().ok()?;
    let headers = request.headers_mut();
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    let accept = if has(b'j') {
        "application/json"
    } else {
        "application/json, text/event-stream"
    };
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if has(b'm') {
        headers.insert(PROTOCOL_VERSION, HeaderValue::from_static("2026-07-28"));
    } else if has(b'l') {
        headers.insert(PROTOCOL_VERSION, HeaderValue::from_static("2025-11-25"));
    }
    if let Some(session) = session.filter(|_| has(b's')) {
        headers.insert(SESSION_ID, session.clone());
    }
    if let Ok(message) = rpc::parse(body)
        && has(b'h')
        && let Some(method) = message.method()
    {
        headers.insert(METHOD, HeaderValue::from_str(method).ok()?);
        if let Some(name) = name_member(method).and_then(|member| text(body, member)) {
            headers.insert(NAME, HeaderValue::from_str(&encode_value(&name)).ok()?);
        }
    }
    for (name, value) in more {
        headers.append(name, value);
    }
    Some(request)
}

/// Returns a member of the params.
fn text(body: &[u8], member: &str) -> Option<String> {
    let body: Object = json::from_slice(body).ok()?;
    let value = body.get("params")?.get(member)?;
    value.as_str().map(str::to_owned)
}

fn split(body: &[u8], twice: bool) -> Vec<Bytes> {
    let (first, second) = body.split_at(if twice { body.len() / 2 } else { 0 });
    [first, second].map(Bytes::copy_from_slice).into()
}

async fn check_response(answer: Response<HttpBody>) {
    let (head, body) = answer.into_parts();
    let status = head.status;
    assert!((200..600).contains(&status.as_u16()), "{status}");
    let body = read(body).await;
    let media = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    match media {
        Some(b"application/json") => message(&body),
        Some(b"text/event-stream") => {
            let mut decoder = Decoder::new(1 << 20);
            let mut rest = &*body;
            while let Some(event) = decoder.next(&mut rest).expect("events") {
                if event.event == "message" && !event.data.is_empty() {
                    message(event.data.as_bytes());
                }
            }
        }
        _ => assert!(body.is_empty(), "{status} {media:?} {body:?}"),
    }
}

fn message(text: &[u8]) {
    let read = rpc::parse_batch(text, usize::MAX);
    let text = String::from_utf8_lossy(text);
    match read.unwrap_or_else(|error| panic!("{error}: {text}")) {
        rpc::Incoming::Single(_) => {}
        rpc::Incoming::Batch(all) => assert!(all.iter().all(Result::is_ok), "{text}"),
    }
    let _: Value = json::from_str(&text).expect("JSON");
}

/// Reads the body for a limited time, because some streams have no end.
async fn read(mut body: HttpBody) -> Vec<u8> {
    let mut bytes = Vec::new();
    let all = async {
        while let Some(frame) = poll_fn(|task| Pin::new(&mut body).poll_frame(task)).await {
            let frame = frame.expect("a complete body");
            bytes.extend(frame.into_data().expect("data"));
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(40), all).await;
    bytes
}
