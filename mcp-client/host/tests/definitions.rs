//! Definitions of tools, and the way from a name to its server.

use mcp_client::types::{Tool, ToolInputSchema};
use mcp_host::{ModelFormat, ModelTools, ModelToolsError};
use mcp_server::Server;
use serde_json::json;

use super::{FORMATS, connect, plain, response};
use crate::soon;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    text: String,
}

/// Returns a server whose tools say where they ran.
fn server(name: &'static str) -> Server {
    let search = move |query: Query| async move { format!("{name} has {}", query.text) };
    let server = Server::builder(name, "1.0.0").tool("search", "Searches", search);
    let server = server.tool("files.read", "Reads", move || async move { name });
    server.build().expect("the definition is valid")
}

#[tokio::test]
async fn definitions_have_the_form_of_each_interface() {
    let client = connect(&server("any")).await;
    let tool = Tool::new("t", ToolInputSchema::new()).description("d".repeat(2000));
    let (long, short) = ("d".repeat(2000), format!("{}\u{2026}", "d".repeat(1023)));
    let schema = json!({"type": "object", "properties": {}});
    for format in FORMATS {
        let mut tools = ModelTools::new(format);
        tools.add_tools("s", &client, [&tool]);
        let short = json!({"name": "s__t", "description": short, "parameters": schema});
        let expected = match format {
            ModelFormat::Anthropic => {
                json!([{"name": "s__t", "description": long, "input_schema": schema}])
            }
            ModelFormat::OpenAiChat => json!([{"type": "function", "function": short}]),
            _ => {
                let mut short = short;
                short["type"] = json!("function");
                json!([short])
            }
        };
        assert_eq!(
            serde_json::to_value(tools.definitions()).expect("JSON"),
            expected
        );
    }
}

/// Anthropic rejects all tools because of the name of one property.
#[tokio::test]
async fn property_whose_name_is_rejected_takes_no_other_tool_with_it() {
    let client = connect(&server("any")).await;
    let tool = |name: &str, schema: serde_json::Value| -> Tool {
        serde_json::from_value(json!({"name": name, "inputSchema": schema})).expect("a tool")
    };
    let properties = json!({"$filter": {"type": "string"}, "top": {"type": "integer"}});
    let optional = json!({"type": "object", "properties": properties});
    let required = json!({"type": "object", "properties": properties, "required": ["$filter"]});
    let listed = [tool("optional", optional), tool("required", required)];
    let mut tools = ModelTools::new(ModelFormat::Anthropic);
    tools.add_tools("s", &client, &listed);
    let offered = plain(tools.definitions().into_iter().cloned().collect());
    assert_eq!(offered.len(), 1);
    assert_eq!(
        offered[0]["input_schema"]["properties"],
        json!({"top": {"type": "integer"}})
    );
    assert_eq!(tools.tool("s__required"), None);
    let mut tools = ModelTools::new(ModelFormat::OpenAiChat);
    tools.add_tools("s", &client, &listed);
    assert_eq!(tools.definitions().len(), 2);
}

#[tokio::test]
async fn calls_reach_the_server_that_offers_the_tool() {
    let (left, right) = (
        connect(&server("left")).await,
        connect(&server("right")).await,
    );
    for format in FORMATS {
        let mut tools = ModelTools::new(format);
        for (name, client) in [("left", &left), ("right", &right)] {
            soon(tools.add(name, client)).await.expect("a list");
        }
        assert_eq!(tools.definitions().len(), 4);
        assert_eq!(tools.tool("right__search"), Some(("right", "search")));
        assert_eq!(tools.tool("search"), None);
        let definitions = serde_json::to_string(&tools.definitions()).expect("JSON");
        let read = definitions
            .split('"')
            .find(|name| name.starts_with("left__files_read_"));
        let read = read.expect("the name is rewritten");
        assert_eq!(tools.tool(read), Some(("left", "files.read")));

        let tea = json!({"text": "tea"});
        let asked = [
            ("1", "right__search", tea.clone()),
            ("2", "left__search", tea),
            ("3", read, json!({})),
        ];
        let calls = tools.calls(&response(format, &asked)).expect("calls");
        let ids: Vec<_> = calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["1", "2", "3"]);
        let texts = ["right has tea", "left has tea", "left"];
        let texts = ["1", "2", "3"].iter().zip(texts);
        let expected: Vec<_> = match format {
            ModelFormat::Anthropic => {
                let block = |(id, text)| {
                    let content = [json!({"type": "text", "text": text})];
                    json!({"type": "tool_result", "tool_use_id": id, "content": content})
                };
                let blocks: Vec<_> = texts.map(block).collect();
                vec![json!({"role": "user", "content": blocks})]
            }
            ModelFormat::OpenAiChat => texts
                .map(|(id, text)| json!({"role": "tool", "tool_call_id": id, "content": text}))
                .collect(),
            _ => texts
                .map(|(id, text)| json!({"type": "function_call_output", "call_id": id, "output": text}))
                .collect(),
        };
        assert_eq!(plain(soon(tools.answer(&calls)).await), expected);
    }
}

#[tokio::test]
async fn list_of_a_server_is_replaced_and_removed() {
    let client = connect(&server("any")).await;
    let tool = |name: &str| Tool::new(name, ToolInputSchema::new());
    let mut tools = ModelTools::new(ModelFormat::Anthropic);
    tools.add_tools("a", &client, &[tool("old"), tool("both"), tool("both")]);
    tools.add_tools("b", &client, &[tool("other")]);
    tools.add_tools("a", &client, &[tool("both"), tool("new")]);
    let definitions = tools.definitions().into_iter();
    let names: Vec<_> = definitions
        .map(|it| it.get("name").expect("a name").clone())
        .collect();
    assert_eq!(names, ["a__both", "a__new", "b__other"]);
    assert_eq!(tools.tool("a__old"), None);
    tools.remove("a");
    assert_eq!(tools.tool("a__both"), None);
    assert_eq!(tools.definitions().len(), 1);
}

#[tokio::test]
async fn servers_whose_names_are_rewritten_stay_apart() {
    let client = connect(&server("any")).await;
    let tool = Tool::new("t", ToolInputSchema::new());
    let mut tools = ModelTools::new(ModelFormat::Anthropic);
    // The second is the part that the first one gets.
    for name in ["my server", "my-server-adaf036e", "my/server"] {
        tools.add_tools(name, &client, [&tool]);
    }
    let names: Vec<_> = tools
        .definitions()
        .into_iter()
        .filter_map(|it| it.get("name")?.as_str())
        .collect();
    assert_eq!(names.len(), 3);
    let servers: Vec<_> = names
        .iter()
        .map(|name| tools.tool(name).map(|(server, _)| server))
        .collect();
    assert_eq!(
        servers,
        [
            Some("my server"),
            Some("my-server-adaf036e"),
            Some("my/server")
        ]
    );
}

#[tokio::test]
async fn other_responses_are_errors_and_other_calls_are_skipped() {
    for (format, wrong, other) in [
        (
            ModelFormat::Anthropic,
            json!({"content": [{"type": "tool_use", "name": "a"}]}),
            json!({"content": [{"type": "server_tool_use", "id": "1", "name": "web_search"}]}),
        ),
        (
            ModelFormat::OpenAiChat,
            json!({"role": "assistant", "tool_calls": [{"type": "function", "id": "1"}]}),
            json!({"role": "assistant", "tool_calls": [{"type": "custom", "id": "1"}]}),
        ),
        (
            ModelFormat::OpenAiResponses,
            json!({"output": [{"type": "function_call", "name": "a"}]}),
            json!({"output": [{"type": "web_search_call", "id": "1"}]}),
        ),
    ] {
        let tools = ModelTools::new(format);
        let failed = json!({"error": {"type": "overloaded", "message": "busy"}});
        for wrong in [failed, wrong] {
            let error = tools.calls(&wrong).expect_err("no response");
            assert!(matches!(error, ModelToolsError::Response { .. }), "{error}");
        }
        assert_eq!(tools.calls(&other).expect("a response"), []);
        assert!(tools.messages(&[]).is_empty());
    }
}
