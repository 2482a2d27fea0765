//! Connections on which nothing, or next to nothing, is sent.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd};
use crate::CONNECTIONS;
use crate::frames;
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("silent", "10,001 connections that send nothing", |target| {
        Box::pin(beginnings(target, b""))
    })
    .long_only()
    .lasting(2_400, 12_000),
    Attack::new(
        "silent-many",
        "10,001 connections from as many addresses that send nothing",
        |target| Box::pin(beginnings(target, b"")),
    )
    .lasting(2_400, 12_000)
    .by_many(),
    Attack::new(
        "half-head",
        "10,001 connections with half the head of a request",
        |target| Box::pin(beginnings(target, b"POST /mcp HTTP/1.1\r\nHost: 127.0")),
    )
    .lasting(2_400, 12_000)
    .by_many(),
    Attack::new(
        "half-preface",
        "10,001 connections with half the preface of HTTP/2",
        |target| Box::pin(beginnings(target, &frames::PREFACE[..12])),
    )
    .lasting(2_400, 12_000)
    .by_many(),
    Attack::new(
        "preface-only",
        "10,001 connections with the preface of HTTP/2 and nothing after it",
        |target| Box::pin(beginnings(target, frames::PREFACE)),
    )
    .long_only()
    .lasting(2_400, 12_000)
    .by_many(),
    Attack::new(
        "idle-after-request",
        "10,001 connections that stay open after one request",
        |target| Box::pin(idle(target)),
    )
    .long_only()
    .lasting(3_000, 12_000)
    .by_many(),
    Attack::new(
        "slow-head",
        "1,000 heads of requests, one byte a second",
        |target| Box::pin(slow(target)),
    )
    .lasting(700, 12_000),
];

async fn beginnings(target: Target, bytes: &'static [u8]) -> Result<()> {
    crowd(target, CONNECTIONS, move |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.send(bytes).await?;
        peer.drain().await
    })
    .await
}

async fn idle(target: Target) -> Result<()> {
    crowd(target, CONNECTIONS, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        peer.exchange(&target.modern("1", "no/such", None, ""))
            .await?;
        peer.drain().await
    })
    .await
}

async fn slow(target: Target) -> Result<()> {
    crowd(target, 1_000, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        let head = target.get(&"X-Header: value\r\n".repeat(100));
        peer.trickle(&head, Duration::from_secs(1)).await
    })
    .await
}
