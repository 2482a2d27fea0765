//! Heads of requests that are too large, malformed, or for somebody else.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, crowd, ticks, volley};
use crate::http::post;
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "huge-headers",
        "heads with 1 MiB in one header, or without an end",
        |target| Box::pin(huge(target)),
    ),
    Attack::new(
        "foreign-hosts",
        "1,000 requests a second with a `Host` or an `Origin` that is not allowed",
        |target| Box::pin(foreign(target)),
    )
    .lasting(500, 5_000),
    Attack::new(
        "malformed",
        "requests that are not HTTP, or contradict themselves",
        |target| Box::pin(malformed(target)),
    )
    .long_only(),
];

async fn huge(target: Target) -> Result<()> {
    crowd(target, 20, |target, number| async move {
        let mut peer = Peer::open(&target, number).await?;
        match number % 3 {
            0 => {
                let headers = format!("X-Large: {}\r\n", "x".repeat(1 << 20));
                peer.exchange(&target.post(&headers, "{}")).await?;
            }
            1 => {
                let headers = "X: y\r\n".repeat(100_000);
                peer.exchange(&target.post(&headers, "{}")).await?;
            }
            _ => {
                peer.send(b"POST / HTTP/1.1\r\n").await?;
                for _ in 0..100_000 {
                    peer.send(b"X-Header: value\r\n").await?;
                }
            }
        }
        Ok(())
    })
    .await
}

async fn foreign(target: Target) -> Result<()> {
    let host = format!("evil.example{}", "\u{9b}31m".repeat(500));
    let path = target.path();
    let origin = format!("Origin: http://{host}\r\n");
    let requests = vec![
        post(&host, path, "", b"{}"),
        target.post(&origin, "{}"),
        post("evil.example", path, "", b"{}"),
        target.post("Origin: null\r\n", "{}"),
        target.post("Origin: http://evil.example\r\n", "{}"),
    ];
    volley(target, 1_000, requests).await
}

async fn malformed(target: Target) -> Result<()> {
    const INPUTS: &[&[u8]] = &[
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"\0\0\0\0\0\0\0\0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 18446744073709551616\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    let mut ticks = ticks(Duration::from_millis(2));
    for input in INPUTS.iter().cycle() {
        ticks.tick().await;
        let mut peer = super::reopen(&target).await;
        // The server may close the connection at any byte.
        let _ = peer.send(input).await;
    }
    Ok(())
}
