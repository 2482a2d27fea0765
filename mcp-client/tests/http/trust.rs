//! Every kind of malformed message, in both eras: one call fails, with a typed error, and the next
//! one works.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::types::{LoggingLevel, Revision};
use mcp_client::{CallError, Client, ClientBuilder, HttpError, Limits};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::fake::*;
use crate::support::faults::{BATCHES, FAULTS, Fault, MODERN, Outcome, answer, sound};

/// The size limit of messages, which some of the malformed messages exceed.
pub(crate) const LIMIT: usize = 1 << 20;

pub(crate) fn builder() -> ClientBuilder {
    let mut limits = Limits::default();
    limits.message_bytes = LIMIT;
    Client::builder("test", "1").limits(limits)
}

pub(crate) async fn connect(
    fake: &mut FakeHttp,
    revision: Revision,
    builder: ClientBuilder,
) -> Client {
    if revision.is_modern() {
        fake.modern_with(fake.http(), builder.revision(revision))
            .await
    } else {
        fake.legacy_with(revision, builder).await
    }
}

pub(crate) fn list(client: &Client, time: Duration) -> JoinHandle<Result<(), CallError>> {
    let call = client.tools().one_page().timeout(time);
    tokio::spawn(async { call.await.map(drop) })
}

/// After an error that is not a response, the call is cancelled at the server of a session, and the
/// connection works.
pub(crate) async fn assert_works(
    fake: &mut FakeHttp,
    client: &Client,
    error: Option<&CallError>,
    id: &Value,
) {
    let revision = client.revision();
    let unanswered = matches!(
        error,
        Some(CallError::Lost { .. } | CallError::Timeout { .. })
    );
    if unanswered && !revision.is_modern() {
        let received = fake.message("notifications/cancelled").await;
        assert_eq!(received.body["params"]["requestId"], *id);
        received.status("202 Accepted").await;
    }
    let call = list(client, TIMEOUT);
    let asked = fake.message("tools/list").await;
    let result = serde_json::from_str(sound(revision)).expect("JSON");
    asked.result(&result).await;
    soon(call).await.expect("no panic").expect("a list");
}

async fn each_fault(revision: Revision, faults: impl Iterator<Item = &Fault>) {
    let mut fake = FakeHttp::start().await;
    let client = connect(&mut fake, revision, builder()).await;
    for fault in faults {
        let name = fault.name;
        for events in [false, true] {
            println!(
                "{revision}: {name}, as {}",
                if events { "events" } else { "JSON" }
            );
            let call = list(&client, TIMEOUT);
            let mut asked = fake.message("tools/list").await;
            let id = asked.body["id"].clone();
            let text = (fault.says)(&id.to_string());
            let no_text = std::str::from_utf8(&text).is_err();
            if events {
                asked.events().await;
                asked
                    .write_bytes(&[b"data: ", &*text, b"\n\n"].concat())
                    .await;
                if let (Outcome::Waits(_), false) = (&fault.then, no_text) {
                    // The response is sent twice: the second one is superfluous.
                    let answer = answer(revision, &id.to_string());
                    asked
                        .write(&format!("data: {answer}\n\ndata: {answer}\n\n"))
                        .await;
                }
                drop(asked);
            } else {
                asked.whole("application/json", &text).await;
            }
            let ended = soon(call).await.expect("no panic");
            match &fault.then {
                _ if events && no_text => {
                    let error = ended.as_ref().expect_err(name);
                    assert!(matches!(http(error), HttpError::Event(_)), "{error:?}");
                }
                Outcome::Fails(fails) => {
                    let error = ended.as_ref().expect_err(name);
                    assert!(fails(error), "{name}: {error} ({error:?})");
                }
                Outcome::Waits(_) if events => ended.as_ref().map(drop).expect(name),
                // It can only be about this request.
                Outcome::Waits(None)
                    if text.starts_with(br#"{"jsonrpc":"2.0","id":null,"error""#) =>
                {
                    let error = ended.as_ref().expect_err(name);
                    assert!(matches!(error, CallError::Refused { .. }), "{error}");
                }
                Outcome::Waits(wrong) => {
                    let error = ended.as_ref().expect_err(name);
                    let fits = match (wrong, http(error)) {
                        (Some(wrong), HttpError::Message(error)) => wrong(error.fault()),
                        (None, HttpError::NoAnswer) => true,
                        _ => false,
                    };
                    assert!(fits, "{name}: {error} ({error:?})");
                }
            }
            assert_works(&mut fake, &client, ended.as_ref().err(), &id).await;
        }
    }
}

#[tokio::test]
async fn malformed_message_of_the_newest_revision_fails_one_call() {
    each_fault(Revision::LATEST, FAULTS.iter().chain(MODERN)).await;
}

#[tokio::test]
async fn malformed_message_in_a_session_fails_one_call() {
    each_fault(Revision::V2025_11_25, FAULTS.iter()).await;
}

#[tokio::test]
async fn malformed_batch_fails_one_call() {
    each_fault(Revision::V2025_03_26, FAULTS.iter().chain(BATCHES)).await;
}

#[tokio::test]
async fn flood_of_notifications_is_delivered_before_the_response() {
    // Log messages are deprecated: the newest revision may not have them.
    for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
        let heard = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&heard);
        let builder = builder().on_log(LoggingLevel::Info, move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let mut fake = FakeHttp::start().await;
        let client = connect(&mut fake, revision, builder).await;
        let call = list(&client, TIMEOUT);
        let mut asked = fake.message("tools/list").await;
        let id = asked.body["id"].clone();
        asked.events().await;
        let received = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n";
        for _ in 0..100 {
            asked.write(&received.repeat(1_000)).await;
        }
        let answer = answer(revision, &id.to_string());
        asked.write(&format!("data: {answer}\n\n")).await;
        soon(call).await.expect("no panic").expect("a list");
        assert_eq!(heard.load(Ordering::Relaxed), 100_000);
        assert_works(&mut fake, &client, None, &id).await;
    }
}

/// Longer than any successful operation.
const STALL: Duration = Duration::from_millis(500);

#[tokio::test]
async fn client_stops_reading_from_a_server_that_accepts_no_answers() {
    let mut limits = Limits::default();
    limits.queued_bytes = 10_000;
    let builder = Client::builder("test", "1").limits(limits);
    let mut fake = FakeHttp::start().await;
    let client = connect(&mut fake, Revision::V2025_11_25, builder).await;
    let call = list(&client, TIMEOUT);
    let mut asked = fake.message("tools/list").await;
    asked.events().await;
    // More than the socket buffers of the system hold.
    let ping =
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"a ping\",\"method\":\"ping\"}\n\n".repeat(1_000);
    let mut sent = 0;
    while let Ok(written) = timeout(STALL, asked.socket.write_all(ping.as_bytes())).await {
        written.expect("the client is running");
        sent += ping.len();
        assert!(sent < 100 << 20, "the client never stops reading");
    }
    // The number of answers in flight is limited.
    let mut answers = Vec::new();
    for _ in 0..8 {
        let answer = fake.next().await;
        assert_eq!(answer.body["id"], "a ping", "{}", answer.body);
        answers.push(answer);
    }
    assert!(fake.is_quiet(), "more than eight answers at once");
    call.abort();
}

#[tokio::test]
async fn notifications_of_cancelled_calls_do_not_accumulate() {
    let mut limits = Limits::default();
    limits.queued_bytes = 500;
    let builder = Client::builder("test", "1").limits(limits);
    let mut fake = FakeHttp::start().await;
    let client = connect(&mut fake, Revision::V2025_11_25, builder).await;
    let mut unanswered = Vec::new();
    let mut cancelled = 0;
    for _ in 0..50 {
        let call = list(&client, Duration::from_millis(1));
        soon(call).await.expect("no panic").expect_err("no answer");
    }
    let closing = tokio::spawn(async move { client.close().await });
    loop {
        let asked = fake.next().await;
        match asked.body["method"].as_str() {
            None => break asked.status("204 No Content").await,
            Some("tools/list") => unanswered.push(asked),
            Some(_) => {
                cancelled += 1;
                asked.status("202 Accepted").await;
            }
        }
    }
    // Eight that are sent concurrently, and those in the queue.
    assert!(
        (1..20).contains(&cancelled),
        "{cancelled} of {}",
        unanswered.len()
    );
    soon(closing).await.expect("no panic");
}
