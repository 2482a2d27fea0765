//! Responses over HTTP/1.1 that nobody reads.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd, hold};
use crate::messages::{LARGE, request};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "pipelined-unread",
        "200 connections with requests one after the other, whose responses the client does not read",
        |target| Box::pin(pipelined(target)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "large-unread",
        "60 responses of 4 MiB that the client does not read",
        |target| Box::pin(large(target)),
    )
    .lasting(1_500, 8_000),
    Attack::new(
        "slow-readers",
        "500 responses that are read one byte a second",
        |target| Box::pin(sipped(target)),
    )
    .long_only()
    .lasting(700, 8_000),
];

async fn pipelined(target: Target) -> Result<()> {
    let list = target.modern("1", "tools/list", None, "");
    let requests = list.repeat(20);
    crowd(target, 200, move |target, number| {
        let requests = requests.clone();
        async move {
            let mut peer = Peer::open_narrow(&target, number).await?;
            loop {
                // Blocks once the server stops reading, as it should.
                peer.send(&requests).await?;
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await
}

async fn large(target: Target) -> Result<()> {
    // A response repeats the id.
    let id = format!("\"{}\"", "i".repeat(LARGE - 1024));
    let bytes = Arc::new(target.post("", &request(&id, "ping", "{}")));
    crowd(target, 60, move |target, number| {
        let bytes = Arc::clone(&bytes);
        async move {
            tokio::time::sleep(Duration::from_millis(20) * u32::try_from(number)?).await;
            let mut peer = Peer::open_narrow(&target, number).await?;
            peer.send(&bytes).await?;
            hold(peer).await
        }
    })
    .await
}

async fn sipped(target: Target) -> Result<()> {
    crowd(target, 500, |target, number| async move {
        let mut peer = Peer::open_narrow(&target, number).await?;
        peer.send(&target.modern("1", "tools/list", None, ""))
            .await?;
        loop {
            peer.sip().await?;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    })
    .await
}
