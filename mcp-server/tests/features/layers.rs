//! Middleware around messages in both directions, and the example `middleware`.

use std::sync::{Arc, Mutex};

use mcp_server::middleware::{
    self, Direction, Middleware, Next, Notification, Outcome, Request, Response,
};
use mcp_server::types::{CallToolOutcome, CallToolResult, TextContent};
use mcp_server::{Change, Context, HandlerError, NotificationParams, Server};
use serde_json::{Value, json};

use crate::support::peer::{Peer, text};

#[expect(dead_code, reason = "the tests do not start the program")]
#[path = "../../examples/middleware.rs"]
mod example;

type Log = Arc<Mutex<Vec<String>>>;

/// Returns what was recorded, and forgets it.
fn recorded(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().unwrap())
}

/// Records the messages in both directions, under a name.
struct Recording(&'static str, Log);

impl Recording {
    fn note(&self, direction: Direction, method: &str) {
        let arrow = match direction {
            Direction::ToServer => ">",
            Direction::ToClient => "<",
        };
        self.1
            .lock()
            .unwrap()
            .push(format!("{} {arrow} {method}", self.0));
    }
}

impl Middleware for Recording {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        self.note(request.direction(), request.method());
        next.run(request).await
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        self.note(notification.direction(), notification.method());
        Some(notification)
    }
}

fn recording(log: &Log) -> mcp_server::ServerBuilder {
    Server::builder("test", "1")
        .layer(Recording("outer", Arc::clone(log)))
        .layer(Recording("inner", Arc::clone(log)))
}

async fn work(cx: Context) -> Result<String, HandlerError> {
    cx.progress(1, None, "halfway").await?;
    Ok(format!("{} roots", cx.roots().await?.len()))
}

#[tokio::test]
async fn layers_see_questions_and_progress_in_reverse_order() {
    let log = Log::default();
    let server = recording(&log).tool("work", "", work).build().unwrap();
    let mut peer = Peer::raw(&server);
    peer.capabilities = json!({ "roots": {} });
    peer.handshake("2025-11-25").await;
    let id = peer
        .start(
            "tools/call",
            json!({ "name": "work", "_meta": { "progressToken": 1 } }),
        )
        .await;
    let progress = peer.receive().await;
    assert_eq!(progress["method"], "notifications/progress");
    let question = peer.receive().await;
    assert_eq!(question["method"], "roots/list");
    peer.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }))
        .await;
    let answer = peer.receive().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(id), "0 roots"));
    assert_eq!(
        recorded(&log),
        [
            "outer > notifications/initialized",
            "inner > notifications/initialized",
            "outer > tools/call",
            "inner > tools/call",
            "inner < notifications/progress",
            "outer < notifications/progress",
            "inner < roots/list",
            "outer < roots/list",
        ]
    );
}

#[tokio::test]
async fn layers_see_subscriptions_of_both_eras_and_cancellations() {
    let log = Log::default();
    let server = recording(&log).tool("work", "", work).build().unwrap();
    let mut modern = Peer::modern(&server);
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    modern.start("subscriptions/listen", listen).await;
    let acknowledged = modern.receive().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let mut legacy = Peer::legacy(&server, "2025-06-18").await;
    legacy.result("ping", json!({})).await;
    recorded(&log);
    server.announce(Change::Tools);
    for peer in [&mut modern, &mut legacy] {
        let changed = peer.receive().await;
        assert_eq!(changed["method"], "notifications/tools/list_changed");
    }
    let order = ["inner", "outer"].map(|name| format!("{name} < notifications/tools/list_changed"));
    assert_eq!(recorded(&log), [order.clone(), order].concat());
    let cancel = json!({ "requestId": 99 });
    modern
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }))
        .await;
    modern.result("tools/list", json!({})).await;
    assert_eq!(
        recorded(&log)[..2],
        [
            "outer > notifications/cancelled",
            "inner > notifications/cancelled"
        ]
    );
}

/// Changes what passes, drops some of it, and answers questions itself.
struct Editor;

impl Middleware for Editor {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        match (
            request.direction(),
            request.param::<String>("name")?.as_deref(),
        ) {
            (Direction::ToClient, _) => {
                let roots = json!({ "roots": [{ "uri": "file:///a" }] });
                Response::from_json(request.context(), &roots)
            }
            (_, Some("alias")) => {
                let params = json!({ "name": "work" });
                next.run(request.with_params(&params)?).await
            }
            (_, Some("bad")) => next.run(request.with_params(&[1])?).await,
            (_, Some("changed")) => {
                let cx = request.context().clone();
                let response = next.run(request).await?;
                let mut result: Value = serde_json::from_str(response.result()?.get())?;
                result["content"][0]["text"] = json!("edited");
                Response::from_json(&cx, &result)
            }
            _ => next.run(request).await,
        }
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        match notification.method() {
            "notifications/progress" | "com.example/drop" => None,
            "com.example/note" => notification.with_params(&json!({ "text": "edited" })).ok(),
            _ => Some(notification),
        }
    }
}

#[tokio::test]
async fn layer_changes_params_and_results_and_answers_questions() {
    let server = Server::builder("test", "1")
        .layer(Editor)
        .tool("work", "", work)
        .tool("changed", "", async || "as it was")
        .build()
        .unwrap();
    let mut peer = Peer::raw(&server);
    peer.capabilities = json!({ "roots": {} });
    peer.handshake("2025-11-25").await;
    let alias = json!({ "name": "alias", "_meta": { "progressToken": 1 } });
    // Neither the progress nor the question reaches the client.
    let answer = peer.request_alone("tools/call", alias).await;
    assert_eq!(text(&answer), "1 roots");
    let answer = peer
        .request_alone("tools/call", json!({ "name": "changed" }))
        .await;
    assert_eq!(text(&answer), "edited");
    let (code, _) = peer.error("tools/call", json!({ "name": "bad" })).await;
    assert_eq!(code, -32603);
}

/// A notification of the program's own.
struct Note;

impl mcp_server::types::Notification for Note {
    const METHOD: &'static str = "com.example/note";
    const SENDER: mcp_server::types::Sender = mcp_server::types::Sender::Client;
    type Params = mcp_server::types::JsonObject;
}

struct Dropped;

impl mcp_server::types::Notification for Dropped {
    const METHOD: &'static str = "com.example/drop";
    const SENDER: mcp_server::types::Sender = mcp_server::types::Sender::Client;
    type Params = mcp_server::types::JsonObject;
}

#[tokio::test]
async fn layer_changes_and_drops_notifications_of_the_client() {
    let log = Log::default();
    let (notes, drops) = (Arc::clone(&log), Arc::clone(&log));
    let note = move |NotificationParams(params): NotificationParams<Note>| {
        notes
            .lock()
            .unwrap()
            .push(format!("{:?}", params.get("text")));
        async {}
    };
    let dropped = move |NotificationParams(_): NotificationParams<Dropped>| {
        drops.lock().unwrap().push("dropped".to_owned());
        async {}
    };
    let server = Server::builder("test", "1")
        .layer(Editor)
        .on_notification::<Note, _, _>(note)
        .on_notification::<Dropped, _, _>(dropped)
        .tool("ready", "", async || "yes")
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for method in ["com.example/drop", "com.example/note"] {
        peer.send(json!({ "jsonrpc": "2.0", "method": method, "params": { "text": "sent" } }))
            .await;
    }
    for _ in 0..1000 {
        if !log.lock().unwrap().is_empty() {
            break;
        }
        peer.call("ready", json!({})).await;
    }
    let handled = recorded(&log);
    assert!(
        handled.len() == 1 && handled[0].contains("edited"),
        "{handled:?}"
    );
}

#[tokio::test]
async fn functions_become_middleware() {
    let silence = |notification: Notification| match notification.direction() {
        Direction::ToClient => None,
        Direction::ToServer => Some(notification),
    };
    let respond = |request: Request, _: Next| async move {
        let result = CallToolResult::new([TextContent::new("instead").into()]);
        Response::new(request.context(), CallToolOutcome::from(result))
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_notify_fn(silence))
        .layer(middleware::from_fn(respond))
        .tool("work", "", work)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let answer = peer
        .request_alone("tools/call", json!({ "name": "work" }))
        .await;
    assert_eq!(text(&answer), "instead");
}

#[tokio::test]
async fn example_logs_limits_and_caches() {
    let log = Log::default();
    let lines = Arc::clone(&log);
    let server = example::server(move |line| lines.lock().unwrap().push(line)).unwrap();
    let mut peer = Peer::modern(&server);
    let price = json!({ "name": "price" });
    let first = peer.request("tools/call", price.clone()).await;
    let second = peer.request("tools/call", price.clone()).await;
    assert_eq!(text(&first), text(&second));
    let line = |rest: &str| format!("ToServer tools/call{rest}");
    assert_eq!(recorded(&log)[..2], [line(""), line(": answered")]);
    for _ in 2..100 {
        peer.result("tools/call", price.clone()).await;
    }
    let refused = peer.request("tools/call", price).await;
    assert_eq!(
        refused["error"]["data"],
        json!({ "retryAfter": 60 }),
        "{refused}"
    );
}

#[tokio::test]
async fn panic_in_a_middleware_drops_only_the_notification() {
    let panics = |notification: Notification| match notification.method() {
        "notifications/progress" | "com.example/note" => panic!("on purpose"),
        _ => Some(notification),
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_notify_fn(panics))
        .tool("work", "", work)
        .build()
        .unwrap();
    let mut peer = Peer::raw(&server);
    peer.capabilities = json!({ "roots": {} });
    peer.handshake("2025-11-25").await;
    peer.send(json!({ "jsonrpc": "2.0", "method": "com.example/note" }))
        .await;
    let params = json!({ "name": "work", "_meta": { "progressToken": 1 } });
    let id = peer.start("tools/call", params).await;
    let question = peer.receive().await;
    assert_eq!(question["method"], "roots/list");
    peer.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }))
        .await;
    assert_eq!(peer.receive().await["id"], id);
}
