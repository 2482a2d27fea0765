//! The forms of handlers, their extractors and states, and groups of definitions.

use mcp_server::types::PromptArgument;
use mcp_server::{
    BuildError, Completing, Context, Extension, FromContext, Group, HandlerError, Json,
    Peer as Caller, Principal, PromptDef, Requirements, ResourceUri, Server, State, ToolDef,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Rows {
    rows: Vec<String>,
}

#[derive(Clone)]
struct Db(&'static str);

#[derive(Debug, thiserror::Error)]
#[error("the table `{0}` is locked")]
struct DbError(String);

async fn add(args: Add) -> f64 {
    args.a + args.b
}

async fn now() -> String {
    "noon".to_owned()
}

async fn find(args: Add, State(db): State<Db>) -> Result<Json<Rows>, DbError> {
    if args.a < 0.0 {
        return Err(DbError(db.0.to_owned()));
    }
    let rows = vec![db.0.to_owned()];
    Ok(Json(Rows { rows }))
}

async fn long(args: Add, cx: Context) -> Result<String, HandlerError> {
    cx.progress(args.a, args.b, "half").await?;
    Ok(cx.method().to_owned())
}

/// An extractor that the program defines.
struct Table(String);

impl FromContext for Table {
    fn requirements(requirements: &mut Requirements) {
        requirements.state::<Db>();
    }

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        tokio::task::yield_now().await;
        let State(Db(name)) = State::from_context(cx).await?;
        if name == "none" {
            return Err(HandlerError::invalid_params("there is no table"));
        }
        Ok(Self(format!("table {name}")))
    }
}

async fn every_kind(
    cx: Context,
    State(db): State<Db>,
    Table(table): Table,
    principal: Option<Principal>,
    extension: Option<Extension<u8>>,
    caller: Caller,
) -> String {
    let principal = principal.map(|principal| principal.0);
    let extension = extension.map(|Extension(value)| value);
    let (method, revision) = (cx.method(), caller.revision());
    format!(
        "{method} {} {table} {principal:?} {extension:?} {revision}",
        db.0
    )
}

async fn text(peer: &mut Peer, tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    let result = peer.result("tools/call", params).await;
    let text = &result["content"][0]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

#[tokio::test]
async fn functions_and_closures_of_all_forms_can_be_tools() {
    let server = Server::builder("test", "1")
        .state(Db("users"))
        .tool("add", "Adds", add)
        .tool("now", "Tells the time", now)
        .tool("find", "Finds", find)
        .tool("long", "Takes long", long)
        .tool("every", "Takes all", every_kind)
        .tool("greet", "Greets", |args: Add| async move {
            format!("Hello, {}!", args.a)
        })
        .tool("unit", "Takes nothing", |(): (), cx: Context| async move {
            cx.method().to_owned()
        })
        .tool(
            "may",
            "May fail",
            async |args: Add| -> Result<_, HandlerError> {
                Ok(i64::try_from(args.a.to_string().len())?)
            },
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let args = || json!({ "a": 1.5, "b": 2 });
    assert_eq!(text(&mut peer, "add", args()).await, "3.5");
    assert_eq!(text(&mut peer, "now", json!({})).await, "noon");
    assert_eq!(
        text(&mut peer, "find", args()).await,
        r#"{"rows":["users"]}"#
    );
    assert_eq!(text(&mut peer, "long", args()).await, "tools/call");
    assert_eq!(text(&mut peer, "greet", args()).await, "Hello, 1.5!");
    assert_eq!(text(&mut peer, "unit", json!({})).await, "tools/call");
    assert_eq!(text(&mut peer, "may", args()).await, "3");
    assert_eq!(
        text(&mut peer, "every", json!({})).await,
        "tools/call users table users None None 2026-07-28"
    );

    let params = json!({ "name": "find", "arguments": { "a": -1, "b": 0 } });
    let failed = peer.result("tools/call", params).await;
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "the table `users` is locked");

    let listed = peer.result("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let now = tools.iter().find(|tool| tool["name"] == "now").unwrap();
    assert_eq!(now["inputSchema"]["additionalProperties"], false);
    let find = tools.iter().find(|tool| tool["name"] == "find").unwrap();
    assert_eq!(find["outputSchema"]["required"][0], "rows");
}

#[tokio::test]
async fn prompts_resources_and_completions_accept_the_same_handlers() {
    #[derive(Deserialize)]
    struct Page {
        number: u8,
    }

    async fn page(page: Page, ResourceUri(uri): ResourceUri, State(db): State<Db>) -> String {
        format!("{} {uri} {}", page.number, db.0)
    }

    async fn numbers(typing: Completing, State(db): State<Db>) -> Result<Vec<String>, DbError> {
        if typing.value == "x" {
            return Err(DbError(db.0.to_owned()));
        }
        Ok(vec![format!("{}1", typing.value)])
    }

    let server = Server::builder("test", "1")
        .state(Db("users"))
        .prompt("now", "Asks the time", now)
        .prompt("sum", "Asks for a sum", |args: Add| async move {
            format!("{}?", args.a)
        })
        .resource("x:now", "now", now)
        .resource("x:uri", "uri", |ResourceUri(uri): ResourceUri| async move {
            uri
        })
        .resource("x:locked", "locked", async || {
            Err::<String, _>(DbError("t".into()))
        })
        .resource_template("page:{number}", "page", page)
        .resource_template("any:{rest}", "any", now)
        .complete_resource("page:{number}", "number", numbers)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let prompt = peer.result("prompts/get", json!({ "name": "now" })).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "noon");
    let params = json!({ "name": "sum", "arguments": { "a": "1", "b": "2" } });
    let prompt = peer.result("prompts/get", params).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "1?");
    for (uri, text) in [
        ("x:now", "noon"),
        ("x:uri", "x:uri"),
        ("page:7", "7 page:7 users"),
        ("any:thing", "noon"),
    ] {
        let read = peer.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["text"], text);
    }
    let error = peer
        .error("resources/read", json!({ "uri": "x:locked" }))
        .await;
    assert_eq!(error, (-32603, "the table `t` is locked".to_owned()));
    let completion = |value: &str| {
        json!({
            "ref": { "type": "ref/resource", "uri": "page:{number}" },
            "argument": { "name": "number", "value": value },
        })
    };
    let completed = peer.result("completion/complete", completion("4")).await;
    assert_eq!(completed["completion"]["values"], json!(["41"]));
    let error = peer.error("completion/complete", completion("x")).await;
    assert_eq!(error, (-32603, "the table `users` is locked".to_owned()));
}

#[tokio::test]
async fn error_of_an_extractor_is_the_response() {
    let server = Server::builder("test", "1")
        .state(Db("none"))
        .prompt("every", "Takes all", every_kind)
        .tool(
            "who",
            "Tells the user",
            |Principal(name): Principal| async move { name },
        )
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let error = peer.error("prompts/get", json!({ "name": "every" })).await;
    assert_eq!(error, (-32602, "there is no table".to_owned()));
    let error = peer.error("tools/call", json!({ "name": "who" })).await;
    let expected = "the request has no authenticated principal";
    assert_eq!(error, (-32600, expected.to_owned()));
}

#[test]
fn missing_states_and_features_are_reported_by_build() {
    let errors = Server::builder("test", "1")
        .tool("find", "Finds", find)
        .prompt("every", "Takes all", every_kind)
        .tool("uri", "Takes a URI", |_: ResourceUri| async {})
        .tool("now", "Tells the time", now)
        .tool("now", "Tells the time again", now)
        .page_size(0)
        .build()
        .unwrap_err();
    let texts: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 6, "{texts:#?}");
    for part in [
        "two tools with the name `now`",
        "the handler of tool `find` takes `State<suite::features::handlers::Db>`",
        "the handler of prompt `every` takes `State<suite::features::handlers::Db>`",
        "a handler or guard of tool `uri` takes `mcp_server::features::resources::request::ResourceUri`, \
         which only resources have",
        "setting `page_size`: zero",
    ] {
        assert!(
            texts.iter().any(|text| text.contains(part)),
            "{part}: {texts:#?}"
        );
    }
    let whole = errors.to_string();
    assert!(
        whole.starts_with("6 errors in the definition of the server:\n- "),
        "{whole}"
    );
}

#[test]
fn tool_added_at_runtime_requires_its_state() {
    let server = Server::builder("test", "1")
        .tool("now", "", now)
        .build()
        .unwrap();
    let error = server
        .tools()
        .add(ToolDef::new("find").handler(find))
        .unwrap_err();
    assert!(matches!(error, BuildError::MissingState { .. }), "{error}");
    assert!(!server.tools().contains("find"));
}

#[test]
fn second_state_of_the_same_type_is_an_error() {
    let builder = Server::builder("test", "1").state(Db("a")).state(Db("b"));
    let error = builder.build().unwrap_err();
    let text = "two states of the type `suite::features::handlers::Db`";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn groups_have_their_own_states_and_name_prefixes() {
    async fn name(State(db): State<Db>, State(number): State<u8>) -> String {
        format!("{} {number}", db.0)
    }

    fn group(db: &'static str) -> Group {
        Group::new()
            .prefix("db_")
            .state(Db(db))
            .tool("name", "Names the database", name)
            .add_prompt(
                PromptDef::new("name")
                    .argument(PromptArgument::new("none"))
                    .handler(name),
            )
            .complete_prompt(
                "name",
                "none",
                |_: Completing, State(db): State<Db>| async move { vec![db.0] },
            )
    }

    let server = Server::builder("test", "1")
        .state(Db("server"))
        .state(7_u8)
        .tool("name", "Names the database", name)
        .merge(group("outer").merge(group("inner")))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    assert_eq!(text(&mut peer, "name", json!({})).await, "server 7");
    assert_eq!(text(&mut peer, "db_name", json!({})).await, "outer 7");
    assert_eq!(text(&mut peer, "db_db_name", json!({})).await, "inner 7");
    let prompt = peer
        .result("prompts/get", json!({ "name": "db_db_name" }))
        .await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "inner 7");
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "db_db_name" },
        "argument": { "name": "none", "value": "" },
    });
    let completed = peer.result("completion/complete", params).await;
    assert_eq!(completed["completion"]["values"], json!(["inner"]));

    let twice = Server::builder("test", "1")
        .state(1_u8)
        .merge(group("a"))
        .merge(group("b"));
    let errors = twice.build().unwrap_err();
    assert_eq!(errors.errors().len(), 3, "{errors}");
    let lacking = Server::builder("test", "1")
        .merge(group("a"))
        .build()
        .unwrap_err();
    assert!(
        lacking
            .to_string()
            .contains("tool `db_name` takes `State<u8>`"),
        "{lacking}"
    );
}

#[tokio::test]
async fn definition_in_a_group_keeps_its_metadata() {
    let group = Group::new().add_prompt(PromptDef::new("a").title("A").handler(now));
    let server = Server::builder("test", "1").merge(group).build().unwrap();
    let listed = Peer::modern(&server)
        .result("prompts/list", json!({}))
        .await;
    assert_eq!(listed["prompts"][0]["title"], "A");
}
