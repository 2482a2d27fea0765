//! What the gateway passes on unchanged: reasons of cancellations, and params of announcements.

use std::sync::Arc;

use mcp_client::ByteStream;
use mcp_gateway::Gateway;
use mcp_server::types::{Revision, json};
use mcp_server::{AnyRequest, AnyResult, Change, Context, HandlerError, ResourceDef, Server};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::sync::{Notify, mpsc};

use crate::support::{at, client, gateway, soon};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

/// A client that writes and reads lines.
struct LineClient {
    lines: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
    meta: &'static str,
}

impl LineClient {
    async fn connect(gateway: &Gateway, revision: Revision) -> Self {
        let (reader, writer) = tokio::io::split(gateway.server().in_memory());
        let mut client = Self {
            lines: BufReader::new(reader).lines(),
            writer,
            meta: "",
        };
        if revision.is_modern() {
            client.meta = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        } else {
            let params = format!(
                r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}"#
            );
            client.send("initialize", "0", &params).await;
            client.line().await;
            client.send("notifications/initialized", "", "{}").await;
        }
        client
    }

    /// Sends a request, or a notification without an id.
    async fn send(&mut self, method: &str, id: &str, params: &str) {
        let id = if id.is_empty() {
            String::new()
        } else {
            format!(r#""id":{id},"#)
        };
        let line = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{params}}}"#);
        let line = line + "\n";
        soon(self.writer.write_all(line.as_bytes()))
            .await
            .expect("written");
    }

    async fn line(&mut self) -> String {
        soon(self.lines.next_line())
            .await
            .expect("read")
            .expect("a line")
    }
}

/// Reports the reason when it is dropped with its handler.
struct Noted(Context, mpsc::UnboundedSender<Option<String>>);

impl Drop for Noted {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.cancel_reason().map(str::to_owned));
    }
}

#[tokio::test]
async fn upstream_gets_the_reason_of_a_cancellation() {
    for (of_client, of_upstream) in REVISIONS
        .into_iter()
        .flat_map(|of_client| REVISIONS.map(|of_upstream| (of_client, of_upstream)))
    {
        let (begun, mut begins) = mpsc::unbounded_channel();
        let (reason, mut reasons) = mpsc::unbounded_channel();
        let wait = move |_: AnyRequest, cx: Context| {
            let (begun, noted) = (begun.clone(), Noted(cx, reason.clone()));
            async move {
                let _noted = noted;
                begun.send(()).expect("the test waits");
                std::future::pending::<Result<AnyResult, HandlerError>>().await
            }
        };
        let server = Server::builder("waiting", "1").fallback(wait);
        let gateway = gateway([at("a", of_upstream, &server.build().expect("valid"))]).await;
        let mut client = LineClient::connect(&gateway, of_client).await;
        for (id, member, seen) in [
            ("7", r#","reason":"the user left""#, Some("the user left")),
            ("8", "", None),
        ] {
            let params = format!(r#"{{"a":1{}}}"#, client.meta);
            client.send("com.example/wait", id, &params).await;
            soon(begins.recv()).await.expect("begun");
            let params = format!(r#"{{"requestId":{id}{member}}}"#);
            client.send("notifications/cancelled", "", &params).await;
            let reason = soon(reasons.recv()).await.expect("ended");
            assert_eq!(reason.as_deref(), seen, "{of_client} -> {of_upstream}");
        }
    }
}

#[tokio::test]
async fn announcements_of_upstreams_keep_meta_and_unknown_members() {
    let given = r#"{"x":1.0,"_meta":{"com.example/n":12345678901234567890123},"uri":"notes://one","y":{"b":1,"a":[]}}"#;
    let given = RawValue::from_string(given.to_owned()).expect("JSON");
    for (of_client, of_upstream) in REVISIONS
        .into_iter()
        .flat_map(|of_client| REVISIONS.map(|of_upstream| (of_client, of_upstream)))
    {
        let pair = format!("{of_client} -> {of_upstream}");
        let note = ResourceDef::new("notes://one", "one").handler(async || "the first note");
        let server = Server::builder("notes", "1")
            .add_resource(note)
            .build()
            .expect("valid");
        let other = Server::builder("other", "1").tool("work", "Works", async || "done");
        let other = other.build().expect("valid");
        let upstreams = [at("a", of_upstream, &server), at("b", of_upstream, &other)];
        let gateway = gateway(upstreams).await;
        let mut client = LineClient::connect(&gateway, of_client).await;
        let meta = if of_client.is_modern() {
            let filter = r#"{"resourceSubscriptions":["a+notes://one"]}"#;
            let params = format!(r#"{{"notifications":{filter}{}}}"#, client.meta);
            client.send("subscriptions/listen", "7", &params).await;
            r#"{"com.example/n":12345678901234567890123,"io.modelcontextprotocol/subscriptionId":7}"#
        } else {
            let params = r#"{"uri":"a+notes://one"}"#;
            client.send("resources/subscribe", "7", params).await;
            r#"{"com.example/n":12345678901234567890123}"#
        };
        client.line().await;
        // The upstream may not have been subscribed to yet.
        let (announcing, params) = (server.clone(), given.clone());
        let announcing = tokio::spawn(async move {
            loop {
                let change = Change::Resource("notes://one".to_owned());
                announcing
                    .announce_with(change, &params)
                    .expect("an object");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        });
        let line = client.line().await;
        announcing.abort();
        let expected = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{{"x":1.0,"_meta":{meta},"uri":"a+notes://one","y":{{"b":1,"a":[]}}}}}}"#
        );
        assert_eq!(line, expected, "{pair}");
    }
}

#[tokio::test]
async fn server_of_a_dropped_gateway_says_so() {
    let server = Server::builder("other", "1").tool("work", "Works", async || "done");
    let upstream = at("a", Revision::LATEST, &server.build().expect("valid"));
    let gateway = gateway([upstream]).await;
    let client = client(&gateway, Revision::LATEST).await;
    let left = gateway.server().clone();
    drop(gateway);
    let error = soon(client.call_tool("work")).await.expect_err("closed");
    assert!(
        error.to_string().contains("the gateway is closed"),
        "{error}"
    );
    // It can still be served.
    let stream = ByteStream::of(left.in_memory());
    let connected = soon(mcp_client::Client::builder("test", "1").connect(stream)).await;
    connected.expect("connected");
}

/// Calls the tool `work` of a server, and returns the methods of what the client receives.
async fn received(server: &Server, revision: Revision, is_ready: &Notify) -> Vec<String> {
    let gateway = gateway([at("a", revision, server)]).await;
    let mut client = LineClient::connect(&gateway, revision).await;
    let params = format!(r#"{{"name":"work"{}}}"#, client.meta);
    client.send("tools/call", "7", &params).await;
    soon(is_ready.notified()).await;
    let mut methods = Vec::new();
    loop {
        let message: serde_json::Value = serde_json::from_str(&client.line().await).expect("JSON");
        match message["method"].as_str() {
            Some(method) => methods.push(method.to_owned()),
            None => return methods,
        }
    }
}

#[tokio::test]
async fn states_of_tasks_do_not_pass() {
    let ready = Arc::new(Notify::new());
    let noted = Arc::clone(&ready);
    let work = move |cx: Context| {
        let noted = Arc::clone(&noted);
        async move {
            noted.notify_one();
            let task = json::Object::from([("taskId", "of another client")]);
            for method in ["notifications/tasks", "com.example/passes"] {
                cx.notify_json(method, Some(&task)).await?;
            }
            Ok::<_, HandlerError>("done")
        }
    };
    let server = Server::builder("tasks", "1").tool("work", "Works", work);
    let server = server.build().expect("valid");
    for revision in REVISIONS {
        let received = received(&server, revision, &ready).await;
        assert_eq!(received, ["com.example/passes"], "{revision}");
    }
}

#[tokio::test]
async fn large_notifications_for_a_slow_client_are_bounded() {
    let ready = Arc::new(Notify::new());
    let noted = Arc::clone(&ready);
    let work = move |cx: Context| {
        let noted = Arc::clone(&noted);
        async move {
            let large = json::Object::from([("text", "x".repeat(1 << 20))]);
            for _ in 0..64 {
                cx.notify_json("com.example/large", Some(&large)).await?;
            }
            noted.notify_one();
            Ok::<_, HandlerError>("done")
        }
    };
    let server = Server::builder("large", "1").tool("work", "Works", work);
    let server = server.build().expect("valid");
    let received = received(&server, Revision::V2025_11_25, &ready).await;
    assert!((1..32).contains(&received.len()), "{}", received.len());
}
