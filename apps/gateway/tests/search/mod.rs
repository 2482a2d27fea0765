//! Search in place of long lists, with our client.

mod passing;

use mcp_client::{ByteStream, Client};
use mcp_gateway::search::Search;
use mcp_server::middleware::{self, Next, Outcome, Request};
use mcp_server::types::{CallToolResult, Revision, ToolsCapability};
use mcp_server::{
    AnyRequest, AnyResult, Context, HandlerError, Principal, Server, ServerBuilder, ToolDef,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// The city.
    city: String,
}

async fn weather(place: Place, cx: Context) -> Result<String, HandlerError> {
    cx.progress(1.0, 2.0, "half of it").await?;
    Ok(format!("rain in {}", place.city))
}

async fn admins(principal: Principal) -> Result<(), HandlerError> {
    match &*principal.0 {
        "admin" => Ok(()),
        _ => Err(HandlerError::forbidden("only administrators may do this")),
    }
}

/// Returns a server with 100 tools: the weather, one for administrators, and others.
fn server(search: Search) -> ServerBuilder {
    let secret = ToolDef::new("rotate_weather_keys").description("Rotates the keys");
    let secret = secret.visible_if(|cx| cx.extension() == Some(&Principal("admin".to_owned())));
    let mut server = Server::builder("test", "1.0.0").layer(search).page_size(7);
    for number in 0..98 {
        let description = format!("Does the thing of number {number}");
        server = server.tool(format!("thing_{number}"), description, async || "done");
    }
    server
        .tool("getWeather", "Tells how it is outside", weather)
        .add_tool(secret.guard(admins).handler(async || "rotated"))
}

async fn connect(server: ServerBuilder, user: &str) -> Client {
    let server = server.build().unwrap();
    let stream = ByteStream::of(server.in_memory_as(Principal(user.to_owned())));
    Client::builder("test", "1.0.0")
        .connect(stream)
        .await
        .unwrap()
}

async fn names(client: &Client) -> Vec<String> {
    let tools = client.tools().all().await.unwrap();
    tools.items.into_iter().map(|tool| tool.name).collect()
}

async fn search(client: &Client, query: &str) -> Vec<String> {
    let result = client
        .call_tool("search_tools")
        .arguments(json!({ "query": query }))
        .await
        .unwrap();
    let content: Value = result.structured().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&result.text()).unwrap(),
        content
    );
    let tools = content["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

async fn call(client: &Client, arguments: Value) -> CallToolResult {
    client
        .call_tool("call_tool")
        .arguments(&arguments)
        .await
        .unwrap()
}

#[tokio::test]
async fn tools_are_found_and_called() {
    let client = connect(server(Search::new().pin(["thing_3", "nothing"])), "ada").await;
    assert_eq!(
        names(&client).await,
        ["thing_3", "search_tools", "call_tool"]
    );
    assert_eq!(search(&client, "weather in a city").await, ["getWeather"]);
    let result = client
        .call_tool("search_tools")
        .arguments(json!({ "query": "weather" }))
        .await
        .unwrap();
    let content: Value = result.structured().unwrap();
    let schema = &content["tools"][0]["inputSchema"];
    assert_eq!(schema["properties"]["city"]["description"], "The city.");

    let (sender, reports) = std::sync::mpsc::channel();
    let arguments = json!({ "name": "getWeather", "arguments": { "city": "Rome" } });
    let call = client.call_tool("call_tool").arguments(&arguments);
    let result = call
        .on_progress(move |report| sender.send(report.progress).unwrap())
        .await
        .unwrap();
    assert_eq!(result.text(), "rain in Rome");
    assert_eq!(reports.try_iter().count(), 1);
    // A tool that is not listed can be called by its name, too.
    let rome = json!({ "city": "Rome" });
    let result = client
        .call_tool("getWeather")
        .arguments(&rome)
        .await
        .unwrap();
    assert_eq!(result.text(), "rain in Rome");
}

#[derive(Deserialize, JsonSchema)]
struct Region {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

#[tokio::test]
async fn tools_with_arguments_in_headers_stay_listed() {
    let server = server(Search::new());
    let server = server.tool("route", "Routes", async |at: Region| at.region);
    let client = connect(server, "ada").await;
    assert_eq!(names(&client).await, ["route", "search_tools", "call_tool"]);
}

#[tokio::test]
async fn callers_find_only_the_tools_that_they_see() {
    let builder = || server(Search::new());
    let server = builder().build().unwrap();
    for (user, expected) in [
        ("ada", &["getWeather"][..]),
        ("admin", &["getWeather", "rotate_weather_keys"]),
        ("ada", &["getWeather"]),
    ] {
        let stream = ByteStream::of(server.in_memory_as(Principal(user.to_owned())));
        let client = Client::builder("test", "1.0.0")
            .connect(stream)
            .await
            .unwrap();
        let mut found = search(&client, "weather").await;
        found.sort();
        assert_eq!(found, expected, "{user}");
        let arguments = json!({ "name": "rotate_weather_keys" });
        let called = client.call_tool("call_tool").arguments(&arguments).await;
        assert_eq!(
            called.is_ok_and(|result| result.text() == "rotated"),
            user == "admin"
        );
    }
}

#[tokio::test]
async fn short_lists_stay_as_they_are() {
    let client = connect(server(Search::new().threshold(99)), "ada").await;
    let all = names(&client).await;
    assert_eq!(all.len(), 99);
    assert!(!all.contains(&"search_tools".to_owned()));
    let client = connect(server(Search::new().threshold(98)), "ada").await;
    assert_eq!(names(&client).await.len(), 2);
}

#[tokio::test]
async fn a_changed_list_is_searched_anew() {
    let server = server(Search::new()).build().unwrap();
    let stream = ByteStream::of(server.in_memory_as(Principal("ada".to_owned())));
    let client = Client::builder("test", "1.0.0")
        .connect(stream)
        .await
        .unwrap();
    assert_eq!(search(&client, "earthquake").await, [""; 0]);
    let tool = ToolDef::new("report_earthquake").handler(async || "reported");
    server.tools().add(tool).unwrap();
    assert_eq!(search(&client, "earthquakes").await, ["report_earthquake"]);
    assert!(server.tools().remove("report_earthquake"));
    assert_eq!(search(&client, "earthquake").await, [""; 0]);
}

#[tokio::test]
async fn wrong_arguments_are_explained() {
    let client = connect(server(Search::new()), "ada").await;
    for arguments in [
        json!({}),
        json!({ "query": 1 }),
        json!({ "query": "x", "other": 1 }),
    ] {
        let result = client
            .call_tool("search_tools")
            .arguments(&arguments)
            .await
            .unwrap();
        assert!(
            result.has_failed() && result.text().starts_with("arguments of `search_tools`"),
            "{result:?}"
        );
    }
    let long = json!({ "query": "x".repeat(3000) });
    assert!(
        client
            .call_tool("search_tools")
            .arguments(&long)
            .await
            .unwrap()
            .has_failed()
    );
    let result = call(&client, json!({ "name": "getWeather", "city": "Rome" })).await;
    assert!(
        result.has_failed() && result.text().contains("unknown field `city`"),
        "{result:?}"
    );
    // The inner tool checks its own arguments.
    let result = call(&client, json!({ "name": "getWeather", "arguments": {} })).await;
    assert!(
        result.has_failed() && result.text().contains("arguments of `getWeather`"),
        "{result:?}"
    );
    let missing = json!({ "name": "nothing" });
    let error = client
        .call_tool("call_tool")
        .arguments(&missing)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("nothing"), "{error}");
}

#[tokio::test]
async fn names_can_be_chosen_and_inner_tools_of_these_names_stay_reachable() {
    let tool = |name: &str| ToolDef::new(name).handler(async || "the inner one");
    let server = server(Search::new().names("find", "run"))
        .add_tool(tool("find"))
        .add_tool(tool("run"));
    let client = connect(server, "ada").await;
    assert_eq!(names(&client).await, ["find", "run"]);
    let arguments = json!({ "name": "find" });
    let result = client.call_tool("run").arguments(&arguments).await.unwrap();
    assert_eq!(result.text(), "the inner one");
}

#[tokio::test]
async fn later_middleware_sees_the_called_tool() {
    async fn refuse(request: Request, next: Next) -> Outcome {
        match request.tool().as_deref() {
            Some("getWeather") => Err(HandlerError::forbidden("no weather today")),
            _ => next.run(request).await,
        }
    }
    let client = connect(
        server(Search::new()).layer(middleware::from_fn(refuse)),
        "ada",
    )
    .await;
    let arguments = json!({ "name": "getWeather", "arguments": { "city": "Rome" } });
    let error = client
        .call_tool("call_tool")
        .arguments(&arguments)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no weather today"), "{error}");
}

#[tokio::test]
async fn clients_of_every_revision_can_search() {
    let server = server(Search::new()).build().unwrap();
    for revision in Revision::ALL {
        let stream = ByteStream::of(server.in_memory_as(Principal("ada".to_owned())));
        let client = Client::builder("test", "1.0.0").revision(*revision);
        let client = client.connect(stream).await.unwrap();
        assert_eq!(
            names(&client).await,
            ["search_tools", "call_tool"],
            "{revision:?}"
        );
        let query = json!({ "query": "weather" });
        let result = client
            .call_tool("search_tools")
            .arguments(&query)
            .await
            .unwrap();
        let found: Value = serde_json::from_str(&result.text()).unwrap();
        assert_eq!(found["tools"][0]["name"], "getWeather", "{revision:?}");
        let arguments = json!({ "name": "getWeather", "arguments": { "city": "Oslo" } });
        assert_eq!(
            call(&client, arguments).await.text(),
            "rain in Oslo",
            "{revision:?}"
        );
    }
}

#[tokio::test]
async fn list_is_kept_for_the_shortest_time_of_its_pages() {
    let pages = async |request: AnyRequest| -> Result<AnyResult, HandlerError> {
        let tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        let mut page = json!({
            "resultType": "complete", "tools": [tool, tool], "ttlMs": 60_000, "cacheScope": "public",
        });
        if request.params().get().contains("cursor") {
            page["ttlMs"] = json!(5_000);
            page["cacheScope"] = json!("private");
        } else {
            page["nextCursor"] = json!("2");
        }
        AnyResult::from_json(&page)
    };
    let server = Server::builder("test", "1.0.0")
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .layer(Search::new().threshold(1))
        .fallback(pages);
    let client = connect(server, "ada").await;
    let listed = client.request_json("tools/list", &json!({})).await.unwrap();
    let listed: Value = serde_json::from_str(listed.get()).unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&listed["ttlMs"], &listed["cacheScope"]),
        (&json!(5_000), &json!("private"))
    );
}

#[tokio::test]
async fn call_takes_arguments_as_an_object_or_as_its_text() {
    let client = connect(server(Search::new()), "ada").await;
    for arguments in [json!({ "city": "Rome" }), json!(" {\"city\": \"Rome\"}")] {
        let result = call(
            &client,
            json!({ "name": "getWeather", "arguments": arguments }),
        )
        .await;
        assert_eq!(result.text(), "rain in Rome");
    }
    for arguments in [json!(null), json!("")] {
        let result = call(
            &client,
            json!({ "name": "thing_1", "arguments": arguments }),
        )
        .await;
        assert_eq!(result.text(), "done");
    }
    for (arguments, fault) in [
        (
            json!({ "name": "thing_1", "arguments": 5 }),
            "`arguments` is not an object",
        ),
        (
            json!({ "name": "thing_1", "arguments": "[1]" }),
            "`arguments` is not an object",
        ),
        (
            json!({ "name": "thing_1", "arguments": "{\"a\"" }),
            "`arguments`: EOF",
        ),
        (
            json!({ "name": "thing_1", "city": "Rome" }),
            "unknown field `city`",
        ),
        (json!({ "arguments": {} }), "missing field `name`"),
    ] {
        let result = call(&client, arguments).await;
        assert_eq!(result.is_error, Some(true));
        let text = result.text();
        assert!(
            text.contains(fault) && text.contains("expected `name`"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn description_of_the_search_says_what_the_tools_are_for() {
    let client = connect(
        server(Search::new().about("## github\n\nIssues and code.")),
        "ada",
    )
    .await;
    let tools = client.tools().all().await.unwrap().items;
    let search = tools
        .iter()
        .find(|tool| tool.name == "search_tools")
        .unwrap();
    let description = search.description.as_deref().unwrap();
    assert!(
        description.ends_with("\n\n## github\n\nIssues and code."),
        "{description}"
    );
}

#[tokio::test]
async fn tools_of_apps_stay_listed_and_are_not_found() {
    let list = async |request: AnyRequest, cx: Context| -> Result<AnyResult, HandlerError> {
        if cx.method() == "tools/call" {
            let name = request.params().get().to_owned();
            let content = json!([{ "type": "text", "text": name }]);
            return AnyResult::from_json(&json!({ "resultType": "complete", "content": content }));
        }
        let tool = |name: &str, meta: Value| {
            let schema = json!({ "type": "object" });
            json!({ "name": name, "description": "a chart", "inputSchema": schema, "_meta": meta })
        };
        let ui = |visibility: Value| json!({ "ui": { "visibility": visibility } });
        let tools = [
            tool("plain", json!({})),
            tool("shown", json!({ "ui": { "resourceUri": "ui://chart" } })),
            tool("older", json!({ "ui/resourceUri": "ui://chart" })),
            tool("both", ui(json!(["model", "app"]))),
            tool("only", ui(json!(["app"]))),
        ];
        AnyResult::from_json(&json!({
            "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "public",
        }))
    };
    let server = || {
        Server::builder("test", "1.0.0")
            .layer(Search::new().threshold(1))
            .capabilities(|all| all.tools(ToolsCapability::new()))
            .fallback(list)
    };
    // Also before anything was listed.
    let client = connect(server(), "ada").await;
    let refused = call(&client, json!({ "name": "only" })).await;
    assert!(refused.has_failed(), "{refused:?}");
    assert_eq!(refused.text(), "only apps call the tool `only`");
    assert_eq!(
        names(&client).await,
        [
            "shown",
            "older",
            "both",
            "only",
            "search_tools",
            "call_tool"
        ]
    );
    let mut found = search(&client, "chart").await;
    found.sort();
    assert_eq!(found, ["both", "older", "plain", "shown"]);
    assert!(!call(&client, json!({ "name": "plain" })).await.has_failed());
    // An app calls it by itself.
    assert!(client.call_tool("only").await.is_ok());
}

#[tokio::test]
async fn tool_for_apps_that_was_not_listed_yet_is_refused() {
    let answer = async |_: AnyRequest, cx: Context| -> Result<AnyResult, HandlerError> {
        if cx.method() == "tools/call" {
            let content = json!([{ "type": "text", "text": "called" }]);
            return AnyResult::from_json(&json!({ "resultType": "complete", "content": content }));
        }
        let tool = |name: &str, meta: Value| json!({ "name": name, "inputSchema": { "type": "object" }, "_meta": meta });
        let mut tools = vec![tool("plain", json!({})), tool("other", json!({}))];
        if cx.extension() == Some(&Principal("ada".to_owned())) {
            tools.push(tool("only", json!({ "ui": { "visibility": ["app"] } })));
        }
        AnyResult::from_json(&json!({
            "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private",
        }))
    };
    let server = Server::builder("test", "1.0.0")
        .layer(Search::new().threshold(1))
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(answer);
    let server = server.build().unwrap();
    let connect = async |user: &str| {
        let stream = ByteStream::of(server.in_memory_as(Principal(user.to_owned())));
        Client::builder("test", "1.0.0")
            .connect(stream)
            .await
            .unwrap()
    };
    let (bob, ada) = (connect("bob").await, connect("ada").await);
    // The list of another user has no such tool.
    assert_eq!(names(&bob).await, ["search_tools", "call_tool"]);
    let refused = call(&ada, json!({ "name": "only" })).await;
    assert_eq!(refused.text(), "only apps call the tool `only`");
    assert_eq!(
        call(&ada, json!({ "name": "plain" })).await.text(),
        "called"
    );
}

#[tokio::test]
async fn tool_without_a_name_does_not_hide_the_others() {
    let list = async |_: AnyRequest| -> Result<AnyResult, HandlerError> {
        let tool = |name: Value| {
            let schema = json!({ "type": "object" });
            json!({ "name": name, "description": "a chart", "inputSchema": schema })
        };
        let tools = json!([42, { "description": "a chart" }, tool(json!(1)), tool(json!("plain"))]);
        AnyResult::from_json(&json!({
            "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private",
        }))
    };
    let server = Server::builder("test", "1.0.0")
        .layer(Search::new().threshold(1))
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(list);
    let client = connect(server, "ada").await;
    assert_eq!(names(&client).await, ["search_tools", "call_tool"]);
    assert_eq!(search(&client, "chart").await, ["plain"]);
}
