//! Many small things.

use std::time::Duration;

use anyhow::Result;

use super::{Attack, ticks, volley};
use crate::peer::Peer;
use crate::target::Target;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "connection-churn",
        "2,000 connections a second that are closed or reset at once",
        |target| Box::pin(churn(target)),
    )
    .lasting(500, 5_000)
    .by_many(),
    Attack::new(
        "notification-flood",
        "1,000 notifications a second of requests that do not exist",
        |target| Box::pin(notifications(target)),
    )
    .lasting(500, 5_000),
    Attack::new(
        "bad-messages",
        "1,000 messages a second that are not JSON-RPC",
        |target| Box::pin(bad(target)),
    )
    .long_only()
    .lasting(500, 5_000),
];

async fn churn(target: Target) -> Result<()> {
    let mut ticks = ticks(Duration::from_millis(5));
    for round in 0_usize.. {
        ticks.tick().await;
        for number in 0..10 {
            let Ok(mut peer) = Peer::open(&target, round * 10 + number).await else {
                continue;
            };
            if number % 2 == 0 {
                // Closed in the middle of a head.
                let _ = peer.send(b"POST / HTTP/1.1\r\n").await;
            } else {
                peer.reset();
            }
        }
    }
    Ok(())
}

async fn notifications(target: Target) -> Result<()> {
    let notification = |method: &str, params: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        target.post("", &body)
    };
    let requests = vec![
        notification("notifications/cancelled", r#"{"requestId":1,"reason":"x"}"#),
        notification(
            "notifications/progress",
            r#"{"progressToken":1,"progress":1}"#,
        ),
        notification("notifications/initialized", "{}"),
        notification("notifications/roots/list_changed", "{}"),
        notification("no/such", "{}"),
    ];
    volley(target, 1_000, requests).await
}

async fn bad(target: Target) -> Result<()> {
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "[[]]",
        r#"{"jsonrpc":"1.0"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        "\u{feff}{}",
        "\"\\ud800\"",
    ];
    let requests = bodies.map(|body| target.post("", body)).into();
    volley(target, 1_000, requests).await
}
