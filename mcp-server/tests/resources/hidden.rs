//! What the server adds by itself, and what happens between two requests, does not tell of
//! resources that the caller may not read.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Request;
use mcp_server::middleware::{self, Next, Outcome, Request as ClientRequest};
use mcp_server::types::json::Map;
use mcp_server::types::{
    AnyResourceContents, CacheScope, ContentBlock, GetPromptResult, PromptArgument, PromptMessage,
    Resource, ResourceLink, Role, TextResourceContents,
};
use mcp_server::{
    Completing, Group, HandlerError, ListAt, Memory, Principal, PromptDef, Proposal, ResourceDef,
    ResourcePage, ResourceUri, Server, ServerBuilder, TemplateDef, Variables,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, authenticated};
use super::one_representation::{ALL, opted_in};
use super::versions::http::Messages;
use super::versions::speaking;
use crate::support::peer::Peer;

const SECRET: &str = "memo://ada";
const MISSING: &str = "memo://zoe";

#[derive(Clone, Deserialize, JsonSchema)]
struct Row {
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct Link {
    uri: String,
}

/// Everybody has the memo of its own name.
async fn own_memo(
    Principal(user): Principal,
    ResourceUri(uri): ResourceUri,
) -> Result<(), HandlerError> {
    if uri == format!("memo://{user}") {
        return Ok(());
    }
    Err(HandlerError::forbidden("somebody else's"))
}

/// Rows whose id begins with `s` are secret, but for ada.
async fn is_public(
    Variables(row): Variables<Row>,
    Principal(user): Principal,
) -> Result<(), HandlerError> {
    if row.id.starts_with('s') && user != "ada" {
        return Err(HandlerError::forbidden("secret"));
    }
    Ok(())
}

fn memo() -> ResourceDef {
    ResourceDef::text(SECRET, "memo", "a secret memo").guard(own_memo)
}

/// Removes the difference that the client made itself.
fn without(answer: &Value, uri: &str) -> String {
    let mut answer = answer.clone();
    answer["id"] = Value::Null;
    answer.to_string().replace(uri, "memo://?")
}

fn of(server: &Server, user: &str) -> Peer {
    let user = Principal(user.to_owned());
    Peer::over(server, |stream| stream.extension(user))
}

fn uris(listed: &Value) -> Vec<&str> {
    let all = listed["resources"].as_array().unwrap().iter();
    all.map(|resource| resource["uri"].as_str().unwrap())
        .collect()
}

/// Returns a guard of rows that admits everybody, and the number of its runs.
fn counting_guard() -> (
    Arc<AtomicUsize>,
    impl Fn(ResourceUri) -> Ready<Result<(), HandlerError>>,
) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let guard = move |ResourceUri(_)| {
        counted.fetch_add(1, Ordering::SeqCst);
        ready(Ok(()))
    };
    (runs, guard)
}

#[tokio::test]
async fn link_to_a_definition_does_not_tell_that_it_exists() {
    let link = |uri: String| ContentBlock::ResourceLink(ResourceLink::new(uri, "link"));
    let prompt = PromptDef::new("link")
        .argument(PromptArgument::new("uri"))
        .map_handler(move |arguments: Map<String>| async move {
            let uri = arguments.get("uri").cloned().unwrap_or_default();
            GetPromptResult::new([PromptMessage::new(Role::User, link(uri))])
        });
    let server = opted_in()
        .add_resource(memo())
        .add_resource(
            ResourceDef::new("memo://bob", "memo")
                .guard(own_memo)
                .handler(async || "made by a handler"),
        )
        .tool(
            "link",
            "",
            move |Link { uri }: Link| async move { link(uri) },
        )
        .add_prompt(prompt)
        .build()
        .unwrap();
    for client in &mut Client::all_of(&server, ALL, "mallory").await {
        for method in ["tools/call", "prompts/get"] {
            for secret in [SECRET, "memo://bob"] {
                let of = |uri| json!({ "name": "link", "arguments": { "uri": uri } });
                let one = client.request(method, of(secret)).await;
                let other = client.request(method, of(MISSING)).await;
                let (one, other) = (without(&one, secret), without(&other, MISSING));
                assert_eq!(one, other, "{}, {method}", client.describe());
            }
        }
    }
    let mut ada = of(&server, "ada");
    let params = json!({ "name": "link", "arguments": { "uri": SECRET } });
    let answer = ada.result("tools/call", speaking(params)).await;
    assert!(answer["content"][0]["version"].is_string(), "{answer}");
}

/// Who has fewer rights must not see more.
#[tokio::test]
async fn caller_without_a_scope_does_not_see_what_a_guard_hides() {
    let row = TemplateDef::new("row://{id}", "row")
        .scopes(["rows"])
        .guard(is_public)
        .handler(async |row: Row| row.id);
    let outer = async || Err::<(), _>(HandlerError::insufficient_scope("notes"));
    let note = ResourceDef::text("memo://note", "note", "").guard(own_memo);
    let members = |_: ListAt| async {
        ResourcePage::new(["s1", "p1"].map(|id| Resource::new(format!("row://{id}"), id)))
    };
    let server = opted_in()
        .add_resource(memo().scopes(["memos"]))
        .merge(Group::new().guard(outer).add_resource(note))
        .add_resource_template(row)
        .add_resource(ResourceDef::new("rows:", "rows").collection().list(members))
        .build()
        .unwrap();
    for client in &mut Client::all_of(&server, ALL, "mallory").await {
        let listed = client.result("resources/list", json!({})).await;
        assert_eq!(uris(&listed), ["rows:"], "{}", client.describe());
        if client.is_newest() {
            let listed = client
                .result("resources/list", json!({ "uri": "rows:" }))
                .await;
            assert_eq!(uris(&listed), ["row://p1"], "{}", client.describe());
        }
        for secret in [SECRET, "memo://note"] {
            let one = client
                .request("resources/read", json!({ "uri": secret }))
                .await;
            let other = client
                .request("resources/read", json!({ "uri": MISSING }))
                .await;
            assert_eq!(without(&one, secret), without(&other, MISSING));
        }
    }
    // The owner learns which scope she needs.
    for client in &mut Client::all_of(&server, ALL, "ada").await {
        let listed = client.result("resources/list", json!({})).await;
        assert_eq!(uris(&listed), [SECRET, "rows:"], "{}", client.describe());
        let answer = client
            .error("resources/read", json!({ "uri": SECRET }))
            .await;
        assert!(answer.to_string().contains("memos"), "{answer}");
    }
}

#[tokio::test]
async fn change_that_waits_is_not_sent_when_its_definition_is_gone() {
    let row = TemplateDef::new("row://{id}", "row");
    let row = row.guard(is_public).handler(async |row: Row| row.id);
    let server = opted_in()
        .add_resource(memo())
        .add_resource_template(row)
        .resource("public:", "public", async || "text")
        .build()
        .unwrap();
    let mut listening = of(&server, "mallory");
    let uris = [SECRET, "row://s1", "public:"];
    let filter = json!({ "resourceSubscriptions": uris });
    listening
        .start("subscriptions/listen", json!({ "notifications": filter }))
        .await;
    listening.receive().await;
    let mut legacy = Peer::raw_over(&server, |stream| {
        stream.extension(Principal("mallory".to_owned()))
    });
    legacy.handshake("2025-11-25").await;
    for uri in uris {
        legacy
            .result("resources/subscribe", json!({ "uri": uri }))
            .await;
    }
    server.resource_updated(SECRET);
    server.resource_updated("row://s1");
    assert!(server.resources().remove(SECRET));
    assert!(server.resource_templates().remove("row://{id}"));
    server.resource_updated("public:");
    for peer in [&mut listening, &mut legacy] {
        let mut message = peer.receive().await;
        while message["method"] == "notifications/resources/list_changed" {
            message = peer.receive().await;
        }
        assert_eq!(message["params"]["uri"], "public:", "{message}");
    }
}

/// Resumes the stream at another process, which announces everything.
#[tokio::test]
async fn resumed_stream_does_not_tell_a_secret_resource_from_a_missing_one() {
    let store = Memory::new();
    let [one, two] = [(); 2].map(|()| {
        let builder = opted_in().store(store.clone()).add_resource(memo());
        builder
            .resource("public:", "public", async || "text")
            .build()
            .unwrap()
    });
    let (one, two) = (authenticated(&one).await, authenticated(&two).await);
    let post = |session: Option<String>, message: Value| async move {
        let mut request = Request::post("/mcp")
            .header("X-User", "mallory")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Some(session) = session {
            request = request
                .header("Mcp-Session-Id", session)
                .header("MCP-Protocol-Version", "2025-11-25");
        }
        Messages::send(one, request, message.to_string()).await
    };
    let begun = post(
        None,
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        }}),
    );
    let session = begun.await.session.unwrap();
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    post(Some(session.clone()), done).await;
    for uri in [SECRET, MISSING, "public:"] {
        let params = json!({ "uri": uri });
        let message =
            json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": params });
        let answer = post(Some(session.clone()), message).await;
        assert_eq!(answer.status, 200);
        answer.answer_text().await;
    }
    let get = |address, last: Option<String>| {
        let mut request = Request::get("/mcp")
            .header("X-User", "mallory")
            .header("Mcp-Session-Id", session.clone())
            .header("MCP-Protocol-Version", "2025-11-25")
            .header("Accept", "text/event-stream");
        if let Some(last) = last {
            request = request.header("Last-Event-ID", last);
        }
        Messages::send(address, request, String::new())
    };
    let mut first = get(one, None).await;
    let id = first.event_id().await;
    let mut second = get(two, Some(id)).await;
    let mut told = Vec::new();
    loop {
        let message = second.next().await;
        if message["params"]["uri"] == "public:" {
            break;
        }
        told.extend(message["params"]["uri"].as_str().map(str::to_owned));
    }
    // Everything may have changed, whether it exists or not.
    assert_eq!(told, [SECRET, MISSING]);
}

#[test]
fn group_with_a_guard_of_rows_has_completions() {
    let row = TemplateDef::new("row://{id}", "row").handler(async |row: Row| row.id);
    let group = Group::new()
        .guard(is_public)
        .add_resource_template(row)
        .complete_resource("row://{id}", "id", async |_: Completing| ["1"]);
    let built = Server::builder("test", "1").merge(group).build();
    assert!(built.is_ok(), "{:?}", built.err());
}

#[test]
fn completion_of_a_template_names_no_resource() {
    let complete = async |_: Completing, ResourceUri(_): ResourceUri| ["1"];
    let row = TemplateDef::new("row://{id}", "row")
        .handler(async |row: Row| row.id)
        .complete("id", complete);
    let built = Server::builder("test", "1")
        .add_resource_template(row)
        .build();
    let error = built.expect_err("there is no resource").to_string();
    assert!(error.contains("ResourceUri"), "{error}");
}

async fn complete(client: &mut Client, template: &str, name: &str, settled: Value) -> Value {
    let params = json!({
        "ref": { "type": "ref/resource", "uri": template },
        "argument": { "name": name, "value": "" },
        "context": { "arguments": settled },
    });
    let mut result = client.result("completion/complete", params).await;
    result["completion"].take()
}

#[derive(Deserialize)]
struct Folder {
    owner: Option<String>,
}

async fn own_folder(
    Variables(folder): Variables<Folder>,
    Principal(user): Principal,
) -> Result<(), HandlerError> {
    match folder.owner {
        Some(owner) if owner == user => Ok(()),
        _ => Err(HandlerError::forbidden("somebody else's")),
    }
}

/// The URI of the first value alone matches the second template.
#[tokio::test]
async fn completion_of_the_first_variable_asks_the_guard_of_its_own_template() {
    let folder = TemplateDef::new("doc://{owner}/{name}", "doc")
        .guard(own_folder)
        .handler(async || "text");
    let any = TemplateDef::new("doc://{+path}", "any").handler(async || "text");
    let server = opted_in()
        .add_resource_template(folder)
        .add_resource_template(any)
        .complete_resource("doc://{owner}/{name}", "owner", async |_: Completing| {
            ["ada", "mallory"]
        })
        .build()
        .unwrap();
    for client in &mut Client::all_of(&server, ALL, "mallory").await {
        let offered = complete(client, "doc://{owner}/{name}", "owner", json!({})).await;
        assert_eq!(
            offered["values"],
            json!(["mallory"]),
            "{}",
            client.describe()
        );
    }
}

fn rows(builder: ServerBuilder, ids: Vec<String>) -> Server {
    let listed = ids.clone();
    let row = TemplateDef::new("row://{id}", "row")
        .guard(is_public)
        .handler(async |row: Row| row.id)
        .list(move |at: ListAt| {
            let all = listed.iter();
            let rest = all.filter(|id| at.after.as_ref().is_none_or(|after| after < *id));
            let rest = rest.map(|id| Resource::new(format!("row://{id}"), id));
            let page = at.page(rest, |row| row.name.clone());
            async move { page }
        });
    builder
        .add_resource_template(row)
        .complete_resource("row://{id}", "id", move |_: Completing| {
            let ids = ids.clone();
            async move { ids }
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn full_completion_does_not_tell_of_values_behind_it() {
    let public = (0..100).map(|id| format!("p{id:03}"));
    let server = rows(opted_in(), public.clone().collect());
    let more = rows(opted_in(), public.chain(["s1".to_owned()]).collect());
    let [mut one, mut other] = [
        Client::all_of(&server, ALL, "mallory").await.remove(0),
        Client::all_of(&more, ALL, "mallory").await.remove(0),
    ];
    let one = complete(&mut one, "row://{id}", "id", json!({})).await;
    let other = complete(&mut other, "row://{id}", "id", json!({})).await;
    assert_eq!(one, other);
}

#[tokio::test]
async fn full_page_does_not_tell_of_resources_behind_it() {
    let public = ["p1", "p2"].map(str::to_owned);
    let server = rows(opted_in().page_size(2), public.to_vec());
    let all = public.into_iter().chain(["s1".to_owned()]).collect();
    let more = rows(opted_in().page_size(2), all);
    for server in [server, more] {
        for client in &mut Client::all_of(&server, ALL, "mallory").await {
            let page = client.result("resources/list", json!({})).await;
            assert_eq!(uris(&page), ["row://p1", "row://p2"]);
            assert_eq!(page["nextCursor"], Value::Null, "{}", client.describe());
        }
    }
}

#[tokio::test]
async fn template_whose_guard_panics_does_not_break_the_list() {
    let broken = async || -> Result<(), HandlerError> { panic!("the guard is broken") };
    let page = async |_: ListAt| ResourcePage::default();
    let row = TemplateDef::new("row://{id}", "row")
        .guard(broken)
        .handler(async || "text")
        .list(page);
    let server = opted_in()
        .add_resource_template(row)
        .add_resource(ResourceDef::text("bad:", "bad", "").guard(broken))
        .resource("public:", "public", async || "text")
        .build()
        .unwrap();
    for client in &mut Client::all_of(&server, ALL, "mallory").await {
        let page = client.result("resources/list", json!({})).await;
        assert_eq!(uris(&page), ["public:"]);
    }
}

#[tokio::test]
async fn guard_that_does_not_find_a_row_does_not_tell_by_another_name() {
    let guard = async || Err::<(), _>(HandlerError::resource_not_found("table 7, row 1"));
    let server = opted_in()
        .add_resource(ResourceDef::text(SECRET, "memo", "").guard(guard))
        .build()
        .unwrap();
    for client in &mut Client::all_of(&server, ALL, "mallory").await {
        let one = client
            .request("resources/read", json!({ "uri": SECRET }))
            .await;
        let other = client
            .request("resources/read", json!({ "uri": MISSING }))
            .await;
        assert_eq!(without(&one, SECRET), without(&other, MISSING));
    }
}

#[tokio::test]
async fn contents_that_differ_between_callers_are_not_for_shared_caches() {
    let all = || {
        ResourceDef::new("rows:", "rows")
            .collection()
            .cache(std::time::Duration::from_secs(60), CacheScope::Public)
            .handler(async || {
                let all =
                    ["s1", "p1"].map(|id| TextResourceContents::new(format!("row://{id}"), "text"));
                all.map(AnyResourceContents::from).to_vec()
            })
    };
    // URLs would make them private, too.
    let proposals = [Proposal::Sep2093, Proposal::VersionedResources];
    for builder in [
        Server::builder("test", "1"),
        Server::builder("test", "1").proposals(proposals),
    ] {
        let server = rows(builder.add_resource(all()), Vec::new());
        for client in &mut Client::all_of(&server, ALL, "ada").await {
            let params = json!({ "uri": "rows:" });
            let read = client.result("resources/read", params).await;
            assert_eq!(read["contents"].as_array().unwrap().len(), 2);
            if client.is_newest() {
                assert_eq!(read["cacheScope"], "private", "{}", client.describe());
            }
        }
    }
}

#[tokio::test]
async fn guard_runs_once_for_each_resource_of_a_page() {
    let (runs, guard) = counting_guard();
    let row = TemplateDef::new("row://{id}", "row")
        .guard(guard)
        .handler(async |row: Row| row.id)
        .describe(async |row: Resource| row.title("described"))
        .list(async |_: ListAt| {
            ResourcePage::new(["a", "b"].map(|id| Resource::new(format!("row://{id}"), id)))
        });
    let server = opted_in().add_resource_template(row).build().unwrap();
    let mut peer = of(&server, "ada");
    let page = peer.result("resources/list", speaking(json!({}))).await;
    assert_eq!(uris(&page).len(), 2);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// Whoever sends a long value for another variable would multiply it by the number of values.
#[tokio::test]
async fn completion_does_not_expand_uris_that_no_request_may_have() {
    let (runs, guard) = counting_guard();
    let template = "row://{id}/{name}";
    let row = TemplateDef::new(template, "row")
        .guard(guard)
        .handler(async || "text");
    let server = opted_in()
        .add_resource_template(row)
        .complete_resource(template, "id", async |_: Completing| {
            (0..1_000).map(|id| id.to_string()).collect::<Vec<_>>()
        })
        .build()
        .unwrap();
    let long = "ü".repeat(100_000);
    let client = &mut Client::all_of(&server, ALL, "mallory").await.remove(0);
    let offered = complete(client, template, "id", json!({ "name": long })).await;
    assert_eq!(offered["values"], json!([]));
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

/// The longest other variables that a URI may have must not be checked a thousand times.
#[tokio::test]
async fn completion_checks_fewer_values_if_the_other_variables_are_long() {
    let template = "row://{id}/{name}";
    for (length, expected) in [(1, 1_000), (8_000, 80)] {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let guard = move |ResourceUri(_): ResourceUri| {
            counted.fetch_add(1, Ordering::SeqCst);
            ready(Err::<(), _>(HandlerError::forbidden("not for you")))
        };
        let row = TemplateDef::new(template, "row")
            .guard(guard)
            .handler(async || "text")
            .complete("id", async |_: Completing| {
                (0..2_000).map(|id| id.to_string()).collect::<Vec<_>>()
            });
        let server = opted_in().add_resource_template(row).build().unwrap();
        let client = &mut Client::all_of(&server, ALL, "mallory").await.remove(0);
        let name = "n".repeat(length);
        let offered = complete(client, template, "id", json!({ "name": name })).await;
        assert_eq!(offered, json!({ "values": [], "hasMore": true }));
        let runs = runs.load(Ordering::SeqCst);
        assert!(
            (expected..expected + 16).contains(&runs),
            "{length}: {runs}"
        );
    }
}

#[tokio::test]
async fn principal_of_a_middleware_decides_about_notifications() {
    let named = async |request: ClientRequest, next: Next| -> Outcome {
        let request = request.with_extension(Principal("ada".to_owned()));
        next.run(request).await
    };
    let builder = opted_in().add_resource(memo());
    let server = builder.layer(middleware::from_fn(named)).build().unwrap();
    let mut legacy = Peer::legacy(&server, "2025-11-25").await;
    let params = json!({ "uri": SECRET });
    legacy.result("resources/subscribe", params.clone()).await;
    let mut listening = Peer::modern(&server);
    let filter = json!({ "resourceSubscriptions": [SECRET] });
    listening
        .start("subscriptions/listen", json!({ "notifications": filter }))
        .await;
    listening.receive().await;
    server.resource_updated(SECRET);
    for peer in [&mut legacy, &mut listening] {
        assert_eq!(peer.receive().await["params"]["uri"], SECRET);
    }
}

#[tokio::test]
async fn guards_run_once_for_each_member_of_a_read_collection() {
    let (runs, guard) = counting_guard();
    let row = TemplateDef::new("row://{id}", "row")
        .guard(guard)
        .handler(async |row: Row| row.id)
        .describe(async |row: Resource| row.title("described"));
    let all = ResourceDef::new("rows:", "rows")
        .collection()
        .handler(async || {
            let all = ["a", "b"].map(|id| TextResourceContents::new(format!("row://{id}"), "text"));
            all.map(AnyResourceContents::from).to_vec()
        });
    let builder = opted_in().add_resource_template(row).add_resource(all);
    let server = builder.build().unwrap();
    let mut peer = of(&server, "ada");
    peer.result("resources/read", speaking(json!({ "uri": "rows:" })))
        .await;
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}
