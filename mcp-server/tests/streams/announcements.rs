//! Announcements with params of the program.

use mcp_server::{Change, Memory, ResourceDef, Server};
use serde_json::json;
use serde_json::value::RawValue;

use crate::support::peer::Peer;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn server(store: &Memory) -> Server {
    let resource = ResourceDef::new("test://a", "a").handler(async || "text");
    let builder = Server::builder("test", "1").add_resource(resource);
    let builder = builder.tool("work", "Works", async || "done");
    builder.store(store.clone()).build().expect("valid")
}

const PARAMS: &str = r#"{"x":1.0,"_meta":{"io.modelcontextprotocol/subscriptionId":9,"com.example/n":12345678901234567890123},"uri":"other://a","y":{"b":1,"a":"\u00e9"}}"#;

async fn listening(server: &Server) -> (Peer, u64) {
    let mut peer = Peer::modern(server);
    let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["test://a"] });
    let params = json!({ "notifications": filter });
    let id = peer.start("subscriptions/listen", params).await;
    let first = peer.receive().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    (peer, id)
}

#[tokio::test]
async fn announcement_keeps_its_params_for_every_client_and_process() {
    let store = Memory::new();
    let (one, two) = (server(&store), server(&store));
    let (mut here, id) = listening(&one).await;
    let (mut elsewhere, other) = listening(&two).await;
    let mut old = Peer::legacy(&one, "2025-06-18").await;
    old.result("resources/subscribe", json!({ "uri": "test://a" }))
        .await;
    let change = Change::Resource("test://a".to_owned());
    one.announce_with(change, &raw(PARAMS)).expect("an object");
    for (peer, id) in [(&mut here, id), (&mut elsewhere, other)] {
        let text = peer.receive_text().await;
        let meta = format!(
            r#"{{"com.example/n":12345678901234567890123,"io.modelcontextprotocol/subscriptionId":{id}}}"#
        );
        let params =
            format!(r#"{{"x":1.0,"_meta":{meta},"uri":"test://a","y":{{"b":1,"a":"\u00e9"}}}}"#);
        assert_eq!(text, notification("resources/updated", &params));
    }
    let params = r#"{"x":1.0,"_meta":{"com.example/n":12345678901234567890123},"uri":"test://a","y":{"b":1,"a":"\u00e9"}}"#;
    assert_eq!(
        old.receive_text().await,
        notification("resources/updated", params)
    );

    one.announce_with(Change::Tools, &raw(r#"{"z":null}"#))
        .expect("an object");
    assert_eq!(
        old.receive_text().await,
        notification("tools/list_changed", r#"{"z":null}"#)
    );
}

fn notification(name: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}","params":{params}}}"#)
}

#[tokio::test]
async fn params_that_cannot_be_sent_are_refused() {
    let server = server(&Memory::new());
    let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(16 << 10));
    for params in ["[]", "1", r#"{"_meta":1}"#, &large] {
        let announced = server.announce_with(Change::Tools, &raw(params));
        let error = announced.expect_err("refused");
        assert_eq!(error.code(), Some(-32603), "{error}");
    }
}
