//! Params of requests that the server itself handles: invalid ones are rejected with their path.

use mcp_server::types::{Item, PromptArgument, Revision};
use mcp_server::{Completing, PromptDef, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

/// Connects without a handshake.
fn connect() -> Peer {
    let server = Server::builder("params", "1.0.0")
        .tool("echo", "Echoes", |echo: Echo| async move { echo.text })
        .add_prompt(
            PromptDef::new("review")
                .argument(PromptArgument::new("code"))
                .map_handler(async |_| "reviewed"),
        )
        .complete_prompt("review", "code", |typing: Completing| async move {
            vec![typing.value]
        })
        .build()
        .expect("a server");
    Peer::raw(&server)
}

/// Requests whose params are as a test writes them.
trait AskWithParams {
    async fn ask(&mut self, method: &str, params: &Value) -> Value;
    /// Sends a request with params as text, valid or not.
    async fn ask_raw(&mut self, method: &str, params: &str) -> Value;
    /// Sends a request that is rejected because of its params, with this path in the error.
    async fn assert_rejected(&mut self, method: &str, params: Value, place: &str);
    async fn assert_rejected_raw(&mut self, method: &str, params: &str, place: &str);
}

impl AskWithParams for Peer {
    async fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_raw(method, &params.to_string()).await
    }

    async fn ask_raw(&mut self, method: &str, params: &str) -> Value {
        let head = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        let head = head.strip_suffix('}').expect("an object");
        self.send(format!("{head},\"params\":{params}}}")).await;
        self.receive().await
    }

    async fn assert_rejected(&mut self, method: &str, params: Value, place: &str) {
        self.assert_rejected_raw(method, &params.to_string(), place)
            .await;
    }

    async fn assert_rejected_raw(&mut self, method: &str, params: &str, place: &str) {
        let answer = self.ask_raw(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(text.contains(method) && text.contains(place), "{answer}");
    }
}

fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

#[tokio::test]
async fn invalid_params_of_a_modern_peer_are_rejected() {
    let mut peer = connect();
    let good = meta(&json!({}));
    let call = "tools/call";
    peer.assert_rejected(call, json!({"_meta": good}), "`name`")
        .await;
    peer.assert_rejected(call, json!({"name": 5, "_meta": good}), "$.name")
        .await;
    let list = json!({"name": "echo", "arguments": [], "_meta": good});
    peer.assert_rejected(call, list, "$.arguments").await;
    peer.assert_rejected(
        "tools/list",
        json!({"cursor": 5, "_meta": good}),
        "$.cursor",
    )
    .await;
    let mut capabilities = vec!["elicitation"];
    // Roots are deprecated. A capability that the newest revision lacks has no known form.
    if Revision::LATEST.has(Item::named("ClientCapabilities.roots")) {
        capabilities.push("roots");
    }
    for name in capabilities {
        let bad = meta(&json!({name: 5}));
        peer.assert_rejected(call, json!({"name": "echo", "_meta": bad}), name)
            .await;
        peer.assert_rejected("tools/list", json!({"_meta": bad}), name)
            .await;
    }
    let complete = "completion/complete";
    let prompt = json!({"type": "ref/prompt", "name": "review"});
    let typed = json!({"name": "code", "value": "a"});
    for (params, place) in [
        (json!({"argument": typed}), "`ref`"),
        (json!({"ref": 5, "argument": typed}), "$.ref"),
        (
            json!({"ref": {"type": "ref/x"}, "argument": typed}),
            "$.ref.type",
        ),
        (
            json!({"ref": {"type": "ref/prompt"}, "argument": typed}),
            "$.ref",
        ),
        (
            json!({"ref": prompt, "argument": {"name": "code"}}),
            "$.argument",
        ),
        (
            json!({"ref": prompt, "argument": typed, "context": {"arguments": {"a": 1}}}),
            "$.context.arguments.a",
        ),
    ] {
        let mut params = params;
        params["_meta"] = good.clone();
        peer.assert_rejected(complete, params, place).await;
    }
    let params = json!({"ref": prompt, "argument": typed, "_meta": good});
    let answer = peer.ask(complete, &params).await;
    assert_eq!(answer["result"]["completion"]["values"][0], "a", "{answer}");
    // A member that no revision defines is accepted.
    let params = json!({"arguments": {"text": "hi"}, "other": [1], "name": "echo", "_meta": good});
    let answer = peer.ask(call, &params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi", "{answer}");
}

#[tokio::test]
async fn invalid_params_of_a_peer_with_a_session_are_rejected() {
    let mut peer = connect();
    let mut hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"roots": 5}});
    peer.assert_rejected("initialize", hello.clone(), "$.capabilities")
        .await;
    hello["capabilities"] = json!({});
    peer.assert_rejected("initialize", hello.clone(), "`clientInfo`")
        .await;
    hello["clientInfo"] = json!({"name": "t", "version": "1"});
    let answer = peer.ask("initialize", &hello).await;
    assert_eq!(
        answer["result"]["protocolVersion"], "2025-06-18",
        "{answer}"
    );
    peer.assert_rejected("tools/call", json!({"name": "echo", "_meta": 5}), "_meta")
        .await;
    peer.assert_rejected("logging/setLevel", json!({"level": "loud"}), "$.level")
        .await;
    // Params that are not an object, which JSON-RPC allows and the protocol does not.
    let answer = peer.ask("tools/call", &json!(["echo"])).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let params = json!({"name": "echo", "arguments": {"text": "hi"}});
    let answer = peer.ask("tools/call", &params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hi", "{answer}");
}

/// It is ambiguous which of two members with the same name is meant.
#[tokio::test]
async fn duplicate_members_are_rejected() {
    let mut peer = connect();
    let call = "tools/call";
    let meta = meta(&json!({}));
    let version = "io.modelcontextprotocol/protocolVersion";
    let about = meta.to_string();
    let about = about
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let about = about.expect("an object");
    for (params, place) in [
        (r#"{"name":"echo","name":"echo","_meta":META}"#, "`name`"),
        (
            r#"{"name":"echo","n\u0061me":"echo","_meta":META}"#,
            "`name`",
        ),
        (r#"{"name":"echo","_meta":META,"_meta":META}"#, "`_meta`"),
        (r#"{"_meta":{"a":1,"a":1,ABOUT},"name":"echo"}"#, "$._meta"),
        (
            r#"{"name":"echo","_meta":{VERSION:"2026-07-28",ABOUT}}"#,
            version,
        ),
        (
            r#"{"name":"echo","arguments":{"text":"a","text":"b"},"_meta":META}"#,
            "$.arguments",
        ),
    ] {
        let params = params.replace("META", &meta.to_string());
        let params = params.replace("ABOUT", about);
        let params = params.replace("VERSION", &format!("\"{version}\""));
        peer.assert_rejected_raw(call, &params, place).await;
    }
    let params = format!(
        r#"{{"ref":{{"type":"ref/prompt","name":"review"}},"argument":{{"name":"code","value":"a","value":"b"}},"_meta":{meta}}}"#
    );
    peer.assert_rejected_raw("completion/complete", &params, "$.argument")
        .await;
    let hello = r#"{"protocolVersion":"2025-06-18","protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    peer.assert_rejected_raw("initialize", hello, "`protocolVersion`")
        .await;
}

/// A handshake is validated by the client's own revision, not by later definitions of the same
/// member.
#[tokio::test]
async fn handshake_is_validated_by_its_own_revision() {
    // Invalid members, and the revision that introduced them.
    let unfit = [
        ("capabilities", "roots", "2024-11-05"),
        ("clientInfo", "title", "2025-06-18"),
        ("capabilities", "elicitation", "2025-06-18"),
        ("clientInfo", "icons", "2025-11-25"),
        ("capabilities", "tasks", "2025-11-25"),
    ];
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        for (object, member, since) in unfit {
            let mut hello = json!({
                "protocolVersion": version,
                "capabilities": {"experimental": {"com.example/x": {"y": 1}}},
                "clientInfo": {"name": "t", "version": "1"},
            });
            hello[object][member] = json!(5);
            let mut peer = connect();
            if version >= since {
                let place = format!("$.{object}.{member}");
                peer.assert_rejected("initialize", hello, &place).await;
            } else {
                let answer = peer.ask("initialize", &hello).await;
                let agreed = &answer["result"]["protocolVersion"];
                assert_eq!(agreed, version, "{object}.{member}: {answer}");
            }
        }
    }
}

#[tokio::test]
async fn all_missing_members_of_meta_are_named_in_one_error() {
    let answer = connect().ask("tools/list", &json!({"_meta": {}})).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "params of `tools/list` lack `_meta.io.modelcontextprotocol/protocolVersion` and \
         `_meta.io.modelcontextprotocol/clientCapabilities`, and there was no `initialize`"
    );
}
