//! Limits on everything that a peer can make grow or last.

use std::time::Duration;

use mcp_server::{ErrorDetail, HttpConfig};

use super::legacy::{ids, start, start_session, tool};
use super::principals::mount;
use super::subject::*;

#[tokio::test]
async fn message_with_too_many_values_is_rejected() {
    let (server, _probe) = server(limits(|limits| limits.message_values = 1_000));
    let address = serve(&server);
    let with = |values: usize| {
        let values = vec!["0"; values].join(",");
        let arguments = format!(
            r#""arguments":{{"text":"{}","values":[{values}]}}"#,
            ",".repeat(9_999)
        );
        call(1, "echo").replace(r#""arguments":{}"#, &arguments)
    };
    let (head, body) = Raw::post(address, &call_headers("echo"), &with(950)).await;
    assert_eq!(head.status, 200, "{body}");
    let (head, body) = Raw::post(address, &call_headers("echo"), &with(1_000)).await;
    assert_eq!((head.status, code(&body)), (400, -32602), "{body}");
    assert!(body.contains("more than 1000 JSON values"), "{body}");
    assert!(body.contains(r#""id":1"#), "{body}");
}

#[tokio::test]
async fn client_response_with_too_many_values_fails_the_waiting_handler() {
    let few = limits(|limits| limits.message_values = 1_000);
    let (server, _probe) = server(|builder| few(builder).error_detail(ErrorDetail::Causes));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let most = "more than 1000 JSON values in one message";
    let refused = "the client refused `roots/list`";
    let unreadable = "the client's answer to `roots/list`";
    for (values, of_result, of_error, outer_of_error) in [
        (900, "0 roots", "no way", refused),
        (1_000, most, most, unreadable),
    ] {
        let values = vec!["0"; values].join(",");
        let result = format!(r#""result":{{"roots":[],"values":[{values}]}}"#);
        let error = format!(r#""error":{{"code":-1,"message":"no way","data":[{values}]}}"#);
        let answers = [(result, "", of_result), (error, outer_of_error, of_error)];
        for (answer, outer, expected) in answers {
            let mut raw = start(address, &session, &tool(1, "ask")).await;
            let head = raw.head().await;
            let read = raw.chunks_until("roots/list").await;
            let (_, id) = read.split_once(r#""id":"#).expect("an id");
            let id: String = id.chars().take_while(char::is_ascii_digit).collect();
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#);
            let (answered, _) = Raw::post(address, &session, &answer).await;
            assert_eq!(answered.status, 202);
            let rest = raw.body(&head).await;
            assert!(rest.contains(outer) && rest.contains(expected), "{rest}");
        }
    }
}

#[tokio::test]
async fn request_that_exceeds_request_time_ends_with_an_error() {
    let (server, mut probe) = server(limits(|limits| {
        limits.request_time = Duration::from_millis(50);
    }));
    let address = serve(&server);
    let (head, body) = Raw::post(address, &call_headers("wait"), &call(1, "wait")).await;
    assert_eq!((head.status, code(&body)), (200, -32603));
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    let session = start_session(address, "2025-06-18").await;
    let (head, body) = Raw::post(address, &session, &tool(1, "wait")).await;
    assert_eq!((head.status, code(&body)), (200, -32603));
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
}

#[tokio::test]
async fn handlers_are_cancelled_after_the_grace_time() {
    let (server, mut probe) = server(limits(|limits| {
        limits.grace_time = Duration::from_millis(50);
    }));
    let http = server.serve_http("127.0.0.1:0").expect("bound");
    let address = http.local_addr();
    let serving = tokio::spawn(http);
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    server.shutdown();
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
    let head = raw.head().await;
    assert_eq!(code(&raw.body(&head).await), -32603);
    assert!(!raw.more().await, "the connection is closed");
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn modern_client_that_does_not_read_blocks_its_handler() {
    let (server, mut probe) = server(limits(|limits| {
        limits.queued_bytes = 64 << 10;
        limits.request_time = Duration::from_secs(2);
    }));
    let address = serve(&server);
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &call_headers("torrent"), &call(1, "torrent"))
        .await;
    let head = raw.head().await;
    let (other, _) = Raw::post(address, &call_headers("say"), &call(2, "say")).await;
    assert_eq!(other.status, 200);
    // The handler is blocked until it times out.
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("torrent"));
    let all = raw.body(&head).await;
    assert!(all.ends_with("\n\n") && all.contains("took too long"));
    let count = all.matches("notifications/progress").count();
    assert!(count > 10 && count < 128, "{count}");
}

#[tokio::test]
async fn batch_beyond_the_limit_is_rejected() {
    let (server, _probe) = server(limits(|limits| limits.batch = 3));
    let address = serve(&server);
    let session = start_session(address, "2025-03-26").await;
    for (count, status) in [(3, 200), (4, 400)] {
        let calls: Vec<_> = (0..count).map(|id| tool(id, "echo")).collect();
        let batch = format!("[{}]", calls.join(","));
        let (head, _) = Raw::post(address, &session, &batch).await;
        assert_eq!(head.status, status, "{count}");
    }
}

#[tokio::test]
async fn only_the_latest_events_are_kept_for_resumption() {
    let (server, mut probe) = server(limits(|limits| limits.kept_events = 4));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(1, "flood")).await;
    let head = raw.head().await;
    let body = raw.body(&head).await;
    assert_eq!(body.matches("notifications/progress").count(), 64);
    let all = ids(&body);
    let resume = with_header(session, "Last-Event-ID", all[0]);
    let (_, rest) = Raw::connect(address).await.ask("GET", &resume, "").await;
    assert_eq!(ids(&rest), all[all.len() - 4..]);
    assert!(probe.dropped.try_recv().is_err());
}

fn listen() -> (Vec<(&'static str, String)>, String) {
    let headers = with_header(media(), "MCP-Protocol-Version", "2026-07-28");
    let headers = with_header(headers, "Mcp-Method", "subscriptions/listen");
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
    );
    (headers, body)
}

#[tokio::test]
async fn subscriptions_are_limited_per_peer() {
    let (server, _probe) = server(limits(|limits| {
        limits.subscriptions = 1;
        limits.all_subscriptions = 3;
    }));
    let at_socket = serve(&server);
    let address = mount(&server, HttpConfig::default()).await;

    let (headers, body) = listen();
    let mut open = Vec::new();
    let cases = [
        (address, "ann", true),
        (address, "ann", false),
        (address, "bob", true),
        (at_socket, "ann", true),
        (at_socket, "ann", false),
        (address, "cid", false),
    ];
    for (address, user, taken) in cases {
        let mut raw = Raw::connect(address).await;
        let headers = with_header(headers.clone(), "X-User", user);
        raw.request("POST", &headers, &body).await;
        let head = raw.head().await;
        if taken {
            assert!(raw.chunk().await.contains("acknowledged"), "{user}");
            open.push(raw);
        } else {
            let text = raw.body(&head).await;
            assert!(text.contains("too many subscriptions"), "{user}: {text}");
        }
    }
}

#[tokio::test]
async fn subscribed_resources_of_a_session_are_limited() {
    let (server, _probe) = server(limits(|limits| limits.subscribed_resources = 2));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    for (at, fails) in [(1, false), (2, false), (2, false), (3, true)] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"test://{at}"}}}}"#
        );
        let (_, answer) = Raw::post(address, &session, &body).await;
        assert_eq!(answer.contains("-32602"), fails, "{answer}");
    }
}
