//! More calls at once than a server runs, and calls that nobody waits for.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd, ticks};
use crate::messages::{LARGE, array};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "slow-calls",
        "1,500 slow calls at once from one address",
        |target| Box::pin(slow(target)),
    )
    .lasting(1_000, 8_000),
    Attack::new(
        "abandoned-calls",
        "500 slow calls a second whose connections are reset at once",
        |target| Box::pin(abandoned(target)),
    )
    .lasting(500, 5_000),
    Attack::new(
        "large-calls",
        "8 clients with calls of 4 MiB one after the other, 8 a second in all",
        |target| Box::pin(large(target)),
    )
    .lasting(700, 6_000),
];

/// Calls that begin at different times, so that the server has a call's end to work on at any time.
async fn slow(target: Target) -> Result<()> {
    let bytes = target.modern_call("1", "test_tool_with_logging", "{}");
    crowd(target, 1_500, move |target, number| {
        let bytes = bytes.clone();
        async move {
            let mut peer = Peer::open(&target, number).await?;
            loop {
                peer.exchange(&bytes).await?;
                // A hostile client pauses only to leave the machine to the others.
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
    })
    .await
}

async fn abandoned(target: Target) -> Result<()> {
    let bytes = target.modern_call("1", "test_tool_with_logging", "{}");
    let mut ticks = ticks(Duration::from_millis(2));
    loop {
        ticks.tick().await;
        let mut peer = super::reopen(&target).await;
        peer.send(&bytes).await?;
        tokio::task::yield_now().await;
        peer.reset();
    }
}

async fn large(target: Target) -> Result<()> {
    let tool = target.tool().name.clone();
    let arguments = format!(r#"{{"x":{}}}"#, array("\"xxxxxxxx\"", LARGE - 2048));
    let bytes = Arc::new(target.modern_call("1", &tool, &arguments));
    crowd(target, 8, move |target, number| {
        let bytes = Arc::clone(&bytes);
        async move {
            tokio::time::sleep(Duration::from_millis(125) * u32::try_from(number)?).await;
            let mut peer = Peer::open(&target, number).await?;
            let mut ticks = super::ticks(Duration::from_secs(1));
            loop {
                ticks.tick().await;
                peer.exchange(&bytes).await?;
            }
        }
    })
    .await
}
