//! Who may not read a resource does not learn that it exists, or that it changes: for such a client,
//! every method answers for it as for one that does not exist.
//!
//! The methods come from the table of messages. A new one fails the test until [`MethodQuery::of`]
//! says how it is asked for a resource.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::Request;
use mcp_server::types::json::Map;
use mcp_server::types::{
    AnyResourceContents, ContentBlock, GetPromptResult, PromptArgument, PromptMessage, Resource,
    ResourceLink, Revision, Role, Sender, TextResourceContents,
};
use mcp_server::{
    BuildErrors, Completing, Group, HandlerError, ListAt, Memory, Principal, PromptDef,
    ResourceDef, ResourcePage, ResourceUri, Server, ServerBuilder, State, TemplateDef, Variables,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, authenticated};
use super::one_representation::{ALL, opted_in};
use super::versions::http::Messages;
use super::versions::speaking;
use crate::support::peer::Peer;

/// A ticket of ada that only she may read, and one that does not exist.
const SECRET: &str = "ticket://1";
const MISSING: &str = "ticket://9";

/// Secret resources, each with a missing one: of a template, and with a definition of its own.
const PAIRS: [(&str, &str); 2] = [(SECRET, MISSING), ("memo://ada", "memo://nobody")];

#[derive(Clone, Deserialize, JsonSchema)]
struct Ticket {
    id: String,
}

/// Who owns which ticket. The first one of ada can be given to everybody.
#[derive(Clone, Default)]
struct Tickets {
    is_public: Arc<AtomicBool>,
    /// The version of all resources, which changes with the rights.
    version: Arc<AtomicUsize>,
}

impl Tickets {
    fn set_public(&self, is_public: bool) {
        self.is_public.store(is_public, Ordering::SeqCst);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    fn version(&self) -> String {
        self.version.load(Ordering::SeqCst).to_string()
    }

    fn owner(id: &str) -> Option<&'static str> {
        match id {
            "1" | "3" => Some("ada"),
            "2" => Some("mallory"),
            _ => None,
        }
    }

    /// The guard as a program would write it: it looks the ticket up, and forbids to read it.
    fn check(&self, id: &str, user: &str) -> Result<(), HandlerError> {
        match Self::owner(id) {
            Some(owner) if owner == user || self.is_public.load(Ordering::SeqCst) => Ok(()),
            Some(_) => Err(HandlerError::forbidden(
                "this ticket belongs to somebody else",
            )),
            None => Err(HandlerError::resource_not_found(format!("ticket://{id}"))),
        }
    }
}

async fn may_read(
    Variables(ticket): Variables<Ticket>,
    Principal(user): Principal,
    State(tickets): State<Tickets>,
) -> Result<(), HandlerError> {
    tokio::task::yield_now().await;
    tickets.check(&ticket.id, &user)
}

/// The handlers check nothing: the guard has to.
fn define(builder: ServerBuilder, tickets: &Tickets) -> ServerBuilder {
    let ticket = TemplateDef::new("ticket://{id}", "ticket")
        .handler(async |ticket: Ticket| format!("the secret of ticket {}", ticket.id))
        .describe(async |ticket: Resource, State(tickets): State<Tickets>| {
            let ticket = ticket.title("A secret title").size(22);
            ticket.version(tickets.version())
        })
        .list(async |at: ListAt| {
            let all = ["1", "2", "3"].into_iter();
            let rest = all.filter(|id| at.after.as_deref().is_none_or(|after| after < *id));
            let rest = rest.map(|id| Resource::new(format!("ticket://{id}"), id));
            at.page(rest, |ticket| ticket.name.clone())
        });
    let group = Group::new().guard(may_read).add_resource_template(ticket);
    let all = ResourceDef::new("tickets:", "tickets")
        .collection()
        .handler(async || {
            let ids = ["1", "2", "3"].into_iter();
            let all = ids.map(|id| TextResourceContents::new(format!("ticket://{id}"), "secret"));
            all.map(AnyResourceContents::from).collect::<Vec<_>>()
        })
        .list(async |_: ListAt| {
            ResourcePage::new(["1", "2", "3"].map(|id| Resource::new(format!("ticket://{id}"), id)))
        });
    // A resource with a guard of its own, as a program adds one for a row while it runs.
    let memo = ResourceDef::text("memo://ada", "memo", "a secret memo").guard(
        async |Principal(user): Principal, ResourceUri(uri): ResourceUri| {
            if uri == format!("memo://{user}") {
                return Ok(());
            }
            Err(HandlerError::forbidden("this is the memo of somebody else"))
        },
    );
    let link = |uri: String| ContentBlock::ResourceLink(ResourceLink::new(uri, "link"));
    let prompt = PromptDef::new("link")
        .argument(PromptArgument::new("uri"))
        .map_handler(move |arguments: Map<String>| async move {
            let uri = arguments.get("uri").cloned().unwrap_or_default();
            GetPromptResult::new([PromptMessage::new(Role::User, link(uri))])
        });
    builder
        .state(tickets.clone())
        .merge(group)
        .add_resource(all)
        .add_resource(memo)
        .resource(
            "public:",
            "public",
            async |State(tickets): State<Tickets>| tickets.version(),
        )
        .complete_resource("ticket://{id}", "id", |typing: Completing| async move {
            let mut ids = vec!["1", "2", "3"];
            ids.retain(|id| id.starts_with(&typing.value));
            ids
        })
        .tool(
            "link",
            "Returns a link",
            move |Link { uri }: Link| async move { link(uri) },
        )
        .add_prompt(prompt)
}

#[derive(Deserialize, JsonSchema)]
struct Link {
    uri: String,
}

fn server(tickets: &Tickets) -> Server {
    define(opted_in(), tickets).build().unwrap()
}

/// How a method is asked for a resource.
enum MethodQuery {
    /// With these params.
    By(Vec<Value>),
    /// It answers with a stream whose first message is compared.
    Listening(Value),
    /// It names no resource, for this reason.
    #[expect(dead_code, reason = "explains the table")]
    Not(&'static str),
}

impl MethodQuery {
    fn of(method: &str, uri: &str) -> Self {
        let id = uri.rsplit('/').next().unwrap();
        let of_uri = json!({ "uri": uri });
        Self::By(match method {
            "resources/read"
            | "resources/metadata"
            | "resources/unsubscribe"
            | "resources/directory/read"
            | "skills/get" => vec![of_uri],
            "resources/get" => vec![of_uri, json!({ "uri": uri, "version": "1" })],
            // One form of each era.
            "resources/subscribe" => vec![json!({ "uri": uri, "uris": [uri] })],
            "resources/list" => vec![
                json!({}),
                of_uri,
                json!({ "uri": "tickets:" }),
                json!({ "filter": { "uriPrefix": uri } }),
            ],
            "resources/templates/list" | "tools/list" | "prompts/list" | "skills/list" => {
                vec![json!({})]
            }
            "completion/complete" => vec![json!({
                "ref": { "type": "ref/resource", "uri": "ticket://{id}" },
                "argument": { "name": "id", "value": id },
            })],
            "tools/call" | "prompts/get" => {
                vec![json!({ "name": "link", "arguments": { "uri": uri } })]
            }
            "subscriptions/listen" => {
                let filter = json!({ "resourceSubscriptions": [uri] });
                return Self::Listening(json!({ "notifications": filter }));
            }
            "initialize" | "server/discover" => return Self::Not("describes the server"),
            "ping" | "logging/setLevel" => return Self::Not("concerns the connection"),
            _ if method.starts_with("tasks/") => return Self::Not("names a task of the caller"),
            _ => panic!("{method}: say how a client could learn of a resource by it"),
        })
    }
}

/// Removes the difference that the client made itself.
fn without(answer: &Value, uri: &str) -> String {
    let mut answer = answer.clone();
    answer["id"] = Value::Null;
    answer.to_string().replace(uri, "the URI")
}

fn methods(revision: &str) -> Vec<&'static str> {
    let mut revisions = Revision::ALL.iter();
    let revision = revisions.find(|known| known.as_str() == revision).unwrap();
    let messages = revision.messages().iter();
    let requests = messages.filter(|message| {
        message.sender != Sender::Server && !message.method.starts_with("notifications/")
    });
    requests.map(|message| message.method).collect()
}

#[tokio::test]
async fn no_method_tells_a_secret_resource_from_a_missing_one() {
    let server = server(&Tickets::default());
    let mut told = Vec::new();
    for (user, may_know) in [("eve", false), ("ada", true)] {
        for client in &mut Client::all_of(&server, ALL, user).await {
            for method in methods(client.revision) {
                for (secret, missing) in PAIRS {
                    let of = |uri| match MethodQuery::of(method, uri) {
                        MethodQuery::By(params) => params,
                        _ => Vec::new(),
                    };
                    for (params, other) in of(secret).into_iter().zip(of(missing)) {
                        let context = format!("{user}, {}: {method} {params}", client.describe());
                        let one = client.request(method, params).await;
                        let status = client.status;
                        let other = client.request(method, other).await;
                        let same = without(&one, secret) == without(&other, missing);
                        let names = one.to_string().contains("secret");
                        if may_know {
                            told.extend((!same || names).then_some(method));
                            continue;
                        }
                        assert!(same, "{context}\n{one}\n{other}");
                        assert_eq!(status, client.status, "{context}");
                        assert!(!names, "{context}: {one}");
                        if method.ends_with("/list") {
                            let result = one["result"].to_string();
                            for (secret, _) in PAIRS {
                                assert!(!result.contains(secret), "{context}: {one}");
                            }
                        }
                    }
                }
            }
        }
    }
    // The owner learns of it by all of them, so the questions are the right ones.
    for method in [
        "resources/read",
        "resources/list",
        "resources/metadata",
        "resources/get",
        "completion/complete",
        "tools/call",
        "prompts/get",
    ] {
        assert!(told.contains(&method), "{method} tells the owner nothing");
    }
}

#[tokio::test]
async fn acknowledgement_of_a_subscription_does_not_tell_a_secret_resource_from_a_missing_one() {
    let server = server(&Tickets::default());
    let address = authenticated(&server).await;
    let first = async |uri: &str| {
        let MethodQuery::Listening(params) = MethodQuery::of("subscriptions/listen", uri) else {
            unreachable!("it is a stream");
        };
        let mut peer = of(&server, "mallory");
        peer.start("subscriptions/listen", speaking(params.clone()))
            .await;
        let mut stream = listen(address, "mallory", params).await;
        [peer.receive().await, stream.next().await].map(|first| without(&first, uri))
    };
    assert_eq!(first(SECRET).await, first(MISSING).await);
}

/// A client of the newest revision on a connection of this user.
fn of(server: &Server, user: &str) -> Peer {
    let user = Principal(user.to_owned());
    Peer::over(server, |stream| stream.extension(user))
}

async fn listen(address: SocketAddr, user: &str, params: Value) -> Messages {
    let params = speaking(params);
    let method = "subscriptions/listen";
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let request = Request::post("/mcp")
        .header("X-User", user)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method);
    Messages::send(address, request, message.to_string()).await
}

#[tokio::test]
async fn list_has_what_the_caller_may_read_and_pages_do_not_tell_of_the_rest() {
    let server = define(opted_in().page_size(2), &Tickets::default());
    let server = server.build().unwrap();
    for (user, expected) in [
        (
            "ada",
            &["tickets:", "memo://ada", "public:", SECRET, "ticket://3"][..],
        ),
        ("mallory", &["tickets:", "public:", "ticket://2"]),
        ("nobody", &["tickets:", "public:"]),
    ] {
        for client in &mut Client::all_of(&server, ALL, user).await {
            let (mut uris, mut params) = (Vec::new(), json!({}));
            loop {
                let page = client.result("resources/list", params.take()).await;
                let listed = page["resources"].as_array().unwrap().iter();
                uris.extend(listed.map(|resource| resource["uri"].as_str().unwrap().to_owned()));
                if client.is_newest() {
                    assert_eq!(page["cacheScope"], "private");
                }
                let Some(cursor) = page["nextCursor"].as_str() else {
                    break;
                };
                assert_eq!(uris.len() % 2, 0, "a page is full: {uris:?}");
                params = json!({ "cursor": cursor });
            }
            assert_eq!(uris, expected, "{user}, {}", client.describe());
        }
        for client in &mut Client::newest(&server, ALL) {
            // Nobody is authenticated on these connections.
            let listed = client
                .result("resources/list", json!({ "uri": "tickets:" }))
                .await;
            assert_eq!(listed["resources"], json!([]));
        }
    }
}

#[tokio::test]
async fn completion_offers_the_values_of_resources_that_the_caller_may_read() {
    let server = server(&Tickets::default());
    let params = json!({
        "ref": { "type": "ref/resource", "uri": "ticket://{id}" },
        "argument": { "name": "id", "value": "" },
    });
    for (user, expected) in [
        ("ada", json!(["1", "3"])),
        ("mallory", json!(["2"])),
        ("bob", json!([])),
    ] {
        for client in &mut Client::all_of(&server, ALL, user).await {
            let result = client.result("completion/complete", params.clone()).await;
            assert_eq!(result["completion"]["values"], expected, "{user}");
            let total = expected.as_array().unwrap().len();
            assert_eq!(result["completion"]["total"], total, "{user}");
        }
    }
}

/// Subscribes by every way of the newest revision and of sessions. The second process sends the
/// notifications.
#[tokio::test]
async fn client_is_notified_as_long_as_it_may_read_also_by_another_process() {
    let tickets = Tickets::default();
    let store = Memory::new();
    let [one, two] = [(); 2].map(|()| {
        define(opted_in().store(store.clone()), &tickets)
            .build()
            .unwrap()
    });
    let address = authenticated(&two).await;
    let uris = [SECRET, MISSING, "public:"];
    let filter = json!({ "notifications": { "resourceSubscriptions": uris } });
    for user in ["mallory", "ada"] {
        let mut streams: Vec<Messages> = Vec::new();
        for params in [filter.clone(), speaking(filter.clone())] {
            let mut stream = listen(address, user, params).await;
            stream.next().await;
            streams.push(stream);
        }
        let mut peer = of(&two, user);
        peer.start("subscriptions/listen", speaking(filter.clone()))
            .await;
        peer.receive().await;
        let mut subscribed = of(&two, user);
        subscribed
            .result("resources/subscribe", speaking(json!({ "uris": uris })))
            .await;
        let user_extension = Principal(user.to_owned());
        let mut legacy = Peer::raw_over(&two, |stream| stream.extension(user_extension));
        legacy.handshake("2025-11-25").await;
        for uri in uris {
            legacy
                .result("resources/subscribe", json!({ "uri": uri }))
                .await;
        }
        for is_public in [false, true, false] {
            tickets.set_public(is_public);
            for uri in [SECRET, "public:"] {
                // Announced by the other process.
                one.resource_updated(uri);
                if uri == SECRET && user == "mallory" && !is_public {
                    continue;
                }
                let uri_of = |message: Value| {
                    let params = &message["params"];
                    let uri = params["uri"]
                        .as_str()
                        .or(params["resource"]["uri"].as_str());
                    uri.unwrap_or_else(|| panic!("{message}")).to_owned()
                };
                for stream in &mut streams {
                    assert_eq!(uri_of(stream.next().await), uri, "{user}");
                }
                for peer in [&mut peer, &mut subscribed, &mut legacy] {
                    assert_eq!(uri_of(peer.receive().await), uri, "{user}");
                }
            }
        }
    }
}

#[tokio::test]
async fn url_stops_working_when_its_user_may_not_read_any_more() {
    let tickets = Tickets::default();
    let server = server(&tickets);
    let address = authenticated(&server).await;
    tickets.set_public(true);
    let mut clients = Client::all_of(&server, ALL, "mallory").await;
    let described = clients[0]
        .result("resources/metadata", json!({ "uri": SECRET }))
        .await;
    let url = described["resource"]["httpUrl"].as_str().unwrap();
    let path = url
        .strip_prefix("https://files.example.com")
        .unwrap()
        .to_owned();
    for (is_public, status) in [(true, 200), (false, 404)] {
        tickets.set_public(is_public);
        for method in ["GET", "HEAD"] {
            let request = Request::builder().method(method).uri(&path);
            let reply = Messages::send(address, request, String::new()).await;
            assert_eq!(reply.status.as_u16(), status, "{method}");
        }
    }
}

fn build(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Result<Server, BuildErrors> {
    change(Server::builder("test", "1").state(Tickets::default())).build()
}

async fn names_uri(ResourceUri(_): ResourceUri) -> Result<(), HandlerError> {
    Ok(())
}

async fn text() -> &'static str {
    "text"
}

#[test]
fn extractor_without_a_resource_to_extract_is_an_error_of_the_definition() {
    let page = async |_: ListAt| ResourcePage::default();
    let sound = build(|builder| {
        builder
            .add_resource(ResourceDef::new("a:", "a").guard(names_uri).handler(text))
            .add_resource_template(
                TemplateDef::new("b:{id}", "b")
                    .guard(may_read)
                    .handler(text),
            )
    });
    assert!(sound.is_ok());
    let errors = [
        build(|builder| {
            builder.add_resource(ResourceDef::new("a:", "a").guard(may_read).handler(text))
        }),
        build(|builder| {
            let resource = ResourceDef::new("a:", "a").handler(text);
            builder.merge(Group::new().guard(may_read).add_resource(resource))
        }),
        build(|builder| builder.merge(Group::new().guard(names_uri).tool("a:", "", text))),
        build(|builder| builder.add_prompt(PromptDef::new("a:").guard(names_uri).handler(text))),
        build(|builder| {
            let list = async |_: ListAt, ResourceUri(_): ResourceUri| ResourcePage::default();
            builder.add_resource(ResourceDef::new("a:", "a").list(list))
        }),
        build(|builder| {
            let list = async |_: ListAt, Variables(_): Variables<Ticket>| ResourcePage::default();
            builder.add_resource_template(TemplateDef::new("a:{id}", "a").handler(text).list(list))
        }),
        build(|builder| {
            let complete = async |_: Completing, ResourceUri(_): ResourceUri| ["1"];
            builder
                .add_resource_template(TemplateDef::new("a:{id}", "a").handler(text).list(page))
                .complete_resource("a:{id}", "id", complete)
        }),
    ];
    let expected = [
        "resource `a:` takes `mcp_server::features::resources::request::Variables<suite::resources::secrets::Ticket>`, which only resource templates have",
        "resource `a:` takes `mcp_server::features::resources::request::Variables<suite::resources::secrets::Ticket>`, which only resource templates have",
        "tool `a:` takes `mcp_server::features::resources::request::ResourceUri`, which only resources have",
        "prompt `a:` takes `mcp_server::features::resources::request::ResourceUri`, which only resources have",
        "resource `a:` that lists or completes takes `mcp_server::features::resources::request::ResourceUri`, but it does not run for one resource",
        "resource template `a:{id}` that lists or completes takes `mcp_server::features::resources::request::Variables<suite::resources::secrets::Ticket>`, but it does not run for one resource",
        "completion `id` takes `mcp_server::features::resources::request::ResourceUri`, which only resources have",
    ];
    for (built, expected) in errors.into_iter().zip(expected) {
        let error = built.expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}
