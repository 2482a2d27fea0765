//! Custom handlers for methods of features, and errors that they forward.

use mcp_server::types::json::{Object, Value as Json5};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::types::{
    CacheScope, CallToolOutcome, CallToolRequest, CallToolResult, GetPromptRequest,
    InputRequiredResult, ListResourcesRequest, ListToolsRequest, ListToolsResult, TextContent,
    Tool, ToolInputSchema,
};
use mcp_server::{Context, HandlerError, Params, Server, State};
use serde_json::json;

use crate::support::peer::Peer;

fn text(text: impl Into<String>) -> CallToolOutcome {
    CallToolResult::new([TextContent::new(text).into()]).into()
}

#[tokio::test]
async fn custom_handler_replaces_that_of_a_feature() {
    let list = |_: Params<ListToolsRequest>| async {
        let tool = Tool::new("own", ToolInputSchema::new());
        ListToolsResult::new([tool], 0, CacheScope::Private)
    };
    let server = Server::builder("test", "1")
        .on(list)
        .tool(
            "feature",
            "Belongs to the feature",
            async || "from the feature",
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let listed = peer.result("tools/list", json!({})).await;
    assert_eq!(listed["tools"][0]["name"], "own");
    let called = peer
        .result("tools/call", json!({ "name": "feature" }))
        .await;
    assert_eq!(called["content"][0]["text"], "from the feature");
}

#[tokio::test]
async fn capabilities_follow_from_custom_handlers() {
    let call = |_: Params<CallToolRequest>| async { text("called") };
    let server = Server::builder("test", "1").on(call).build().unwrap();
    let mut peer = Peer::modern(&server);
    let discovered = peer.result("server/discover", json!({})).await;
    let capabilities = discovered["capabilities"].as_object().unwrap();
    assert!(capabilities.contains_key("tools"), "{discovered}");
    assert!(!capabilities.contains_key("prompts") && !capabilities.contains_key("resources"));

    let prompt = |_: Params<GetPromptRequest>| async { Err(HandlerError::internal("none")) };
    let list = |_: Params<ListResourcesRequest>| async { Err(HandlerError::internal("none")) };
    let server = Server::builder("test", "1")
        .on(prompt)
        .on(list)
        .build()
        .unwrap();
    let discovered = Peer::modern(&server)
        .result("server/discover", json!({}))
        .await;
    let capabilities = discovered["capabilities"].as_object().unwrap();
    assert!(capabilities.contains_key("prompts") && capabilities.contains_key("resources"));
}

#[tokio::test]
async fn request_state_of_a_custom_handler_is_returned_to_it() {
    async fn call(
        Params(call): Params<CallToolRequest>,
        cx: Context,
    ) -> Result<CallToolOutcome, HandlerError> {
        match call.request_state.as_deref() {
            None => Ok(InputRequiredResult::new()
                .request_state("step 2 of a state")
                .into()),
            Some(_) if call.name == "asks" => Ok(text(cx.roots().await?.len().to_string())),
            Some(state) => Ok(text(format!("came back: {state}"))),
        }
    }

    let server = Server::builder("test", "1").on(call).build().unwrap();
    let mut peer = Peer::modern(&server);
    let first = peer.result("tools/call", json!({ "name": "any" })).await;
    assert_eq!(first["resultType"], "input_required");
    let state = &first["requestState"];
    let again = json!({ "name": "any", "requestState": state });
    let second = peer.result("tools/call", again).await;
    assert_eq!(second["content"][0]["text"], "came back: step 2 of a state");

    // An input request of the context stores its answer only in a state of the server.
    let params = json!({
        "name": "asks",
        "requestState": state,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
        },
    });
    let (code, message) = peer.error("tools/call", params).await;
    assert_eq!(code, -32602);
    assert!(message.starts_with("`requestState`: "), "{message}");
}

#[tokio::test]
async fn tool_rejects_request_state_of_another_server() {
    let server = Server::builder("test", "1")
        .tool("a", "", async || "")
        .build()
        .unwrap();
    let params = json!({ "name": "a", "requestState": "of another server" });
    let (code, _) = Peer::modern(&server).error("tools/call", params).await;
    assert_eq!(code, -32602);
}

/// The error that a client of an upstream server returns.
#[derive(Debug, thiserror::Error)]
#[error("the upstream server refused the request")]
struct UpstreamError(#[source] ErrorObject);

#[tokio::test]
async fn error_object_of_an_upstream_server_is_forwarded() {
    let upstream = || {
        let data = Object::from([("field", Json5::from("a"))]);
        UpstreamError(ErrorObject::new(-32602, "wrong params").data(data))
    };
    let server = Server::builder("test", "1")
        .on(move |_: Params<CallToolRequest>| async move { Err(upstream()) })
        .prompt("relay", "Relays", move || async move {
            Err::<String, _>(upstream())
        })
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for (method, params) in [
        ("tools/call", json!({ "name": "any" })),
        ("prompts/get", json!({ "name": "relay" })),
    ] {
        let answer = peer.request(method, params).await;
        let expected =
            json!({ "code": -32602, "message": "wrong params", "data": { "field": "a" } });
        assert_eq!(answer["error"], expected);
    }

    // For a tool it is an ordinary error, which the model reads.
    let tool = move || async move { Err::<String, _>(upstream()) };
    let server = Server::builder("test", "1")
        .tool("relay", "Relays", tool)
        .build()
        .unwrap();
    let failed = Peer::modern(&server)
        .result("tools/call", json!({ "name": "relay" }))
        .await;
    assert_eq!(failed["isError"], true);
    assert_eq!(
        failed["content"][0]["text"],
        "the upstream server refused the request"
    );
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
enum NoteError {
    #[error("no note has the id {0}")]
    NotFound(u8),
    #[error("the disk is full")]
    Full,
}

/// An error that does not implement `std::error::Error`.
struct Refused;

impl From<Refused> for HandlerError {
    fn from(_: Refused) -> Self {
        Self::invalid_params("refused")
    }
}

#[tokio::test]
async fn map_error_applies_to_all_handlers() {
    fn convert(error: NoteError) -> HandlerError {
        match error {
            NoteError::NotFound(id) => {
                let text = format!("no note has the id {id}");
                HandlerError::protocol(-32001, text)
            }
            NoteError::Full => HandlerError::tool("try again later"),
        }
    }

    async fn tool(State(id): State<u8>) -> Result<String, NoteError> {
        Err(if id == 0 {
            NoteError::Full
        } else {
            NoteError::NotFound(id)
        })
    }

    async fn by_question_mark(State(id): State<u8>) -> Result<String, HandlerError> {
        let text = tool(State(id)).await?;
        Ok(text)
    }

    let server = |id: u8| {
        let server = Server::builder("test", "1")
            .state(id)
            .map_error(convert)
            .tool("direct", "", tool)
            .tool("question", "", by_question_mark)
            .tool("ordinary", "", async || {
                Err::<(), _>(std::io::Error::other("broken"))
            })
            .tool("other", "", async || Err::<(), _>(Refused))
            .prompt("direct", "", tool);
        server.build().unwrap()
    };
    let mut peer = Peer::modern(&server(3));
    let not_found = (-32001, "no note has the id 3".to_owned());
    for (method, name) in [
        ("tools/call", "direct"),
        ("tools/call", "question"),
        ("prompts/get", "direct"),
    ] {
        assert_eq!(peer.error(method, json!({ "name": name })).await, not_found);
    }
    let refused = peer.error("tools/call", json!({ "name": "other" })).await;
    assert_eq!(refused, (-32602, "refused".to_owned()));
    let ordinary = peer
        .result("tools/call", json!({ "name": "ordinary" }))
        .await;
    assert_eq!(ordinary["content"][0]["text"], "broken");

    let mut peer = Peer::modern(&server(0));
    let full = peer.result("tools/call", json!({ "name": "direct" })).await;
    assert_eq!(
        (&full["isError"], &full["content"][0]["text"]),
        (&json!(true), &json!("try again later"))
    );
    let full = peer.error("prompts/get", json!({ "name": "direct" })).await;
    assert_eq!(full, (-32603, "try again later".to_owned()));

    let twice = Server::builder("test", "1")
        .map_error(convert)
        .map_error(convert)
        .build();
    let text = twice.unwrap_err().to_string();
    assert!(
        text.starts_with("two error conversions of the type"),
        "{text}"
    );
}
