//! Input requests given in the types of the specification.

use mcp_server::types::json::{Map, Value as Json};
use mcp_server::types::{
    ElicitRequest, ElicitRequestFormParams, ElicitRequestUrlParams, InputRequest, InputResponse,
    RequestedSchema,
};
use mcp_server::{Context, HandlerError, Server};
use serde_json::{Value, json};

use super::peer::{connect, text};

fn form() -> ElicitRequest {
    let mut params = ElicitRequestFormParams::new("Sure?", RequestedSchema::new(Map::new()));
    params
        .extra
        .insert("com.example/style", Json::from("dialog"));
    let mut request = ElicitRequest::new(params);
    request.extra.insert("com.example/beside", Json::from(1));
    request
}

async fn ask_form(cx: Context) -> Result<String, HandlerError> {
    let result = cx.ask(form()).key("q").await?;
    Ok(format!("{:?}", result.action))
}

async fn ask_page(cx: Context) -> Result<String, HandlerError> {
    let params = ElicitRequestUrlParams::new("Sign in", "https://example.com/in");
    let result = cx.ask(ElicitRequest::new(params)).key("q").await?;
    Ok(format!("{:?}", result.action))
}

async fn ask_any(cx: Context) -> Result<String, HandlerError> {
    let request = InputRequest::from(form());
    match cx.ask(request).key("q").await? {
        InputResponse::Elicit(result) => Ok(format!("any {:?}", result.action)),
        other => Ok(format!("{other:?}")),
    }
}

fn server() -> Server {
    let builder = Server::builder("input", "1");
    let builder = builder
        .tool("form", "", ask_form)
        .tool("page", "", ask_page);
    builder.tool("any", "", ask_any).build().unwrap()
}

#[tokio::test]
async fn raw_input_requests_reach_modern_clients_unchanged() {
    let mut peer = connect(&server());
    let first = peer.call_round("form", Value::Null).await;
    let question = &first["result"]["inputRequests"]["q"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["com.example/style"], "dialog");
    assert_eq!(question["com.example/beside"], 1);
    let state = &first["result"]["requestState"];
    let round = json!({
        "requestState": state,
        "inputResponses": { "q": { "action": "decline" } },
    });
    assert_eq!(text(&peer.call_round("form", round).await), "Decline");

    let round = json!({ "inputResponses": { "q": { "action": "cancel" } } });
    assert_eq!(text(&peer.call_round("any", round).await), "any Cancel");
    let wrong = json!({ "inputResponses": { "q": { "action": 1 } } });
    assert_eq!(peer.call_round("any", wrong).await["error"]["code"], -32602);
}

#[tokio::test]
async fn raw_input_requests_are_sent_to_legacy_clients() {
    let mut peer = connect(&server());
    peer.handshake("2025-11-25").await;
    peer.begin("a", "form").await;
    let question = peer.receive().await;
    assert_eq!(question["params"]["com.example/style"], "dialog");
    peer.answer(&question, json!({ "action": "cancel" })).await;
    assert_eq!(text(&peer.receive().await), "Cancel");

    peer.begin("b", "page").await;
    let question = peer.receive().await;
    assert_eq!(question["params"]["mode"], "url");
    assert_eq!(
        question["params"]["elicitationId"],
        "https://example.com/in"
    );
    peer.answer(&question, json!({ "action": "accept" })).await;
    assert_eq!(text(&peer.receive().await), "Accept");
}
