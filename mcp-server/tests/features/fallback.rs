//! Handlers of messages of any method, and what gateways need of a context.

use std::sync::{Arc, Mutex};

use mcp_server::types::ToolsCapability;
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{AnyNotification, AnyRequest, AnyResult, Context, HandlerError, Server};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::peer::{Peer, soon};

async fn echo(request: AnyRequest, cx: Context) -> Result<AnyResult, HandlerError> {
    if cx.method() == "com.example/refuse" {
        let error = ErrorObject::new(-32099, "not today").data("because");
        return Err(HandlerError::from(error));
    }
    let text = format!(
        r#"{{"method":"{}","params":{},"big":123456789012345678901234567890,"1.0":1.0}}"#,
        cx.method(),
        request.params()
    );
    AnyResult::from_json(&RawValue::from_string(text)?)
}

fn server() -> Server {
    let builder = Server::builder("test", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()));
    builder.fallback(echo).build().unwrap()
}

#[tokio::test]
async fn requests_without_a_handler_are_passed_on_as_they_are() {
    let mut peer = Peer::legacy(&server(), "2025-11-25").await;
    for method in ["tools/list", "com.example/own", "tasks/list"] {
        let params = r#"{"b":1.50,"a":[1e2,{"x":null}]}"#;
        peer.send(format!(
            r#"{{"jsonrpc":"2.0","id":"x","method":"{method}","params":{params}}}"#
        ))
        .await;
        let expected = format!(
            r#""result":{{"method":"{method}","params":{params},"big":123456789012345678901234567890,"1.0":1.0}}"#
        );
        let received = peer.receive_text().await;
        assert!(received.contains(&expected), "{received}");
    }
    let refused = peer.request("com.example/refuse", json!({})).await;
    let expected = json!({ "code": -32099, "message": "not today", "data": "because" });
    assert_eq!(refused["error"], expected);
}

#[tokio::test]
async fn handlers_of_the_protocol_stay() {
    let mut peer = Peer::modern(&server());
    let discovered = peer.result("server/discover", json!({})).await;
    assert!(discovered["serverInfo"].is_null(), "{discovered}");
    assert_eq!(discovered["capabilities"]["tools"], json!({}));
    let listed = peer.result("tools/list", json!({})).await;
    assert_eq!(listed["method"], "tools/list");
}

#[tokio::test]
async fn notifications_of_any_method_pass_in_both_directions() {
    let received = Arc::<Mutex<Vec<(String, Option<String>)>>>::default();
    let noted = Arc::clone(&received);
    let note = move |notification: AnyNotification, cx: Context| {
        let params = notification.params().map(|params| params.get().to_owned());
        noted.lock().unwrap().push((cx.method().to_owned(), params));
        async {}
    };
    let send = async |_: AnyRequest, cx: Context| -> Result<AnyResult, HandlerError> {
        let params = RawValue::from_string(r#"{"n":1.0}"#.to_owned())?;
        cx.notify_json("com.example/note", Some(&params)).await?;
        cx.notify_json("com.example/bare", None::<&Value>).await?;
        assert!(cx.notify_json("com.example/bad", Some(&1)).await.is_err());
        AnyResult::from_json(&json!({}))
    };
    let server = Server::builder("test", "1").fallback(send);
    let server = server.fallback_notification(note).build().unwrap();
    let mut peer = Peer::legacy(&server, "2025-11-25").await;
    peer.send(r#"{"jsonrpc":"2.0","method":"com.example/told","params":{"x":1.0}}"#)
        .await;
    peer.start("com.example/do", json!({})).await;
    let text = peer.receive_text().await;
    assert!(text.contains(r#""params":{"n":1.0}"#), "{text}");
    let bare = peer.receive().await;
    assert_eq!(
        bare,
        json!({ "jsonrpc": "2.0", "method": "com.example/bare" })
    );
    peer.receive().await;
    let received = received.lock().unwrap().clone();
    let told = (
        "com.example/told".to_owned(),
        Some(r#"{"x":1.0}"#.to_owned()),
    );
    assert!(received.contains(&told), "{received:?}");
}

#[tokio::test]
async fn session_has_a_key_and_an_end() {
    // The contexts are kept, which does not keep the sessions.
    let contexts = Arc::<Mutex<Vec<Context>>>::default();
    let noted = Arc::clone(&contexts);
    let note = move |_: AnyRequest, cx: Context| {
        noted.lock().unwrap().push(cx);
        async { AnyResult::from_json(&json!({})) }
    };
    let server = Server::builder("test", "1").fallback(note).build().unwrap();
    let mut peers = Vec::new();
    for _ in 0..2 {
        let mut peer = Peer::legacy(&server, "2025-11-25").await;
        for _ in 0..2 {
            peer.request("com.example/do", json!({})).await;
        }
        peers.push(peer);
    }
    Peer::modern(&server)
        .request("com.example/do", json!({}))
        .await;
    let contexts = contexts.lock().unwrap().clone();
    let sessions: Vec<_> = contexts.iter().filter_map(Context::session).collect();
    let keys: Vec<&str> = sessions
        .iter()
        .map(mcp_server::ClientSession::key)
        .collect();
    assert_eq!(keys.len(), 4, "{keys:?}");
    assert_eq!((keys[0], keys[2]), (keys[1], keys[3]));
    assert_ne!(keys[0], keys[2]);
    let mut first = peers.remove(0);
    first.end().await.1.expect("served");
    drop(first);
    soon(sessions[0].ended()).await;
    assert!(!sessions[2].has_ended());
}
