//! When the gateway announces that lists have changed, and how long it waits for upstreams.

use std::time::Duration;

use mcp_client::{Client, ClientBuilder, Subscription, SubscriptionEvent};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::types::Revision;
use mcp_server::{PromptDef, Server, ToolDef};
use tokio::sync::watch;

use crate::support::{Announced, at, changes, connect, gateway, named, soon};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

/// Less than the 30 seconds that an upstream has for a connection or a list.
const WITHOUT_IT: Duration = Duration::from_secs(20);

/// Connects a client that subscribes to changes of lists, and counts those that are announced.
async fn subscribed(gateway: &Gateway, revision: Revision) -> (Client, Announced, Subscription) {
    let announced = Announced::default();
    let builder = Client::builder("test", "1").revision(revision);
    let client = connect(gateway, builder.layer(announced.clone())).await;
    let mut subscription = client.listen(changes());
    let listening = tokio::time::timeout(WITHOUT_IT, subscription.next()).await;
    let event = listening.expect("listening soon").expect("an event");
    assert!(matches!(event, Ok(SubscriptionEvent::Listening(_))));
    (client, announced, subscription)
}

async fn tools(client: &Client) -> Vec<String> {
    let listing = tokio::time::timeout(WITHOUT_IT, client.tools().all()).await;
    let listed = listing.expect("listed soon").expect("listed");
    listed.items.into_iter().map(|tool| tool.name).collect()
}

/// Waits until a change of the list was announced.
async fn announced_once(announced: &Announced, list: &str) {
    let waiting = async {
        while announced.get(list) == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    soon(waiting).await;
}

fn prompt(name: &'static str) -> PromptDef {
    PromptDef::new(name).handler(async || "text")
}

#[tokio::test]
async fn announcement_of_an_upstream_without_a_change_is_not_passed_on() {
    for of_upstream in REVISIONS {
        for others in [false, true] {
            let server = Server::builder("a", "1")
                .tool("name", "Returns the name", async || "a")
                .add_prompt(prompt("first"));
            let server = server.build().expect("valid");
            let other = others.then(|| at("b", Revision::LATEST, &named("b")));
            let gateway = gateway([at("a", of_upstream, &server)].into_iter().chain(other)).await;
            let mut clients = Vec::new();
            for of_client in REVISIONS {
                let known = subscribed(&gateway, of_client).await;
                tools(&known.0).await;
                soon(known.0.prompts().all()).await.expect("listed");
                clients.push(known);
            }
            for _ in 0..3 {
                server.tools_changed();
            }
            // Longer than the changes are collected.
            tokio::time::sleep(Duration::from_millis(300)).await;
            server.prompts().add(prompt("second")).expect("added");
            for (client, announced, _subscription) in &clients {
                announced_once(announced, "prompts").await;
                let prompts = soon(client.prompts().all()).await.expect("listed");
                assert_eq!(prompts.items.len(), 2);
            }
            let tool = ToolDef::new("new").description("New");
            let tool = tool.handler(async || "new");
            server.tools().add(tool).expect("added");
            for (client, announced, _subscription) in &clients {
                announced_once(announced, "tools").await;
                assert_eq!(tools(client).await.len(), if others { 3 } else { 2 });
                let counts = ["tools", "prompts", "resources"].map(|list| announced.get(list));
                assert_eq!(counts, [1, 1, 0], "{of_upstream}");
            }
        }
    }
}

/// Returns an upstream that connects when it is allowed to.
fn slow(server: &Server, revision: Revision, is_open: &watch::Sender<bool>) -> Upstream {
    let (server, is_open) = (server.clone(), is_open.clone());
    let upstream = Upstream::new("a", move |builder: ClientBuilder| {
        let stream = mcp_client::ByteStream::of(server.in_memory());
        let mut is_open = is_open.subscribe();
        async move {
            let _ = is_open.wait_for(|is_open| *is_open).await;
            builder.revision(revision).connect(stream).await
        }
    });
    upstream.lazy()
}

#[tokio::test]
async fn upstream_that_connects_slowly_keeps_nobody_waiting() {
    for revision in REVISIONS {
        let is_open = watch::Sender::new(false);
        let gateway = gateway([
            slow(&named("a"), revision, &is_open),
            at("b", Revision::LATEST, &named("b")),
        ])
        .await;
        let (client, announced, _subscription) = subscribed(&gateway, revision).await;
        assert_eq!(tools(&client).await, ["b_name"], "{revision}");
        is_open.send_replace(true);
        announced_once(&announced, "tools").await;
        assert_eq!(tools(&client).await, ["a_name", "b_name"], "{revision}");
    }
}

/// Answers requests for tools when it is allowed to.
#[derive(Clone)]
struct Gate(watch::Sender<bool>);

impl Middleware for Gate {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.method() == "tools/list" {
            let mut is_open = self.0.subscribe();
            let _ = is_open.wait_for(|is_open| *is_open).await;
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn upstream_that_is_left_out_as_it_answers_is_announced() {
    let is_open = watch::Sender::new(false);
    let late = |name: &'static str| {
        let server = Server::builder(name, "1")
            .tool("name", "Returns the name", move || async move { name })
            .layer(Gate(is_open.clone()));
        at(name, Revision::LATEST, &server.build().expect("valid"))
    };
    let names = ["a", "b", "c", "d"];
    let gateway = gateway(names.map(late)).await;
    let (client, announced, _subscription) = subscribed(&gateway, Revision::LATEST).await;
    let listing = tools(&client);
    let opening = async {
        // All lists are late.
        tokio::time::sleep(Duration::from_secs(2)).await;
        is_open.send_replace(true);
    };
    let (mut listed, ()) = tokio::join!(listing, opening);
    let complete = async {
        let mut seen = 0;
        while listed.len() < names.len() {
            while announced.get("tools") == seen {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            seen = announced.get("tools");
            listed = tools(&client).await;
        }
    };
    soon(complete).await;
}

#[tokio::test]
async fn upstream_that_is_added_or_removed_changes_only_the_lists_that_it_has() {
    let first = Server::builder("a", "1").add_prompt(prompt("first"));
    let first = first.build().expect("valid");
    let builder = Gateway::builder("gateway", "1").changing();
    let builder = builder.upstream(at("a", Revision::LATEST, &first));
    let gateway = builder.learn(Duration::from_secs(30)).build().await;
    let gateway = gateway.expect("valid");
    let (client, announced, _subscription) = subscribed(&gateway, Revision::LATEST).await;
    let second = at("b", Revision::LATEST, &named("b")).lazy();
    gateway.set_upstream(second).await.expect("valid");
    announced_once(&announced, "tools").await;
    assert_eq!(tools(&client).await, ["b_name"]);
    assert!(gateway.remove_upstream("b"));
    while announced.get("tools") < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(gateway.remove_upstream("a"));
    announced_once(&announced, "prompts").await;
    let counts = ["tools", "prompts", "resources"].map(|list| announced.get(list));
    assert_eq!(counts, [2, 1, 0]);
}

#[tokio::test]
async fn list_of_one_client_does_not_hide_a_change_from_another_one() {
    let server = named("a");
    let gateway = gateway([at("a", Revision::LATEST, &server)]).await;
    let (first, announced, _subscription) = subscribed(&gateway, Revision::LATEST).await;
    assert_eq!(tools(&first).await, ["name"]);
    let second = connect(&gateway, Client::builder("test", "1")).await;
    let tool = ToolDef::new("new").description("New");
    let tool = tool.handler(async || "new");
    server.tools().add(tool).expect("added");
    // Before the lists are compared.
    assert_eq!(tools(&second).await.len(), 2);
    announced_once(&announced, "tools").await;
}
