//! What one user cannot take from others at an upstream: calls, connections, subscriptions, and the
//! connections of idle sessions.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, SubscriptionEvent};
use mcp_gateway::{Gateway, Upstream, UpstreamLimits};
use mcp_server::types::json::{Object, Value};
use mcp_server::types::{BooleanSchema, Revision, SubscriptionFilter, ToolsCapability, json};
use mcp_server::{
    AnyRequest, AnyResult, Context, Form, HandlerError, Principal, ResourceDef, Server,
};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::{Count, at, gateway, soon};

/// A server with a tool that asks, one that works until the test allows it to end, one that answers at
/// once, and a resource.
#[derive(Clone)]
struct Site {
    /// The connections to the server.
    connected: Count,
    /// The calls of `work` that have begun.
    working: Count,
    go: Arc<Semaphore>,
}

impl Site {
    fn new() -> Self {
        Self {
            connected: Count::default(),
            working: Count::default(),
            go: Arc::new(Semaphore::new(0)),
        }
    }

    fn upstream(&self, revision: Revision, limits: impl FnOnce(&mut UpstreamLimits)) -> Upstream {
        let ask = async |cx: Context| {
            let form = Form::new("Sure?").required("ok", BooleanSchema::new());
            Ok::<_, HandlerError>(cx.elicit(form).await?.accepted().is_some().to_string())
        };
        let site = self.clone();
        let work = move || {
            let site = site.clone();
            async move {
                site.working.add();
                let _ = site.go.acquire().await;
                "worked"
            }
        };
        let note = ResourceDef::new("notes://one", "one").handler(async || "text");
        let server = Server::builder("site", "1")
            .tool("ask", "Asks", ask)
            .tool("work", "Works", work)
            .tool("quick", "Answers", async || "quick")
            .add_resource(note);
        let (server, connected) = (server.build().expect("valid"), self.connected.clone());
        let upstream = Upstream::new("a", move |builder: ClientBuilder| {
            connected.add();
            let stream = ByteStream::of(server.in_memory());
            async move { builder.revision(revision).connect(stream).await }
        });
        upstream.limits(|all| {
            all.connect_time = Duration::from_secs(2);
            limits(all);
        })
    }
}

/// Connects a user who never answers a question, and counts the questions.
async fn user(gateway: &Gateway, name: &str, revision: Revision, asked: &Count) -> Client {
    let asked = asked.clone();
    let builder = Client::builder("test", "1").revision(revision);
    let builder = builder.on_elicit_form(move |_| {
        asked.add();
        std::future::pending()
    });
    as_user(gateway, name, builder).await
}

async fn as_user(gateway: &Gateway, name: &str, builder: ClientBuilder) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = gateway.server().clone();
    let stream = mcp_server::ByteStream::of(theirs).extension(Principal(name.to_owned()));
    tokio::spawn(async move { server.serve(stream).await });
    soon(builder.connect(ByteStream::of(ours)))
        .await
        .expect("connected")
}

async fn until(count: &Count, expected: usize) {
    soon(async {
        while count.get() < expected {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Both revisions of clients in front of an upstream with sessions, whose questions need a
/// connection that waits for the user.
const CLIENTS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

#[tokio::test]
async fn user_who_does_not_answer_keeps_no_connection_from_others() {
    for revision in CLIENTS {
        let site = Site::new();
        let upstream = site.upstream(Revision::V2025_11_25, |limits| limits.connections = 4);
        let gateway = gateway([upstream]).await;
        let asked = Count::default();
        let mut calls = JoinSet::new();
        // Each has its share of one connection.
        for name in ["eve", "mallory", "oscar", "trudy"] {
            let eve = user(&gateway, name, revision, &asked).await;
            calls.spawn(async move { eve.call_tool("ask").await });
        }
        until(&asked, 4).await;
        let ada = user(&gateway, "ada", revision, &asked).await;
        for _ in 0..8 {
            let called = soon(ada.call_tool("quick")).await;
            assert_eq!(called.expect("called").text(), "quick", "{revision}");
        }
    }
}

#[tokio::test]
async fn question_that_waited_longest_ends_when_its_user_needs_a_connection() {
    for revision in CLIENTS {
        let site = Site::new();
        let upstream = site.upstream(Revision::V2025_11_25, |limits| limits.connections = 8);
        let gateway = gateway([upstream]).await;
        let asked = Count::default();
        let mut calls = Vec::new();
        // Two are the share of the user.
        for number in 1..=2 {
            let ada = user(&gateway, "ada", revision, &asked).await;
            calls.push(tokio::spawn(async move { ada.call_tool("ask").await }));
            until(&asked, number).await;
        }
        let ada = user(&gateway, "ada", revision, &asked).await;
        let called = soon(ada.call_tool("quick")).await.expect("called");
        assert_eq!(called.text(), "quick", "{revision}");
        assert!(!calls[1].is_finished(), "{revision}");
        // A modern client gets the error when it sends its answer.
        if !revision.is_modern() {
            let ended = soon(&mut calls[0]).await.expect("no panic");
            let error = ended.expect_err("ended").to_string();
            assert!(error.contains("is busy"), "{error}");
        }
    }
}

#[tokio::test]
async fn one_user_takes_a_share_of_the_connections() {
    for revision in CLIENTS {
        let site = Site::new();
        let upstream = site.upstream(Revision::V2025_11_25, |limits| limits.connections = 8);
        let gateway = gateway([upstream]).await;
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            // With a session or capabilities of its own, each call needs a connection of its own.
            let eve = user(&gateway, "eve", revision, &Count::default()).await;
            calls.spawn(async move { eve.call_tool("work").await });
        }
        until(&site.working, 2).await;
        let ada = user(&gateway, "ada", revision, &Count::default()).await;
        let called = soon(ada.call_tool("quick")).await.expect("called");
        assert_eq!(called.text(), "quick", "{revision}");
        assert_eq!(site.working.get(), 2, "{revision}");
        // Those that waited go on when the first end.
        site.go.add_permits(8);
        while let Some(called) = soon(calls.join_next()).await {
            assert_eq!(called.expect("no panic").expect("called").text(), "worked");
        }
    }
}

#[tokio::test]
async fn one_user_takes_a_share_of_the_calls() {
    for upstream in [Revision::V2025_11_25, Revision::LATEST] {
        let site = Site::new();
        let gateway = gateway([site.upstream(upstream, |limits| limits.calls = 8)]).await;
        let plain = || Client::builder("test", "1");
        let eve = as_user(&gateway, "eve", plain()).await;
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            calls.spawn(eve.call_tool("work").into_future());
        }
        until(&site.working, 2).await;
        let ada = as_user(&gateway, "ada", plain()).await;
        let called = soon(ada.call_tool("quick")).await.expect("called");
        assert_eq!(called.text(), "quick", "{upstream}");
        assert_eq!(site.working.get(), 2, "{upstream}");
    }
}

#[tokio::test]
async fn calls_that_wait_for_users_are_not_counted() {
    let site = Site::new();
    let upstream = site.upstream(Revision::V2025_11_25, |limits| {
        limits.calls = 1;
        limits.connections = 16;
    });
    let gateway = gateway([upstream]).await;
    let asked = Count::default();
    let ada = user(&gateway, "ada", Revision::V2025_11_25, &asked).await;
    let call = tokio::spawn(ada.call_tool("ask").into_future());
    until(&asked, 1).await;
    let called = soon(ada.call_tool("quick")).await.expect("called");
    assert_eq!(called.text(), "quick");
    call.abort();
}

#[tokio::test]
async fn sessions_of_one_user_end_no_idle_session_of_others() {
    let site = Site::new();
    let upstream = site.upstream(Revision::V2025_11_25, |limits| limits.connections = 8);
    let gateway = gateway([upstream]).await;
    let revision = Revision::V2025_11_25;
    let ada = user(&gateway, "ada", revision, &Count::default()).await;
    soon(ada.call_tool("quick")).await.expect("called");
    let mut sessions = Vec::new();
    for _ in 0..32 {
        let eve = user(&gateway, "eve", revision, &Count::default()).await;
        soon(eve.call_tool("quick")).await.expect("called");
        sessions.push(eve);
    }
    let before = site.connected.get();
    soon(ada.call_tool("quick")).await.expect("called");
    assert_eq!(site.connected.get(), before, "the connection of ada lasts");
}

#[tokio::test]
async fn sessions_of_one_user_list_and_subscribe_over_one_connection_if_the_upstream_has_no_sessions()
 {
    let site = Site::new();
    let gateway = gateway([site.upstream(Revision::LATEST, |_| {})]).await;
    let mut kept: Vec<Box<dyn Any>> = Vec::new();
    let mut counts = Vec::new();
    for name in ["ada", "ada", "ada", "bob", "bob"] {
        let revision = Revision::V2025_11_25;
        let client = user(&gateway, name, revision, &Count::default()).await;
        soon(client.tools().all()).await.expect("listed");
        subscribed(&client, revision, &mut kept)
            .await
            .expect("subscribed");
        kept.push(Box::new(client));
        counts.push(site.connected.get());
    }
    // The first one is that of the gateway itself.
    assert_eq!(counts, [2, 2, 2, 3, 3]);
}

/// Another text in the capabilities of a client, which an upstream gets, needs another connection.
fn distinct(number: u64) -> ClientBuilder {
    let settings = Object::from([("number", Value::from(number))]);
    Client::builder("test", "1").capabilities(move |mut capabilities| {
        let name = "io.modelcontextprotocol/ui";
        capabilities.extensions = Some([(name, settings)].into_iter().collect());
        capabilities
    })
}

#[tokio::test]
async fn subscription_beyond_the_share_is_refused_and_others_have_theirs() {
    for revision in CLIENTS {
        let site = Site::new();
        let upstream = site.upstream(Revision::LATEST, |limits| limits.connections = 16);
        let gateway = gateway([upstream]).await;
        let mut kept: Vec<Box<dyn Any>> = Vec::new();
        let mut results = Vec::new();
        for number in 0..4 {
            let eve = as_user(&gateway, "eve", distinct(number).revision(revision)).await;
            results.push(subscribed(&eve, revision, &mut kept).await.is_ok());
            kept.push(Box::new(eve));
        }
        assert_eq!(results, [true, true, false, false], "{revision}");
        let ada = Client::builder("test", "1").revision(revision);
        let ada = as_user(&gateway, "ada", ada).await;
        subscribed(&ada, revision, &mut kept)
            .await
            .expect("subscribed");
    }
}

/// A server counts each subscription as a request in flight, and refuses everything when it has too
/// many of them.
#[tokio::test]
async fn subscriptions_at_one_connection_have_shares_too() {
    for revision in CLIENTS {
        let site = Site::new();
        let upstream = site.upstream(Revision::LATEST, |limits| limits.subscriptions = 8);
        let gateway = gateway([upstream]).await;
        let mut kept: Vec<Box<dyn Any>> = Vec::new();
        let mut results = Vec::new();
        for name in ["eve", "eve", "eve", "ada"] {
            let builder = Client::builder("test", "1").revision(revision);
            let client = as_user(&gateway, name, builder).await;
            results.push(subscribed(&client, revision, &mut kept).await.is_ok());
            kept.push(Box::new(client));
        }
        assert_eq!(results, [true, true, false, true], "{revision}");
        kept.clear();
        let eve = Client::builder("test", "1").revision(revision);
        let eve = as_user(&gateway, "eve", eve).await;
        soon(async {
            while subscribed(&eve, revision, &mut kept).await.is_err() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

/// Subscribes to the resource. A stream of changes lasts for as long as `kept`.
async fn subscribed(
    client: &Client,
    revision: Revision,
    kept: &mut Vec<Box<dyn Any>>,
) -> Result<(), String> {
    let uri = "notes://one";
    if !revision.is_modern() {
        let params = json::to_raw(&Object::from([("uri", uri)])).expect("JSON");
        let subscribed = soon(client.request_json("resources/subscribe", &params)).await;
        return subscribed.map(drop).map_err(|error| error.to_string());
    }
    let filter = SubscriptionFilter::new().resource_subscriptions([uri.to_owned()]);
    let mut subscription = client.listen(filter);
    let event = soon(subscription.next()).await.expect("an event");
    kept.push(Box::new(subscription));
    match event {
        Ok(SubscriptionEvent::Listening(_)) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

#[tokio::test]
async fn client_that_cannot_connect_does_not_pause_others() {
    let server = Server::builder("site", "1").tool("quick", "Answers", async || "quick");
    let server = server.build().expect("valid");
    let tried = Count::default();
    let counted = tried.clone();
    let upstream = Upstream::new("a", move |builder: ClientBuilder| {
        counted.add();
        let is_refused = format!("{builder:?}").contains("number");
        let stream = ByteStream::of(server.in_memory());
        async move {
            if is_refused {
                // As a server that ends when it reads what it does not expect.
                let (ours, _) = tokio::io::duplex(1);
                return builder.connect(ByteStream::of(ours)).await;
            }
            builder.connect(stream).await
        }
    });
    let gateway = gateway([upstream]).await;
    let eve = as_user(&gateway, "eve", distinct(1)).await;
    soon(eve.call_tool("quick")).await.expect_err("refused");
    let ada = as_user(&gateway, "ada", Client::builder("test", "1")).await;
    soon(ada.call_tool("quick")).await.expect("called");
    // Only what failed is paused.
    let before = tried.get();
    soon(eve.call_tool("quick")).await.expect_err("paused");
    assert_eq!(tried.get(), before);
}

#[tokio::test]
async fn lists_of_one_user_leave_the_tasks_for_lists_to_others() {
    let silent =
        async |_: AnyRequest| std::future::pending::<Result<AnyResult, HandlerError>>().await;
    let silent = Server::builder("silent", "1")
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(silent);
    let silent = at(
        "silent",
        Revision::V2025_11_25,
        &silent.build().expect("valid"),
    );
    let site = Site::new().upstream(Revision::LATEST, |_| {});
    let gateway = gateway([silent, site]).await;
    let mut lists = JoinSet::new();
    for _ in 0..80 {
        // Each session has lists of its own.
        let eve = user(&gateway, "eve", Revision::V2025_11_25, &Count::default()).await;
        lists.spawn(async move { eve.tools().all().await });
    }
    // The first ones have been answered, without the silent upstream.
    soon(lists.join_next()).await;
    let ada = user(&gateway, "ada", Revision::LATEST, &Count::default()).await;
    // Less than the 30 seconds that the silent upstream has.
    let listed = tokio::time::timeout(Duration::from_secs(20), ada.tools().all()).await;
    let listed = listed
        .expect("without the silent upstream")
        .expect("listed");
    assert_eq!(listed.items.len(), 3);
}
