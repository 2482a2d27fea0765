//! Limits of what processes share.

use std::time::Duration;

use tokio::time::sleep;

use super::faulty_store::Faulty;
use super::legacy::*;
use super::subject::*;

#[tokio::test]
async fn stream_that_cannot_be_stored_keeps_its_permit_for_a_minute() {
    tokio::time::pause();
    let store = Faulty {
        events_stall: true,
        ..Faulty::default()
    };
    let one = limits(|limits| limits.requests_per_peer = 1);
    let (server, mut probe) = server(|builder| one(builder).store(store));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut raw = start(address, &session, &tool(3, "say_and_wait")).await;
    let head = raw.head().await;
    soon(probe.waiting.recv()).await;
    probe.go.notify_one();
    assert!(raw.body(&head).await.contains("said and waited"));
    // Three events are not stored: the progress, the response, and the end.
    for (seconds, status) in [(30, 429), (40, 200)] {
        sleep(Duration::from_secs(seconds)).await;
        let (head, _) = Raw::post(address, &session, PING).await;
        assert_eq!(head.status, status, "{seconds}");
    }
}
