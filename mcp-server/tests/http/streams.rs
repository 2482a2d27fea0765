//! Streams of sessions: which messages they carry, and which can be replayed.

use std::time::Duration;

use super::legacy::*;
use super::subject::*;

#[tokio::test]
async fn legacy_request_survives_a_disconnect_and_ends_when_cancelled() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(3, "say_and_wait")).await;
    raw.head().await;
    soon(probe.waiting.recv()).await;
    drop(raw);
    cancel(address, &session, 4).await;
    assert!(probe.dropped.try_recv().is_err(), "it was cancelled");
    cancel(address, &session, 3).await;
    assert_eq!(
        soon(probe.dropped.recv()).await.as_deref(),
        Some("say_and_wait")
    );
}

#[tokio::test]
async fn cancelled_request_has_no_response_and_its_stream_ends() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-06-18").await;
    for (id, name) in [(3, "say_and_wait"), (4, "wait")] {
        let mut raw = start(address, &session, &tool(id, name)).await;
        soon(probe.waiting.recv()).await;
        cancel(address, &session, id).await;
        assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some(name));
        let head = raw.head().await;
        assert_eq!(head.get("content-type"), Some("text/event-stream"));
        assert!(!raw.body(&head).await.contains("\"id\":"), "{name}");
    }
}

#[tokio::test]
async fn each_request_of_a_batch_can_be_cancelled() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-03-26").await;
    let batch = |first: u32| {
        let (one, other) = (tool(first, "wait"), tool(first + 1, "wait"));
        format!("[{one},{PING},{other}]")
    };
    let mut raw = start(address, &session, &batch(1)).await;
    for _ in 0..2 {
        soon(probe.waiting.recv()).await;
    }
    // The ids of both are in use meanwhile.
    let (_, body) = Raw::post(address, &session, &tool(2, "echo")).await;
    assert_eq!(code(&body), -32600);
    cancel(address, &session, 1).await;
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    probe.go.notify_one();
    let head = raw.head().await;
    let answers = raw.body(&head).await;
    let answers: Vec<serde_json::Value> = serde_json::from_str(&answers).expect("an array");
    let mut ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [Some(2), Some(5)]);

    // A batch must not contain an id twice.
    let twice = format!("[{},{}]", tool(7, "wait"), tool(7, "wait"));
    let mut raw = start(address, &session, &twice).await;
    for _ in 0..2 {
        soon(probe.waiting.recv()).await;
    }
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    probe.go.notify_one();
    let head = raw.head().await;
    let answers = raw.body(&head).await;
    assert!(
        answers.contains("-32600") && answers.contains("\"waited\""),
        "{answers}"
    );

    // The ids are free again, and a completely cancelled batch has no response.
    let calls = format!("[{},{}]", tool(1, "wait"), tool(2, "wait"));
    let mut raw = start(address, &session, &calls).await;
    for id in [1, 2] {
        soon(probe.waiting.recv()).await;
        cancel(address, &session, id).await;
    }
    let head = raw.head().await;
    assert_eq!(raw.body(&head).await, "");
}

#[tokio::test]
async fn events_of_a_completed_response_can_be_replayed() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for revision in ["2025-03-26", "2025-11-25"] {
        let session = start_session(address, revision).await;
        let (head, body) = Raw::post(address, &session, &tool(3, "say")).await;
        assert_eq!(head.get("content-type"), Some("text/event-stream"));
        let events: Vec<_> = body.split_inclusive("\n\n").collect();
        let ids = ids(&body);
        assert_eq!(ids.len(), events.len(), "{body}");
        let primed = usize::from(revision == "2025-11-25");
        assert_eq!(events.len(), 3 + primed, "{body}");
        for (at, id) in ids.iter().enumerate() {
            let resume = with_header(session.clone(), "Last-Event-ID", id);
            let (head, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
            // Clients do not resume what they have read to the end again.
            let status = if at + 1 == ids.len() { 204 } else { 200 };
            assert_eq!(head.status, status, "{id}");
            assert_eq!(rest, events[at + 1..].concat());
        }
    }
}

#[tokio::test]
async fn client_that_does_not_read_blocks_only_its_own_handler() {
    let (server, mut probe) = server(limits(|limits| {
        limits.queued_bytes = 64 << 10;
        limits.request_time = std::time::Duration::from_secs(2);
    }));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(3, "torrent")).await;
    let head = raw.head().await;
    let (other, _) = Raw::post(address, &session, &tool(4, "say")).await;
    assert_eq!(other.status, 200);
    // The handler is blocked until it times out.
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("torrent"));
    let all = raw.body(&head).await;
    let ids = ids(&all);
    let numbers = ids
        .iter()
        .filter_map(|id| id.split_once('-')?.1.parse::<usize>().ok());
    assert!(numbers.eq(0..ids.len()), "events are missing");
    assert!(ids.len() > 10 && ids.len() < 128, "{}", ids.len());
    assert!(all.ends_with("\n\n") && all.contains("took too long"));
}

#[tokio::test]
async fn unread_notifications_do_not_block_other_clients() {
    const ROUNDS: usize = 100;
    let (server, _probe) = server(limits(|limits| {
        limits.queued_bytes = 64 << 10;
        limits.uri_bytes = 256 << 10;
        limits.write_time = Duration::from_secs(600);
    }));
    let address = serve(&server);
    let long = "x".repeat(120 << 10);
    let [first, second, last] = [
        &*format!("test://1/{long}"),
        &format!("test://2/{long}"),
        "test://3",
    ];
    let slow = start_session(address, "2025-11-25").await;
    for uri in [first, second, last] {
        let subscribe = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#
        );
        let (head, body) = Raw::post(address, &slow, &subscribe).await;
        assert!(body.contains("\"result\""), "{} {body}", head.status);
    }
    let mut slow = listen(address, &slow).await;
    let quick = start_session(address, "2025-11-25").await;
    let mut quick = listen(address, &quick).await;
    for _ in 0..ROUNDS {
        server.resource_updated(first);
        server.resource_updated(second);
        server.tools_changed();
        quick.chunks_until("list_changed").await;
    }
    // Waiting notifications are merged.
    server.resource_updated(last);
    let read = slow.chunks_until("\"test://3\"").await;
    let of = |uri: &str| read.matches(&uri[..9]).count();
    assert!((1..ROUNDS).contains(&of(first)), "{}", of(first));
    assert!((1..ROUNDS).contains(&of(second)), "{}", of(second));
}

#[tokio::test]
async fn interrupted_stream_is_resumed_after_the_last_event() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(3, "say_and_wait")).await;
    let head = raw.head().await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    let read = raw.chunks_until("notifications/progress").await;
    assert!(
        read.contains("retry: ") && read.contains("data: \n"),
        "{read}"
    );
    soon(probe.waiting.recv()).await;
    let ids = ids(&read);
    let (first, last) = (ids[0].to_owned(), ids[1].to_owned());
    assert_ne!(first, last);
    drop(raw);
    probe.go.notify_one();

    let resume = with_header(session.clone(), "Last-Event-ID", &last);
    let (head, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert_eq!(head.status, 200);
    assert!(rest.contains("said and waited"), "{rest}");
    assert!(!rest.contains("notifications/progress"), "{rest}");
    // All events are replayed from the beginning.
    let resume = with_header(session.clone(), "Last-Event-ID", &first);
    let (_, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert!(
        rest.contains("notifications/progress") && rest.contains("said and waited"),
        "{rest}"
    );
    let resume = with_header(session, "Last-Event-ID", "nonsense");
    let (head, _) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert_eq!(head.status, 400);
}

#[tokio::test]
async fn handler_can_close_the_stream_to_let_the_client_poll() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let (head, body) = Raw::connect(address)
        .await
        .ask("POST", &session, &tool(3, "poll"))
        .await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    assert!(
        body.starts_with("id: ") && body.contains("retry: "),
        "{body}"
    );
    assert!(!body.contains("polled"), "{body}");
    soon(probe.waiting.recv()).await;
    // The client returns before there is a response.
    let resume = with_header(session, "Last-Event-ID", ids(&body)[0]);
    let mut raw = Raw::connect(address).await;
    raw.request("GET", &resume, "").await;
    let head = raw.head().await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("\"polled\""));
}

#[tokio::test]
async fn notifications_are_sent_on_the_newest_get_stream_only() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for revision in ["2025-06-18", "2025-11-25"] {
        let session = start_session(address, revision).await;
        let mut first = listen(address, &session).await;
        server.tools_changed();
        let read = first.chunks_until("list_changed").await;
        let mut second = listen(address, &session).await;
        // The first stream ends; clients whose revision supports it get an event to resume from.
        let rest = first.rest().await;
        let primes = revision == "2025-11-25";
        assert_eq!(rest.contains("retry: "), primes, "{rest}");
        assert_eq!(rest.is_empty(), !primes, "{rest}");
        assert_eq!(read.contains("retry: "), primes, "{read}");
        server.tools_changed();
        second.chunks_until("list_changed").await;
    }
}

#[tokio::test]
async fn idle_streams_get_comments() {
    let (server, mut probe) = server(limits(|limits| {
        limits.keep_alive = std::time::Duration::from_millis(10);
    }));
    let address = serve(&server);
    let session = start_session(address, "2025-06-18").await;
    let mut received = listen(address, &session).await;
    let mut asked = start(address, &session, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let head = asked.head().await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    for raw in [&mut received, &mut asked] {
        for _ in 0..3 {
            assert!(raw.chunk().await.starts_with(':'));
        }
    }
    probe.go.notify_one();
    assert!(asked.body(&head).await.contains("\"waited\""));
}
