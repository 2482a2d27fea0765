//! Middleware around the handlers of requests.

use std::sync::{Arc, Mutex};

use mcp_server::middleware::{self, Middleware, Next, Outcome, Request, Response};
use mcp_server::types::{CallToolOutcome, CallToolResult, TextContent};
use mcp_server::{Extension, HandlerError, Server};
use serde_json::{Value, json};

use crate::support::peer::Peer;

type Log = Arc<Mutex<Vec<String>>>;

/// A layer that records what it sees, under a name.
struct Recording(&'static str, Log);

impl Middleware for Recording {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let note = |what: String| self.1.lock().unwrap().push(format!("{} {what}", self.0));
        note(format!("sees {} {}", request.method(), request.params()));
        let outcome = next.run(request).await;
        note(match &outcome {
            Ok(response) if response.is_tool_error() => "failure".to_owned(),
            Ok(response) => format!("result {}", response.result().unwrap()),
            Err(error) => format!("error {:?}", error.code()),
        });
        outcome
    }
}

async fn attach(request: Request, next: Next) -> Outcome {
    next.run(request.with_extension(7_u8)).await
}

async fn respond_directly(request: Request, next: Next) -> Outcome {
    match request.param::<String>("name")?.as_deref() {
        Some("cached") => {
            let result = CallToolResult::new([TextContent::new("from the cache").into()]);
            Response::new(request.context(), CallToolOutcome::from(result))
        }
        Some("locked") => Err(HandlerError::tool("locked")),
        Some("secret") => Err(HandlerError::forbidden("not for you")),
        _ => next.run(request).await,
    }
}

fn server(log: &Log) -> Server {
    Server::builder("test", "1")
        .layer(Recording("outer", Arc::clone(log)))
        .layer(middleware::from_fn(attach))
        .layer(middleware::from_fn(respond_directly))
        .layer(Recording("inner", Arc::clone(log)))
        .tool(
            "value",
            "Returns the value",
            |Extension(value): Extension<u8>| async move { value },
        )
        .tool("fail", "Fails", async || {
            Err::<(), _>(HandlerError::tool("no"))
        })
        .build()
        .unwrap()
}

fn call(name: &str) -> Value {
    json!({ "name": name })
}

/// Returns the recorded entries, without the params.
fn recorded(log: &Log) -> Vec<String> {
    let noted = std::mem::take(&mut *log.lock().unwrap());
    let short = |note: String| note.split(" {").next().unwrap_or_default().to_owned();
    noted.into_iter().map(short).collect()
}

#[tokio::test]
async fn layers_run_in_order_and_see_the_outcome() {
    let log = Log::default();
    let server = server(&log);
    for modern in [true, false] {
        let mut peer = if modern {
            Peer::modern(&server)
        } else {
            Peer::legacy(&server, "2025-06-18").await
        };
        let result = peer.result("tools/call", call("value")).await;
        assert_eq!(result["content"][0]["text"], "7");
        let text = log.lock().unwrap().join("\n");
        assert!(
            text.contains("sees tools/call {") && text.contains(r#""name":"value""#),
            "{text}"
        );
        assert!(text.contains("outer result {"), "{text}");
        let order = [
            "outer sees tools/call",
            "inner sees tools/call",
            "inner result",
            "outer result",
        ];
        assert_eq!(recorded(&log), order);

        peer.result("tools/call", call("fail")).await;
        assert_eq!(recorded(&log)[3], "outer failure");
        let (code, _) = peer.error("tools/call", json!({ "name": 1 })).await;
        assert_eq!(code, -32602);
        assert_eq!(
            recorded(&log),
            ["outer sees tools/call", "outer error Some(-32602)"]
        );
        let (code, _) = peer.error("tools/call", call("unknown")).await;
        assert_eq!(code, -32602);
        assert_eq!(recorded(&log)[3], "outer error Some(-32602)");
        let (code, _) = peer.error("no/method", json!({})).await;
        assert_eq!(code, -32601);
        assert_eq!(recorded(&log)[3], "outer error Some(-32601)");
        peer.result("tools/list", json!({})).await;
        assert_eq!(recorded(&log)[0], "outer sees tools/list");
    }
}

#[tokio::test]
async fn layer_can_respond_without_the_handler() {
    let log = Log::default();
    let mut peer = Peer::modern(&server(&log));
    let result = peer.result("tools/call", call("cached")).await;
    assert_eq!(result["content"][0]["text"], "from the cache");
    assert_eq!(recorded(&log), ["outer sees tools/call", "outer result"]);
    let (code, text) = peer.error("tools/call", call("locked")).await;
    assert_eq!((code, text.as_str()), (-32603, "locked"));
    let (code, text) = peer.error("tools/call", call("secret")).await;
    assert_eq!((code, text.as_str()), (-32600, "not for you"));
}

#[tokio::test]
async fn debug_output_shows_no_params_and_no_result() {
    let log = Log::default();
    let noted = Arc::clone(&log);
    let note = move |request: Request, next: Next| {
        let log = Arc::clone(&noted);
        async move {
            log.lock().unwrap().push(format!("{request:?}"));
            let response = next.run(request).await?;
            log.lock().unwrap().push(format!("{response:?}"));
            Ok(response)
        }
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_fn(note))
        .tool("secret", "Tells it", async || "a secret")
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    peer.result("tools/call", call("secret")).await;
    let noted = log.lock().unwrap().concat();
    assert!(!noted.contains("secret"), "{noted}");
    assert!(noted.contains("tools/call") && noted.contains("is_tool_error: false"));
}

#[tokio::test]
async fn extension_of_a_layer_is_not_visible_to_other_requests() {
    let attach_once = |request: Request, next: Next| async move {
        match request.param::<Value>("arguments")? {
            Some(_) => {
                next.run(request.with_extension("attached".to_owned()))
                    .await
            }
            None => next.run(request).await,
        }
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_fn(attach_once))
        .tool("value", "", |value: Option<Extension<String>>| async move {
            value.map_or("nothing".to_owned(), |Extension(value)| value)
        })
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let with = json!({ "name": "value", "arguments": {} });
    let result = peer.result("tools/call", with).await;
    assert_eq!(result["content"][0]["text"], "attached");
    let result = peer.result("tools/call", call("value")).await;
    assert_eq!(result["content"][0]["text"], "nothing");
}
