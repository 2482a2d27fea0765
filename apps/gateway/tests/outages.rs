//! Upstreams whose lists are late, fail or do not end, and those that were away for some time.

use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, Http, SubscriptionEvent};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::types::{Revision, ToolsCapability};
use mcp_server::{
    AnyRequest, AnyResult, Context, HandlerError, PromptDef, ResourceDef, Server, ToolDef,
};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::watch;

use crate::support::{Announced, Count, at, changes, client, connect, gateway, named, soon};

/// Less than the 30 seconds that an upstream has for its list.
const WITHOUT_IT: Duration = Duration::from_secs(20);

async fn names(client: &Client) -> Vec<String> {
    let listing = tokio::time::timeout(WITHOUT_IT, client.tools().all()).await;
    let listed = listing.expect("the others are listed").expect("listed");
    listed.items.into_iter().map(|tool| tool.name).collect()
}

/// Lists no tools until it is allowed to, or refuses to.
#[derive(Clone)]
struct Gate {
    is_open: watch::Sender<bool>,
    refuses: bool,
    asked: Count,
}

impl Gate {
    fn new(refuses: bool) -> Self {
        Self {
            is_open: watch::Sender::new(false),
            refuses,
            asked: Count::default(),
        }
    }
}

impl Middleware for Gate {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.method() == "tools/list" {
            self.asked.add();
            let mut is_open = self.is_open.subscribe();
            if self.refuses && !*is_open.borrow() {
                return Err(HandlerError::internal("not now"));
            }
            let _ = is_open.wait_for(|is_open| *is_open).await;
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn tools_of_a_silent_upstream_arrive_as_a_change() {
    for refuses in [false, true] {
        for revision in [Revision::V2025_11_25, Revision::LATEST] {
            let gate = Gate::new(refuses);
            let silent = Server::builder("silent", "1")
                .tool("name", "Returns the name", async || "silent")
                .layer(gate.clone());
            let silent = silent.build().expect("valid");
            let gateway = gateway([
                at("a", revision, &silent),
                at("b", Revision::LATEST, &named("b")),
            ])
            .await;
            let client = client(&gateway, revision).await;
            let mut subscription = client.listen(changes());
            let event = soon(subscription.next()).await.expect("an event");
            assert!(matches!(event, Ok(SubscriptionEvent::Listening(_))));
            for _ in 0..3 {
                assert_eq!(names(&client).await, ["b_name"], "{revision}");
            }
            gate.is_open.send_replace(true);
            let changed = async {
                loop {
                    let event = subscription.next().await.expect("an event");
                    if matches!(event, Ok(SubscriptionEvent::ToolListChanged)) {
                        return;
                    }
                }
            };
            soon(changed).await;
            assert_eq!(names(&client).await, ["a_name", "b_name"], "{revision}");
        }
    }
}

#[tokio::test]
async fn list_that_fails_is_not_requested_each_time() {
    let gate = Gate::new(true);
    let refusing = Server::builder("refusing", "1")
        .tool("name", "Returns the name", async || "refusing")
        .layer(gate.clone());
    let refusing = refusing.build().expect("valid");
    let gateway = gateway([
        at("a", Revision::LATEST, &refusing),
        at("b", Revision::LATEST, &named("b")),
    ])
    .await;
    let client = client(&gateway, Revision::LATEST).await;
    for _ in 0..50 {
        assert_eq!(names(&client).await, ["b_name"]);
    }
    // The attempts of three minutes.
    assert!(gate.asked.get() <= 10, "{}", gate.asked.get());
}

#[tokio::test]
async fn endless_list_of_empty_pages_is_cut_off() {
    let pages = Count::default();
    let counted = pages.clone();
    let endless = move |_: AnyRequest, _: Context| {
        counted.add();
        async { AnyResult::from_json(&json!({ "tools": [], "nextCursor": "again" })) }
    };
    let server = Server::builder("endless", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
        .fallback(endless);
    let gateway = gateway([
        at("a", Revision::V2025_11_25, &server.build().expect("valid")),
        at("b", Revision::LATEST, &named("b")),
    ])
    .await;
    let client = client(&gateway, Revision::LATEST).await;
    assert_eq!(names(&client).await, ["b_name"]);
    assert!(pages.get() <= 20, "{}", pages.get());
}

/// An upstream whose connections can be refused and cut.
fn cuttable(server: &Server, revision: Revision, is_up: &watch::Sender<bool>) -> Upstream {
    let (server, is_up) = (server.clone(), is_up.clone());
    Upstream::new("a", move |builder: ClientBuilder| {
        let (server, mut is_up) = (server.clone(), is_up.subscribe());
        async move {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            if *is_up.borrow() {
                tokio::spawn(async move {
                    tokio::select! {
                        _ = server.serve(mcp_server::ByteStream::of(theirs)) => {}
                        _ = is_up.wait_for(|is_up| !is_up) => {}
                    }
                });
            } else {
                drop(theirs);
            }
            builder
                .revision(revision)
                .connect(ByteStream::of(ours))
                .await
        }
    })
}

async fn gateway_of(upstream: Upstream, others: &[Upstream]) -> Gateway {
    gateway([upstream].into_iter().chain(others.iter().cloned())).await
}

#[tokio::test]
async fn what_changed_during_an_outage_is_announced_once() {
    let prompt = |name: &'static str| PromptDef::new(name).handler(async || "text");
    for others in [0, 1] {
        let server = Server::builder("a", "1")
            .tool("name", "Returns the name", async || "a")
            .add_prompt(prompt("first"))
            .add_resource(ResourceDef::new("notes://one", "one").handler(async || "text"));
        let server = server.build().expect("valid");
        let is_up = watch::Sender::new(true);
        let others: Vec<_> = (0..others)
            .map(|_| at("b", Revision::LATEST, &named("b")))
            .collect();
        let gateway = gateway_of(cuttable(&server, Revision::LATEST, &is_up), &others).await;
        let announced = Announced::default();
        let builder = Client::builder("test", "1").revision(Revision::LATEST);
        let client = connect(&gateway, builder.layer(announced.clone())).await;
        let mut subscription = client.listen(changes());
        let event = soon(subscription.next()).await.expect("an event");
        assert!(matches!(event, Ok(SubscriptionEvent::Listening(_))));
        let listed = async || {
            let tools = names(&client).await.len();
            soon(client.prompts().all()).await.expect("listed");
            soon(client.resources().all()).await.expect("listed");
            tools
        };
        let before = listed().await;
        is_up.send_replace(false);
        let added = ToolDef::new("new").description("New");
        let added = added.handler(async || "new");
        server.tools().add(added).expect("added");
        // Long enough for several attempts to connect.
        tokio::time::sleep(Duration::from_secs(2)).await;
        is_up.send_replace(true);
        let changed = async {
            while announced.get("tools") == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        soon(changed).await;
        assert_eq!(listed().await, before + 1);
        server.prompts().add(prompt("second")).expect("added");
        let changed = async {
            while announced.get("prompts") == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        soon(changed).await;
        assert_eq!((announced.get("tools"), announced.get("resources")), (1, 0));
    }
}

/// An HTTP server of the older revisions that knows only its newest session, and answers others with
/// 400, as the reference server does after a restart.
#[derive(Clone, Default)]
struct Restarting {
    sessions: Count,
    calls: Count,
}

impl Restarting {
    /// Serves at a free port, and returns the URL.
    async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("bound");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let server = server.clone();
                tokio::spawn(async move { server.answer(socket).await });
            }
        });
        url
    }

    async fn answer(&self, mut socket: tokio::net::TcpStream) -> Option<()> {
        let mut request = Vec::new();
        let (head, body) = loop {
            socket
                .read_buf(&mut request)
                .await
                .ok()
                .filter(|size| *size > 0)?;
            let text = String::from_utf8_lossy(&request).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let head = head.to_lowercase();
            let size = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= size.and_then(|size| size.parse().ok()).unwrap_or(0) {
                break (head, body.to_owned());
            }
        };
        let message: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        let session = self.sessions.get();
        let is_known = head.contains(&format!("mcp-session-id: session-{session}"));
        let (status, result) = match method {
            "initialize" => {
                self.sessions.add();
                let capabilities = json!({ "tools": {} });
                let info = json!({ "name": "restarting", "version": "1" });
                (
                    "200 OK",
                    json!({
                        "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info,
                    }),
                )
            }
            _ if head.starts_with("get") => ("405 Method Not Allowed", json!({})),
            _ if !is_known => ("400 Bad Request", json!({})),
            "notifications/initialized" => ("202 Accepted", json!({})),
            _ => {
                self.calls.add();
                let text = json!({ "type": "text", "text": "called" });
                ("200 OK", json!({ "content": [text] }))
            }
        };
        let body = if status.starts_with('4') {
            let error =
                json!({ "code": -32000, "message": "Bad Request: No valid session ID provided" });
            json!({ "jsonrpc": "2.0", "id": null, "error": error })
        } else {
            json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
        };
        let (body, session) = (body.to_string(), self.sessions.get());
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nMcp-Session-Id: session-{session}\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all((head + &body).as_bytes()).await.ok()
    }
}

#[tokio::test]
async fn upstream_that_forgets_its_sessions_is_used_again() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let server = Restarting::default();
        let url = server.serve().await;
        let upstream = Upstream::connecting("a", move || Http::new(&*url)).lazy();
        let gateway = gateway([upstream]).await;
        let called = async || {
            let client = client(&gateway, revision).await;
            soon(client.call_tool("any"))
                .await
                .map(|result| result.text())
        };
        let first = client(&gateway, revision).await;
        let result = soon(first.call_tool("any")).await.expect("called");
        assert_eq!(result.text(), "called");
        // Now it knows another session only.
        server.sessions.add();
        let result = soon(first.call_tool("any")).await.expect("called again");
        assert_eq!(result.text(), "called", "{revision}");
        server.sessions.add();
        assert_eq!(called().await.expect("new client"), "called", "{revision}");
        assert_eq!(server.calls.get(), 3, "{revision}");
    }
}
