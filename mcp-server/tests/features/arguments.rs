//! The arguments of tools: how they are listed, and what a call may pass.

use mcp_server::types::json::{Object, Value as Json5};
use mcp_server::{Group, HandlerError, Server, ToolDef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::peer::Peer;

fn schema(value: Value) -> Json5 {
    value.into()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn integers_may_be_written_with_a_fraction_of_zero() {
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(untagged)]
    enum Place {
        Row(u32),
        Cell { row: i8, column: u64 },
        Name(String),
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct All {
        count: u8,
        large: i128,
        list: Vec<i16>,
        map: std::collections::BTreeMap<String, u64>,
        pair: (i32, f64),
        places: Vec<Place>,
        may: Option<usize>,
        ratio: f32,
        #[serde(flatten)]
        rest: Rest,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Rest {
        last: std::num::NonZeroU16,
    }

    let server = Server::builder("test", "1")
        .tool("typed", "Typed", |all: All| async move {
            Ok::<_, HandlerError>(serde_json::to_string(&all)?)
        })
        .add_tool(
            ToolDef::new("object")
                .input_schema(schema(json!({
                    "type": "object", "properties": { "n": { "type": "integer" } },
                })))
                .object_handler(|args: Object| async move {
                    format!("{:?}", args.get("n").and_then(Json5::as_i64))
                }),
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let arguments = |zero: &str| -> Value {
        let text = r#"{"count":30~,"large":-1e2,"list":[1~,-2~],"map":{"a":3~},"pair":[4~,4~],
            "places":[5~,{"row":-6~,"column":7~},"x"],"may":8~,"ratio":0.5,"last":9~}"#;
        serde_json::from_str(&text.replace('~', zero)).unwrap()
    };
    let expected = peer.call("typed", arguments("")).await;
    assert!(text(&expected).starts_with(r#"{"count":30,"large":-100,"#));
    for zero in [".0", "e0"] {
        let result = peer.call("typed", arguments(zero)).await;
        assert_eq!(text(&result), text(&expected), "{zero}");
    }
    let wrong = peer.call("typed", json!({ "count": 30.5 })).await;
    assert_eq!(wrong["isError"], true, "{wrong}");
    for (number, integer) in [
        ("30.0", "Some(30)"),
        ("-0.0", "Some(0)"),
        ("3e1", "Some(30)"),
    ] {
        let arguments = serde_json::from_str(&format!(r#"{{"n":{number}}}"#)).unwrap();
        assert_eq!(text(&peer.call("object", arguments).await), integer);
    }
}

#[tokio::test]
async fn every_schema_of_arguments_has_properties() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    let server = Server::builder("test", "1")
        .tool("unit", "No parameter", async || "")
        .tool("empty", "No fields", |_: Nothing| async { "" })
        .add_tool(
            ToolDef::new("raw")
                .input_schema(schema(json!({ "type": "object" })))
                .object_handler(|_: Object| async { "" }),
        )
        .build()
        .unwrap();
    let listed = Peer::modern(&server).result("tools/list", json!({})).await;
    for tool in listed["tools"].as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["properties"], json!({}), "{tool}");
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "action", rename_all = "lowercase")]
enum Note {
    /// Adds a note.
    Add {
        text: String,
        tags: Option<Vec<String>>,
        id: Option<u64>,
    },
    /// Deletes a note.
    Delete {
        id: u64,
    },
    Move(Move),
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Move {
    id: u64,
    text: u8,
}

#[tokio::test]
async fn arguments_of_an_enum_are_listed_as_one_object() {
    #[derive(Deserialize, JsonSchema)]
    enum Bare {
        One,
        Two(u8),
    }

    let tool = ToolDef::new("notes")
        .one_object()
        .handler(|note: Note| async move { Ok::<_, HandlerError>(serde_json::to_string(&note)?) });
    let server = Server::builder("test", "1").add_tool(tool).build().unwrap();
    let mut peer = Peer::modern(&server);
    let listed = peer.result("tools/list", json!({})).await;
    let schema = &listed["tools"][0]["inputSchema"];
    assert!(
        schema["oneOf"].is_null() && schema["$ref"].is_null(),
        "{schema}"
    );
    assert_eq!(schema["required"], json!(["action"]));
    assert_eq!(
        schema["properties"]["action"],
        json!({
            "type": "string", "description": "add: Adds a note.\ndelete: Deletes a note.",
            "enum": ["add", "delete", "move"],
        })
    );
    let texts = schema["properties"]["text"]["anyOf"].as_array().unwrap();
    assert_eq!(texts.len(), 2, "{schema}");
    for (arguments, part) in [
        (
            json!({ "action": "delete", "id": 1.0 }),
            r#""delete","id":1}"#,
        ),
        (
            json!({ "action": "move", "id": 1, "text": 2 }),
            r#""move","id":1,"text":2}"#,
        ),
        (
            json!({ "action": "add", "text": "t" }),
            r#""add","text":"t""#,
        ),
        (json!({ "action": "delete" }), "`id`"),
        (json!({ "action": "burn" }), "action"),
    ] {
        let result = peer.call("notes", arguments).await;
        assert!(text(&result).contains(part), "{result}");
    }

    let tool = ToolDef::new("bare")
        .one_object()
        .handler(|bare: Bare| async move {
            match bare {
                Bare::One => 1,
                Bare::Two(number) => number,
            }
        });
    let errors = Server::builder("test", "1")
        .add_tool(tool)
        .build()
        .unwrap_err();
    assert!(errors.to_string().contains("serde(tag"), "{errors}");
}

#[tokio::test]
async fn extra_arguments_of_a_tool_without_arguments_follow_its_schema() {
    let server = Server::builder("test", "1")
        .tool("strict", "Rejects", async || "ran")
        .add_tool(
            ToolDef::new("lenient")
                .ignore_extra_arguments(true)
                .handler(async || "ran"),
        )
        .add_tool(
            ToolDef::new("open")
                .input_schema(schema(json!({ "type": "object" })))
                .handler(async || "ran"),
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let listed = peer.result("tools/list", json!({})).await;
    for (at, name, ignored) in [
        (0, "strict", false),
        (1, "lenient", true),
        (2, "open", true),
    ] {
        let tool = &listed["tools"][at];
        let closed = tool["inputSchema"]["additionalProperties"] == json!(false);
        assert_eq!(closed, !ignored, "{tool}");
        let result = peer.call(name, json!({ "dummy": "x" })).await;
        assert_eq!(text(&result) == "ran", ignored, "{result}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct City {
    city: String,
}

#[tokio::test]
async fn setting_of_the_server_for_extra_arguments_applies_to_all_tools_without_their_own() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        city: String,
    }

    async fn any(_: std::collections::HashMap<String, Value>) -> &'static str {
        "ran"
    }

    for ignore in [true, false] {
        let own = |name: &str| ToolDef::new(name).ignore_extra_arguments(!ignore);
        let group = Group::new().tool("grouped", "", async |args: City| args.city);
        let server = Server::builder("test", "1")
            .tool("before", "", async || "ran")
            .ignore_extra_arguments(ignore)
            .tool("after", "", async || "ran")
            .tool("any", "", any)
            .tool("city", "", async |args: City| args.city)
            .tool("strict", "", async |args: Strict| args.city)
            .add_tool(own("own").handler(async || "ran"))
            .add_tool(own("own_city").handler(async |args: City| args.city))
            .merge(group)
            .build()
            .unwrap();
        let late = ToolDef::new("late").handler(async |args: City| args.city);
        server.tools().add(late).unwrap();
        let mut peer = Peer::modern(&server);
        let listed = peer.result("tools/list", json!({})).await;
        for tool in listed["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let ignores = match name {
                "any" => true,
                "strict" => false,
                // Tools with arguments ignore them unless one of the settings says otherwise.
                "own" | "own_city" => !ignore,
                _ => ignore,
            };
            let is_closed = tool["inputSchema"]["additionalProperties"] == json!(false);
            assert_eq!(is_closed, !ignores, "{tool}");
            let takes_city = tool["inputSchema"]["properties"]["city"].is_object();
            let arguments = if takes_city {
                json!({ "city": "ran", "dummy": "x" })
            } else {
                json!({ "dummy": "x" })
            };
            let result = peer.call(name, arguments).await;
            assert_eq!(text(&result) == "ran", ignores, "{name}: {result}");
        }
    }
}

#[tokio::test]
async fn properties_have_the_order_of_the_fields() {
    #[derive(Deserialize, JsonSchema)]
    struct Fields {
        zone: String,
        #[serde(rename = "yEar")]
        year: Option<u16>,
        amount: f64,
    }

    let run = |fields: Fields| async move {
        format!("{} {:?} {}", fields.zone, fields.year, fields.amount)
    };
    let server = Server::builder("test", "1")
        .tool("run", "Runs", run)
        .prompt("run", "Runs", run)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    peer.start("tools/list", json!({})).await;
    let listed = peer.receive_text().await;
    let at = ["\"zone\"", "\"yEar\"", "\"amount\""].map(|name| listed.find(name).unwrap());
    assert!(at.is_sorted(), "{listed}");
    let listed = peer.result("prompts/list", json!({})).await;
    let arguments = listed["prompts"][0]["arguments"].as_array().unwrap();
    let names: Vec<_> = arguments.iter().map(|argument| &argument["name"]).collect();
    assert_eq!(names, ["zone", "yEar", "amount"]);
}
