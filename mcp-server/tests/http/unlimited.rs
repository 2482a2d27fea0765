//! Limits that are set to the natural values for "unlimited".

use std::time::Duration;

use mcp_server::{Limits, Server};

use super::legacy::{start_session, tool};
use super::subject::*;

fn unlimited(limits: &mut Limits) {
    for number in [
        &mut limits.message_bytes,
        &mut limits.message_values,
        &mut limits.batch,
        &mut limits.concurrent_requests,
        &mut limits.subscriptions,
        &mut limits.all_subscriptions,
        &mut limits.subscribed_resources,
        &mut limits.queued_bytes,
        &mut limits.sessions,
        &mut limits.header_bytes,
        &mut limits.connections,
        &mut limits.kept_events,
        &mut limits.body_rate,
        &mut limits.body_bytes,
        &mut limits.requests_per_peer,
        &mut limits.connections_per_peer,
        &mut limits.sessions_per_peer,
        &mut limits.bus_messages_per_peer,
        &mut limits.body_bytes_per_peer,
        &mut limits.queued_bytes_per_peer,
        &mut limits.all_queued_bytes,
    ] {
        *number = usize::MAX;
    }
    for time in [
        &mut limits.first_message_time,
        &mut limits.request_time,
        &mut limits.grace_time,
        &mut limits.session_idle_time,
        &mut limits.progress_interval,
        &mut limits.state_time,
        &mut limits.keep_alive,
        &mut limits.header_time,
        &mut limits.connection_idle_time,
        &mut limits.body_time,
        &mut limits.write_time,
    ] {
        *time = Duration::MAX;
    }
    // Every body is slower than this rate.
    limits.body_rate = 0;
}

#[tokio::test]
async fn server_without_limits_works() {
    let (server, mut probe) = server(limits(unlimited));
    let address = serve(&server);
    for tool in ["echo", "say"] {
        let (head, body) = Raw::post(address, &call_headers(tool), &call(1, tool)).await;
        assert_eq!(head.status, 200, "{body}");
    }
    let session = start_session(address, "2025-11-25").await;
    let mut stream = super::legacy::listen(address, &session).await;
    let (head, body) = Raw::post(address, &session, &tool(2, "say")).await;
    assert_eq!(head.status, 200, "{body}");
    let mut slow = Raw::connect(address).await;
    slow.request("POST", &call_headers("wait"), &call(3, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    server.shutdown();
    probe.go.notify_one();
    assert_eq!(slow.head().await.status, 200);
    while stream.more().await {}
}

#[test]
fn zero_is_rejected_for_limits_that_would_serve_nothing() {
    for set in [
        (|limits| limits.keep_alive = Duration::ZERO) as fn(&mut Limits),
        |limits| limits.header_time = Duration::ZERO,
        |limits| limits.write_time = Duration::ZERO,
        |limits| limits.connection_idle_time = Duration::ZERO,
        |limits| limits.message_bytes = 0,
    ] {
        let mut limits = Limits::default();
        set(&mut limits);
        let built = Server::builder("tested", "1").limits(limits).build();
        let error = built.expect_err("the limit is rejected").to_string();
        assert!(error.starts_with("limit `"), "{error}");
    }
}
