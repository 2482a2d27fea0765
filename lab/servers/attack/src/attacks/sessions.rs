//! Sessions: too many, unanswered questions, and ends at the wrong moment.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd};
use crate::http::{delete, get};
use crate::messages::{BATCHES, LEGACY, plain_initialize, request};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "initialize-flood",
        "4,000 new sessions a second from one address",
        |target| Box::pin(initialize(target)),
    )
    .lasting(2_900, 8_000),
    Attack::new(
        "unanswered-questions",
        "1,500 calls in sessions that ask the client, which does not answer",
        |target| Box::pin(unanswered(target)),
    )
    .in_sessions()
    .lasting(1_000, 8_000),
    Attack::new(
        "batches",
        "20 clients with batches of 100 slow calls",
        |target| Box::pin(batches(target)),
    )
    .in_sessions()
    .lasting(700, 8_000),
    Attack::new(
        "delete-during-post",
        "sessions that are deleted while their calls run",
        |target| Box::pin(deleted(target)),
    )
    .in_sessions()
    .lasting(700, 8_000),
    Attack::new(
        "many-subscriptions",
        "sessions with 1,000 subscriptions to resources each",
        |target| Box::pin(subscriptions(target)),
    )
    .in_sessions()
    .long_only()
    .lasting(700, 8_000),
];

/// One handshake after the other on kept connections. After three seconds there are more than the
/// 10,000 sessions that a server keeps by default.
async fn initialize(target: Target) -> Result<()> {
    let body = plain_initialize(LEGACY);
    crowd(target, 8, move |target, number| {
        let request = target.post("", &body);
        async move {
            let mut peer = Peer::open(&target, number).await?;
            let mut ticks = super::ticks(Duration::from_millis(10));
            loop {
                ticks.tick().await;
                for _ in 0..5 {
                    peer.exchange(&request).await?;
                }
            }
        }
    })
    .await
}

async fn unanswered(target: Target) -> Result<()> {
    crowd(target, 1_500, |target, number| async move {
        let capabilities = r#"{"elicitation":{},"sampling":{}}"#;
        let (mut peer, headers) = target.open_session(number, LEGACY, capabilities).await?;
        let call = r#"{"name":"test_elicitation","arguments":{"message":"?"}}"#;
        peer.send(&target.post(&headers, &request("1", "tools/call", call)))
            .await?;
        peer.drain().await
    })
    .await
}

async fn batches(target: Target) -> Result<()> {
    let calls: Vec<String> = (0..100)
        .map(|id: u32| {
            let call = r#"{"name":"test_tool_with_logging","arguments":{}}"#;
            request(&id.to_string(), "tools/call", call)
        })
        .collect();
    let batch = format!("[{}]", calls.join(","));
    crowd(target, 20, move |target, number| {
        let batch = batch.clone();
        async move {
            let (mut peer, headers) = target.open_session(number, BATCHES, "{}").await?;
            let request = target.post(&headers, &batch);
            loop {
                peer.exchange(&request).await?;
            }
        }
    })
    .await
}

async fn deleted(target: Target) -> Result<()> {
    crowd(target, 20, |target, number| async move {
        loop {
            let (mut peer, headers) = target.open_session(number, LEGACY, "{}").await?;
            let mut stream = Peer::open(&target, number).await?;
            stream
                .send(&get(target.host(), target.path(), &headers))
                .await?;
            let call =
                r#"{"name":"test_tool_with_progress","arguments":{},"_meta":{"progressToken":1}}"#;
            peer.send(&target.post(&headers, &request("1", "tools/call", call)))
                .await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            let mut other = Peer::open(&target, number).await?;
            let end = delete(target.host(), target.path(), &headers);
            other.exchange(&end).await?;
        }
    })
    .await
}

async fn subscriptions(target: Target) -> Result<()> {
    crowd(target, 20, |target, number| async move {
        let (mut peer, headers) = target.open_session(number, LEGACY, "{}").await?;
        for resource in 0..1_000 {
            let uri = format!("test://template/{resource}{}/data", "x".repeat(200));
            let subscribe = request("1", "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
            peer.exchange(&target.post(&headers, &subscribe)).await?;
            if resource % 20 == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        peer.drain().await
    })
    .await
}
