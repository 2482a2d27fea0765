//! `prompts/list` and `prompts/get`.

use mcp_server::types::json::Map;
use mcp_server::types::{
    AudioContent, Base64Text, ContentBlock, GetPromptResult, Icon, PromptArgument, PromptMessage,
    ResourceLink, Role, TextContent,
};
use mcp_server::{PromptDef, Server};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The text to review.
    code: String,
    remarks: Option<u32>,
}

fn server() -> Server {
    Server::builder("test", "1")
        .prompt("review", "Reviews", |args: Review| async move {
            format!("{} {:?}", args.code, args.remarks)
        })
        .add_prompt(
            PromptDef::new("listed")
                .title("Listed")
                .icon(Icon::new("https://example.com/i.png"))
                .argument(PromptArgument::new("about").required(true))
                .map_handler(|args: Map<String>| async move {
                    let about = args.get("about").cloned().unwrap_or_default();
                    vec![(Role::User, about), (Role::Assistant, "ok".to_owned())]
                }),
        )
        .prompt("media", "Media", || async {
            let audio = AudioContent::new(Base64Text::encode(b"a"), "audio/wav");
            vec![
                (Role::User, ContentBlock::from(audio)),
                (Role::User, ResourceLink::new("x:1", "one").into()),
            ]
        })
        .prompt("whole", "Replaced", || async {
            let message = PromptMessage::new(Role::User, TextContent::new("hi"));
            GetPromptResult::new([message]).description("Its own")
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    let server = server();
    let old = Peer::legacy(&server, "2024-11-05").await;
    for mut peer in [Peer::modern(&server), old] {
        let list = peer.result("prompts/list", json!({})).await;
        let review = &list["prompts"][0];
        assert_eq!(review["description"], "Reviews");
        let arguments = json!([
            { "name": "code", "description": "The text to review.", "required": true },
            { "name": "remarks", "required": false },
        ]);
        assert_eq!(review["arguments"], arguments);
        let listed = &list["prompts"][1];
        assert_eq!(
            listed["arguments"],
            json!([{ "name": "about", "required": true }])
        );
        assert!(list["prompts"][2]["arguments"].is_null());
    }
    let list = Peer::modern(&server)
        .result("prompts/list", json!({}))
        .await;
    assert_eq!(list["prompts"][1]["title"], "Listed");
    assert_eq!(
        list["prompts"][1]["icons"][0]["src"],
        "https://example.com/i.png"
    );
}

#[tokio::test]
async fn prompts_are_rendered() {
    let server = server();
    let old = Peer::legacy(&server, "2024-11-05").await;
    for mut peer in [Peer::modern(&server), old] {
        let arguments = json!({ "code": "x", "remarks": "3" });
        let params = json!({ "name": "review", "arguments": arguments });
        let result = peer.result("prompts/get", params).await;
        assert_eq!(result["description"], "Reviews");
        let content = json!({ "type": "text", "text": "x Some(3)" });
        assert_eq!(
            result["messages"],
            json!([{ "role": "user", "content": content }])
        );
        let params = json!({ "name": "listed", "arguments": { "about": "rain" } });
        let result = peer.result("prompts/get", params).await;
        assert_eq!(result["messages"][0]["content"]["text"], "rain");
        assert_eq!(result["messages"][1]["role"], "assistant");
        let result = peer.result("prompts/get", json!({ "name": "whole" })).await;
        assert_eq!(result["description"], "Its own");
    }
}

#[tokio::test]
async fn invalid_arguments_are_named_in_the_error() {
    let server = server();
    let old = Peer::legacy(&server, "2025-06-18").await;
    for mut peer in [Peer::modern(&server), old] {
        for (params, part) in [
            (json!({ "name": "other" }), "unknown prompt `other`"),
            (json!({ "name": "review" }), "`code` is missing"),
            (
                json!({ "name": "listed", "arguments": {} }),
                "`about` is missing",
            ),
            (
                json!({ "name": "review", "arguments": { "code": "", "remarks": "x" } }),
                "$.remarks",
            ),
            (
                json!({ "name": "whole", "arguments": { "extra": "x" } }),
                "no `extra`",
            ),
            (
                json!({ "name": "review", "arguments": { "code": 1 } }),
                "$.arguments.code",
            ),
        ] {
            let (code, message) = peer.error("prompts/get", params).await;
            assert!(code == -32602 && message.contains(part), "{message}");
        }
    }
}

#[tokio::test]
async fn content_unknown_to_a_revision_becomes_text() {
    let server = server();
    for (revision, expected) in [
        ("2024-11-05", ["text", "text"]),
        ("2025-03-26", ["audio", "text"]),
        ("2025-06-18", ["audio", "resource_link"]),
    ] {
        let mut peer = Peer::legacy(&server, revision).await;
        let result = peer.result("prompts/get", json!({ "name": "media" })).await;
        for (message, kind) in result["messages"].as_array().unwrap().iter().zip(expected) {
            assert_eq!(message["content"]["type"], kind, "{revision}");
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Report {
    #[schemars(range(min = 1, max = 12))]
    month: u8,
    #[schemars(length(max = 5))]
    title: Option<String>,
    kind: Option<Kind>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Everything.
    Long,
    Short,
}

#[tokio::test]
async fn constraints_of_arguments_are_checked() {
    let server = Server::builder("test", "1")
        .prompt("report", "Reports", |args: Report| async move {
            format!("{} {:?} {}", args.month, args.title, args.kind.is_some())
        })
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for (arguments, expected) in [
        (json!({ "month": "12" }), None),
        // A text that looks like a number.
        (
            json!({ "month": "1", "title": "12345", "kind": "short" }),
            None,
        ),
        (
            json!({ "month": "13" }),
            Some("$.month: expected at most 12"),
        ),
        (
            json!({ "month": "0", "title": "123456" }),
            Some("$.month: expected at least 1; $.title: expected at most 5 characters"),
        ),
        (json!({ "month": "x" }), Some("month")),
        (json!({ "month": "1", "kind": "other" }), Some("kind")),
    ] {
        let params = json!({ "name": "report", "arguments": arguments });
        let answer = peer.request("prompts/get", params).await;
        let error = &answer["error"];
        match expected {
            None => assert_eq!(error, &serde_json::Value::Null, "{answer}"),
            Some(expected) => {
                assert_eq!(error["code"], -32602, "{answer}");
                let message = error["message"].as_str().unwrap();
                assert!(message.contains(expected), "{message}");
            }
        }
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Other(u8),
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: i32,
}

/// All kinds of arguments that are not strings.
#[derive(Deserialize, JsonSchema)]
struct Kinds {
    /// The tags.
    tags: Option<Vec<String>>,
    point: Option<Point>,
    pair: Option<(u8, String)>,
    number: Option<u32>,
    ratio: Option<f64>,
    sure: Option<bool>,
    tone: Option<Tone>,
    #[serde(default)]
    count: u8,
    title: Option<String>,
}

async fn kinds(all: Kinds) -> Result<String, serde_json::Error> {
    let tone = serde_json::to_string(&all.tone)?;
    let point = all.point.map(|point| point.x);
    let one = (all.tags, point, all.pair, all.number, all.ratio);
    let rest = (all.sure, all.count, all.title);
    Ok(format!("{one:?} {tone} {rest:?}"))
}

#[tokio::test]
async fn lists_and_structs_are_json_in_the_text() {
    let server = Server::builder("test", "1").prompt("kinds", "Kinds", kinds);
    let mut peer = Peer::modern(&server.build().unwrap());
    let list = peer.result("prompts/list", json!({})).await;
    let described = |name: &str| {
        let listed = list["prompts"][0]["arguments"].as_array().unwrap();
        let argument = listed.iter().find(|it| it["name"] == name).unwrap();
        argument["description"].clone()
    };
    assert_eq!(described("tags"), "The tags. (a JSON array)");
    assert_eq!(described("point"), "A JSON object");
    assert_eq!(described("pair"), "A JSON array");
    assert!(described("number").is_null() && described("title").is_null());

    for (arguments, expected) in [
        (
            json!({
                "tags": r#"["a", "b"]"#, "point": r#"{"x": -1.0}"#, "pair": r#"[1, "p"]"#,
                "number": "3", "tone": r#"{"other": 7}"#, "title": "[1",
            }),
            r#"(Some(["a", "b"]), Some(-1), Some((1, "p")), Some(3), None) {"other":7} (None, 0, Some("[1"))"#,
        ),
        (
            json!({
                "tags": "", "point": "", "pair": "", "number": "", "ratio": "", "sure": "",
                "tone": "", "count": "", "title": "",
            }),
            r#"(None, None, None, None, None) null (None, 0, Some(""))"#,
        ),
    ] {
        let params = json!({ "name": "kinds", "arguments": arguments });
        let result = peer.result("prompts/get", params).await;
        assert_eq!(result["messages"][0]["content"]["text"], expected);
    }
    for (name, value, part) in [
        ("tags", "a, b", "$.tags"),
        ("tags", "[1]", "$.tags[0]"),
        ("point", r#"{"x": "1"}"#, "$.point.x"),
        ("pair", "[1]", "$.pair"),
    ] {
        let params = json!({ "name": "kinds", "arguments": { name: value } });
        let (code, message) = peer.error("prompts/get", params).await;
        assert!(code == -32602 && message.contains(part), "{message}");
    }
}

/// Where to look. The variant follows from a tag.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Place {
    City { name: String },
    Point { x: i32 },
}

/// The variant follows from the value.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
enum Amount {
    Number(u32),
    Range { from: u32, to: u32 },
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    place: Option<Place>,
    amount: Option<Amount>,
    words: Option<Words>,
}

#[tokio::test]
async fn tagged_and_untagged_enums_are_json_in_the_text() {
    let server = Server::builder("test", "1").prompt("search", "", |all: Search| async move {
        json!([all.place, all.amount, all.words]).to_string()
    });
    let mut peer = Peer::modern(&server.build().unwrap());
    let list = peer.result("prompts/list", json!({})).await;
    let arguments = &list["prompts"][0]["arguments"];
    let description = arguments[0]["description"].as_str().unwrap();
    assert!(description.ends_with("A JSON object") || description.ends_with("(a JSON object)"));
    for (arguments, expected) in [
        (
            json!({ "place": r#"{"kind": "point", "x": 1.0}"#, "amount": "5", "words": "5" }),
            r#"[{"kind":"point","x":1},5,"5"]"#,
        ),
        (
            json!({
                "place": r#"{"name": "Oslo", "kind": "city"}"#, "amount": r#"{"from": 1, "to": 2}"#,
                "words": "[a",
            }),
            r#"[{"kind":"city","name":"Oslo"},{"from":1,"to":2},"[a"]"#,
        ),
        (
            json!({ "place": "", "amount": "", "words": "" }),
            r#"[null,null,""]"#,
        ),
    ] {
        let params = json!({ "name": "search", "arguments": arguments });
        let result = peer.result("prompts/get", params).await;
        assert_eq!(result["messages"][0]["content"]["text"], expected);
    }
    for (name, value, part) in [
        ("place", "Oslo", "$.place"),
        ("place", r#"{"kind": "point", "x": "1"}"#, "$.place"),
        ("amount", "many", "$.amount"),
        ("amount", "-1", "$.amount"),
    ] {
        let params = json!({ "name": "search", "arguments": { name: value } });
        let (code, message) = peer.error("prompts/get", params).await;
        assert!(code == -32602 && message.contains(part), "{message}");
    }
}
