//! Ids, tokens, cursors and URIs that are huge or random.

use anyhow::Result;

use super::{Attack, crowd, ticks, volley};
use crate::http::post;
use crate::messages::{LARGE, LEGACY, initialize, modern, modern_headers, request};
use crate::target::Target;
use std::time::Duration;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "huge-ids",
        "request ids of 4 MiB, which responses repeat",
        |target| Box::pin(ids(target)),
    )
    .one_at_a_time()
    .lasting(700, 6_000),
    Attack::new(
        "huge-progress-tokens",
        "progress tokens of 1 MiB, which each notification repeats",
        |target| Box::pin(tokens(target)),
    )
    .lasting(700, 6_000),
    Attack::new(
        "huge-uris",
        "URIs and values of 4 MiB in `resources/read` and others",
        |target| Box::pin(uris(target)),
    )
    .one_at_a_time()
    .in_sessions()
    .lasting(700, 6_000),
    Attack::new(
        "random-cursors",
        "cursors, event ids and session ids of random bytes",
        |target| Box::pin(random(target)),
    )
    .in_sessions(),
];

async fn ids(target: Target) -> Result<()> {
    let id = format!("\"{}\"", "i".repeat(LARGE - 2048));
    let tool = target.tool().clone();
    let cancel = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    );
    let requests = vec![
        target.modern_call(&id, &tool.name, &tool.arguments),
        target.modern(&id, "tools/list", None, ""),
        target.post("", &request(&id, "ping", "{}")),
        target.post("", &cancel),
        target.post(
            "",
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
        ),
        target.post(
            "",
            &initialize(LEGACY, "{}", "{}", "").replacen("\"id\":0", &format!("\"id\":{id}"), 1),
        ),
    ];
    volley(target, 10, requests).await
}

async fn tokens(target: Target) -> Result<()> {
    let token = "t".repeat(1 << 20);
    let body = modern(
        "1",
        "tools/call",
        r#""name":"test_tool_with_progress","arguments":{}"#,
    );
    let marked = format!(r#""_meta":{{"progressToken":"{token}","#);
    let body = body.replacen("\"_meta\":{", &marked, 1);
    let headers = modern_headers("tools/call", Some("test_tool_with_progress"));
    let request = target.post(&headers, &body);
    crowd(target, 4, move |target, number| {
        let request = request.clone();
        async move {
            let mut peer = crate::peer::Peer::open(&target, number).await?;
            peer.exchange(&request).await?;
            Ok(())
        }
    })
    .await
}

async fn uris(target: Target) -> Result<()> {
    let (_, headers) = target.open_session(0, LEGACY, "{}").await?;
    let long = "a/".repeat(LARGE / 2 - 1024);
    let escaped = "%2F".repeat(LARGE / 3 - 1024);
    let read = |uri: &str| request("1", "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
    let complete = format!(
        r#"{{"ref":{{"type":"ref/prompt","name":"test_prompt_with_arguments"}},"argument":{{"name":"arg1","value":"{long}"}}}}"#
    );
    let subscribe = format!(r#"{{"uri":"test://{long}"}}"#);
    let bodies = [
        read(&format!("test://template/{long}/data")),
        read(&format!("test://template/{escaped}/data")),
        read(&"test://template/".repeat(LARGE / 16 - 1024)),
        read(&long),
        request("1", "completion/complete", &complete),
        request("1", "resources/subscribe", &subscribe),
        request("1", "prompts/get", &format!(r#"{{"name":"{long}"}}"#)),
        request("1", "logging/setLevel", &format!(r#"{{"level":"{long}"}}"#)),
    ];
    let requests = bodies.iter().map(|body| target.post(&headers, body));
    let requests = requests.collect();
    volley(target, 10, requests).await
}

/// A sequence of bytes that looks random and is the same in each run.
struct Noise(u64);

impl Noise {
    fn text(&mut self, length: usize) -> String {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut letter = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let place = usize::try_from(self.0 % 64).unwrap_or_default();
            char::from(ALPHABET[place])
        };
        (0..length).map(|_| letter()).collect()
    }
}

async fn random(target: Target) -> Result<()> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut ticks = ticks(Duration::from_millis(2));
    let (mut peer, headers) = target.open_session(0, LEGACY, "{}").await?;
    for round in 0_u64.. {
        ticks.tick().await;
        let text = noise.text(if round % 2 == 0 { 40 } else { 8_000 });
        let cursor = format!(r#""cursor":"{text}""#);
        let bytes = match round % 5 {
            0 => target.modern("1", "tools/list", None, &cursor),
            1 => target.modern("1", "resources/list", None, &cursor),
            2 => target.post(
                &headers,
                &request("1", "prompts/list", &format!("{{{cursor}}}")),
            ),
            3 => {
                let headers = format!("Mcp-Session-Id: {text}\r\n");
                let body = request("1", "tools/list", "{}");
                post(target.host(), target.path(), &headers, body.as_bytes())
            }
            _ => {
                let bytes = target.get(&format!("{headers}Last-Event-ID: {text}\r\n"));
                // A server that opens a stream all the same keeps the connection.
                let mut other = super::reopen(&target).await;
                other.send(&bytes).await?;
                let _ = other.receive_head().await;
                continue;
            }
        };
        let response = peer.exchange(&bytes).await;
        if !response.is_ok_and(|response| !response.closes) {
            peer = super::reopen(&target).await;
        }
    }
    Ok(())
}
