//! Streams of events that last.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd, hold};
use crate::http::get;
use crate::messages::{LEGACY, modern, modern_headers, request};
use crate::peer::Peer;
use crate::target::Target;

/// A resource of the example `everything` that changes each second.
const WATCHED: &str = "test://watched-resource";

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "unread-get-streams",
        "500 streams of sessions that the client does not read, while lists change 50 times a second",
        |target| Box::pin(get_streams(target)),
    )
    .in_sessions()
    .lasting(700, 10_000),
    Attack::new(
        "repeated-get-streams",
        "streams of one session that are opened over and over, 500 a second",
        |target| Box::pin(reopened(target)),
    )
    .in_sessions()
    .lasting(500, 5_000),
    Attack::new(
        "listen-flood",
        "2,000 `subscriptions/listen` with 100 resources each, whose events the client does not read",
        |target| Box::pin(listen(target, 2_000, 100, 0)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "listen-large",
        "200 `subscriptions/listen` with an id and `_meta` of 256 KiB each",
        |target| Box::pin(listen(target, 200, 1, 256 << 10)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "unread-http-sse",
        "2,000 channels of HTTP+SSE that the client does not read",
        |target| Box::pin(channels(target)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "http-sse-posts",
        "channels of HTTP+SSE with requests whose answers the client does not read",
        |target| Box::pin(channel_posts(target)),
    )
    .long_only()
    .lasting(700, 8_000),
];

async fn get_streams(target: Target) -> Result<()> {
    let change = target.modern_call("1", "test_trigger_tool_change", "{}");
    let changes = super::volley(target.clone(), 50, vec![change]);
    let streams = crowd(target, 500, |target, number| async move {
        let (mut peer, headers) = target.open_session(number, LEGACY, "{}").await?;
        let mut stream = Peer::open_narrow(&target, number).await?;
        let subscribe = format!(r#"{{"uri":"{WATCHED}"}}"#);
        let subscribe = request("1", "resources/subscribe", &subscribe);
        peer.exchange(&target.post(&headers, &subscribe)).await?;
        stream.send(&target.get(&headers)).await?;
        hold(stream).await
    });
    let mut set = tokio::task::JoinSet::new();
    set.spawn(changes);
    set.spawn(streams);
    set.join_next().await;
    Ok(())
}

async fn reopened(target: Target) -> Result<()> {
    let (_, headers) = target.open_session(0, LEGACY, "{}").await?;
    let mut kept = std::collections::VecDeque::new();
    let mut ticks = super::ticks(Duration::from_millis(2));
    loop {
        ticks.tick().await;
        let mut peer = super::reopen(&target).await;
        peer.send(&target.get(&headers)).await?;
        kept.push_back(peer);
        if kept.len() > 200 {
            kept.pop_front();
        }
    }
}

async fn listen(target: Target, peers: usize, resources: usize, padding: usize) -> Result<()> {
    let names: Vec<String> = (0..resources)
        .map(|number| format!(r#""test://template/{number}/data""#))
        .collect();
    let notifications = format!(
        r#""notifications":{{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["{WATCHED}",{}]}}"#,
        names.join(",")
    );
    let padding = "p".repeat(padding);
    crowd(target, peers, move |target, number| {
        let id = format!("\"{number}{padding}\"");
        let body = modern(&id, "subscriptions/listen", &notifications);
        let marked = format!(r#""_meta":{{"x":"{padding}","#);
        let body = body.replacen("\"_meta\":{", &marked, 1);
        let bytes = target.post(&modern_headers("subscriptions/listen", None), &body);
        async move {
            let mut peer = Peer::open_narrow(&target, number).await?;
            peer.send(&bytes).await?;
            drop(bytes);
            hold(peer).await
        }
    })
    .await
}

/// Where the example `everything` opens channels.
const CHANNEL: &str = "/sse";

async fn channels(target: Target) -> Result<()> {
    crowd(target, 2_000, |target, number| async move {
        let mut peer = Peer::open_narrow(&target, number).await?;
        peer.send(&get(target.host(), CHANNEL, "")).await?;
        hold(peer).await
    })
    .await
}

async fn channel_posts(target: Target) -> Result<()> {
    crowd(target, 50, |target, number| async move {
        let mut channel = Peer::open_narrow(&target, number).await?;
        channel.send(&get(target.host(), CHANNEL, "")).await?;
        channel.receive_head().await?;
        let Some(path) = channel.endpoint().await? else {
            return Ok(());
        };
        let mut peer = Peer::open(&target, number).await?;
        let body = crate::messages::plain_initialize("2024-11-05");
        let post = |body: &str| crate::http::post(target.host(), &path, "", body.as_bytes());
        peer.exchange(&post(&body)).await?;
        peer.exchange(&post(crate::messages::INITIALIZED)).await?;
        let list = post(&request("1", "tools/list", "{}"));
        loop {
            peer.exchange(&list).await?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await
}
