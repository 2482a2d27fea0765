//! Calls, questions and subscriptions that must not reach what is hidden, or another call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, SubscriptionEvent};
use mcp_gateway::{Gateway, Kind, Upstream};
use mcp_server::middleware::{Middleware, Next, Outcome, Request};
use mcp_server::types::{
    BooleanSchema, ElicitAction, ElicitResult, ElicitValue, LoggingLevel, PromptsCapability,
    ResourcesCapability, Revision, SubscriptionFilter, json,
};
use mcp_server::{AnyRequest, AnyResult, Context, Form, HandlerError, ResourceDef, Server};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::support::{Count, at, client, connect, gateway, soon};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

#[tokio::test]
async fn arguments_of_hidden_prompts_and_templates_are_not_completed() {
    let complete = async |_: AnyRequest, _: Context| -> Result<AnyResult, HandlerError> {
        AnyResult::from_json(&raw(r#"{"completion":{"values":["found"]}}"#))
    };
    let server = Server::builder("completing", "1").capabilities(|capabilities| {
        capabilities
            .prompts(PromptsCapability::new())
            .resources(ResourcesCapability::new())
            .completions(json::Object::new())
    });
    let server = server.fallback(complete).build().expect("valid");
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let upstream = at("a", revision, &server).filter(|kind, name| match kind {
            Kind::Prompt => name != "secret",
            Kind::ResourceTemplate => name != "secret://{x}",
            _ => true,
        });
        let gateway = gateway([upstream]).await;
        let client = client(&gateway, revision).await;
        for (reference, is_found) in [
            (r#"{"type":"ref/prompt","name":"open"}"#, true),
            (r#"{"type":"ref/resource","uri":"open://{x}"}"#, true),
            (r#"{"type":"ref/prompt","name":"secret"}"#, false),
            (
                r#"{"type":"ref/prompt","name":"secret","uri":"open://x"}"#,
                false,
            ),
            (
                r#"{"type":"ref/resource","uri":"secret://{x}","name":"open"}"#,
                false,
            ),
            (r#"{"type":"ref/resource","uri":"secret://{x}"}"#, false),
        ] {
            let params = format!(r#"{{"ref":{reference},"argument":{{"name":"x","value":""}}}}"#);
            let completed = soon(client.request_json("completion/complete", &raw(&params))).await;
            assert_eq!(
                completed.is_ok(),
                is_found,
                "{revision} {reference}: {completed:?}"
            );
        }
    }
}

fn secrets() -> Server {
    let secret = ResourceDef::new("secret://one", "one").handler(async || "hidden");
    let open = ResourceDef::new("open://one", "one").handler(async || "open");
    let builder = Server::builder("secrets", "1");
    let builder = builder.add_resource(secret).add_resource(open);
    builder.build().expect("valid")
}

fn without_secrets(revision: Revision) -> Upstream {
    at("a", revision, &secrets()).filter(|_, name| !name.starts_with("secret"))
}

#[tokio::test]
async fn methods_of_other_revisions_do_not_reach_hidden_resources() {
    let gateway = gateway([without_secrets(Revision::V2025_11_25)]).await;
    let client = client(&gateway, Revision::LATEST).await;
    for (method, params) in [
        ("resources/subscribe", r#"{"uri":"open://one"}"#),
        ("resources/unsubscribe", r#"{"uri":"open://one"}"#),
        ("logging/setLevel", r#"{"level":"debug"}"#),
        ("ping", "{}"),
    ] {
        let called = soon(client.request_json(method, &raw(params))).await;
        let error = called.expect_err(method);
        assert_eq!(error.code(), Some(-32601), "{method}: {error}");
    }
}

#[tokio::test]
async fn hidden_resources_are_neither_read_nor_subscribed_to() {
    let gateway = gateway([without_secrets(Revision::LATEST)]).await;
    let old = client(&gateway, Revision::V2025_11_25).await;
    for (uri, is_visible) in [
        ("secret://one", false),
        ("Secret://one", false),
        ("open://one", true),
        ("OPEN://one", true),
    ] {
        let params = raw(&format!(r#"{{"uri":"{uri}"}}"#));
        let subscribed = soon(old.request_json("resources/subscribe", &params)).await;
        assert_eq!(subscribed.is_ok(), is_visible, "{uri}: {subscribed:?}");
        let read = soon(old.read_resource(uri)).await;
        assert_eq!(read.is_ok(), is_visible, "{uri}: {read:?}");
    }
    let new = client(&gateway, Revision::LATEST).await;
    let uris = ["secret://one", "Secret://one", "open://one"].map(str::to_owned);
    let mut subscription = new.listen(SubscriptionFilter::new().resource_subscriptions(uris));
    match soon(subscription.next()).await {
        Some(Ok(SubscriptionEvent::Listening(filter))) => {
            let uris = filter.resource_subscriptions;
            assert_eq!(uris, Some(vec!["open://one".to_owned()]));
        }
        other => panic!("{other:?}"),
    }
}

/// Makes lists wait until the test is done.
struct SlowLists {
    begun: Arc<Notify>,
    go: Arc<Notify>,
}

impl Middleware for SlowLists {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.method() == "tools/list" {
            self.begun.notify_one();
            self.go.notified().await;
        }
        next.run(request).await
    }
}

#[tokio::test]
async fn question_of_a_call_is_not_asked_with_a_list_that_began_later() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (asks, may_ask) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (noted, allowed) = (Arc::clone(&asks), Arc::clone(&may_ask));
    let ask = move |cx: Context| {
        let (noted, allowed) = (Arc::clone(&noted), Arc::clone(&allowed));
        async move {
            noted.notify_one();
            allowed.notified().await;
            let form = Form::new("Sure?").required("ok", BooleanSchema::new());
            Ok::<_, HandlerError>(cx.elicit(form).await?.accepted().is_some().to_string())
        }
    };
    let lists = SlowLists {
        begun: Arc::clone(&begun),
        go: Arc::clone(&go),
    };
    let server = Server::builder("asking", "1").tool("ask", "Asks", ask);
    let server = server.layer(lists).build().expect("valid");
    let gateway = gateway([at("a", Revision::V2025_11_25, &server)]).await;
    let builder = Client::builder("test", "1").on_elicit_form(|_| async {
        let content = json::Map::from([("ok", ElicitValue::Boolean(true))]);
        Ok(ElicitResult::new(ElicitAction::Accept).content(content))
    });
    let client = connect(&gateway, builder).await;
    let call = tokio::spawn(client.call_tool("ask").into_future());
    soon(asks.notified()).await;
    let list = tokio::spawn(client.tools().all().into_future());
    soon(begun.notified()).await;
    may_ask.notify_one();
    let answered = soon(call).await.expect("no panic").expect("called");
    assert_eq!(answered.text(), "true");
    go.notify_one();
    assert_eq!(
        soon(list)
            .await
            .expect("no panic")
            .expect("listed")
            .items
            .len(),
        1
    );
}

#[tokio::test]
async fn log_messages_of_a_call_are_not_lost_to_one_that_began_later() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (noted, allowed) = (Arc::clone(&begun), Arc::clone(&go));
    let log = move |cx: Context| {
        let (noted, allowed) = (Arc::clone(&noted), Arc::clone(&allowed));
        async move {
            noted.notify_one();
            allowed.notified().await;
            cx.log(LoggingLevel::Error, "log", "a secret").await?;
            Ok::<_, HandlerError>("logged")
        }
    };
    let waiting = Arc::clone(&begun);
    let wait = move || {
        waiting.notify_one();
        std::future::pending::<&'static str>()
    };
    let server = Server::builder("logging", "1")
        .tool("log", "Logs", log)
        .tool("wait", "Waits", wait);
    let server = server.build().expect("valid");
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = gateway([at("a", revision, &server)]).await;
        let logs = Count::default();
        let counted = logs.clone();
        let builder = Client::builder("test", "1");
        let builder = builder.on_log(LoggingLevel::Info, move |_| counted.add());
        let ada = connect(&gateway, builder).await;
        let bob = client(&gateway, Revision::LATEST).await;
        let call = tokio::spawn(ada.call_tool("log").into_future());
        soon(begun.notified()).await;
        let waiting = tokio::spawn(bob.call_tool("wait").into_future());
        soon(begun.notified()).await;
        go.notify_one();
        soon(call).await.expect("no panic").expect("called");
        let has_logs = Revision::LATEST.has_method("notifications/message");
        assert_eq!(logs.get(), usize::from(has_logs), "{revision}");
        waiting.abort();
    }
}

#[tokio::test]
async fn calls_that_wait_for_a_connection_do_not_try_again_when_it_fails() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let upstream = Upstream::new("a", move |builder: ClientBuilder| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let (ours, _) = tokio::io::duplex(64);
            builder.connect(ByteStream::of(ours)).await
        }
    });
    let gateway = gateway([upstream.lazy()]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..10 {
        calls.spawn(client.call_tool("any").into_future());
    }
    while let Some(called) = soon(calls.join_next()).await {
        assert!(called.expect("no panic").is_err());
    }
    assert_eq!(attempts.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn connections_of_a_removed_upstream_are_closed_though_clients_are_subscribed() {
    for of_client in [Revision::V2025_11_25, Revision::LATEST] {
        let (begun, ended) = (Count::default(), Count::default());
        let (counted, done) = (begun.clone(), ended.clone());
        let server = secrets();
        let upstream = Upstream::new("a", move |builder: ClientBuilder| {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            let (server, done) = (server.clone(), done.clone());
            counted.add();
            tokio::spawn(async move {
                let _ = server.serve(mcp_server::ByteStream::of(theirs)).await;
                done.add();
            });
            async move { builder.connect(ByteStream::of(ours)).await }
        });
        let gateway = Gateway::builder("gateway", "1").changing();
        let gateway = gateway.upstream(upstream).build().await.expect("valid");
        let client = client(&gateway, of_client).await;
        let filter = SubscriptionFilter::new()
            .tools_list_changed(true)
            .resource_subscriptions(["a+open://one".to_owned()]);
        let mut subscription = client.listen(filter);
        soon(subscription.next())
            .await
            .expect("an event")
            .expect("listening");
        soon(client.read_resource("a+open://one"))
            .await
            .expect("read");
        assert!(gateway.remove_upstream("a"));
        let closed = async {
            while ended.get() < begun.get() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        soon(closed).await;
    }
}

#[tokio::test]
async fn upstream_without_prefix_does_not_list_names_of_another_one() {
    let named = |tools: &[&'static str], uri: &str| {
        let builder = Server::builder("named", "1");
        let builder = tools.iter().fold(builder, |builder, &tool| {
            builder.tool(tool, "A tool", move || async move { tool })
        });
        let resource = ResourceDef::new(uri, "one").handler(async || "text");
        builder.add_resource(resource).build().expect("valid")
    };
    let trusted = at("a", Revision::LATEST, &named(&["delete"], "x://one"));
    let other = named(&["a_delete", "own"], "a+x://one");
    let other = at("other", Revision::LATEST, &other).prefix("");
    let gateway = gateway([other, trusted]).await;
    let client = client(&gateway, Revision::LATEST).await;
    let tools = soon(client.tools().all()).await.expect("listed").items;
    let listed: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(listed, ["own", "a_delete"]);
    let resources = soon(client.resources().all()).await.expect("listed").items;
    assert_eq!(resources.len(), 1);
}

#[tokio::test]
async fn old_name_of_a_renamed_tool_is_not_one_of_another_upstream() {
    let named = |name: &'static str, tool: &str| {
        let server = Server::builder(name, "1").tool(tool, "A tool", move || async move { name });
        server.build().expect("valid")
    };
    let trusted = at("a", Revision::LATEST, &named("trusted", "pay")).rename("pay", "transfer");
    let other = at("other", Revision::LATEST, &named("other", "a_pay")).prefix("");
    let gateway = gateway([other, trusted]).await;
    let client = client(&gateway, Revision::LATEST).await;
    let unknown = soon(client.call_tool("a_pay")).await;
    assert!(unknown.is_err(), "{unknown:?}");
    let called = soon(client.call_tool("a_transfer")).await.expect("called");
    assert_eq!(called.text(), "trusted");
}

#[tokio::test]
async fn client_with_many_capabilities_replaces_its_own_connections() {
    let session = async |cx: Context| {
        cx.session()
            .map_or_else(String::new, |it| it.key().to_owned())
    };
    let server = Server::builder("sessions", "1").tool("session", "Returns the session", session);
    let server = server.build().expect("valid");
    let upstream = at("a", Revision::V2025_11_25, &server);
    let gateway = gateway([upstream.limits(|limits| limits.connections = 2)]).await;
    let ada = client(&gateway, Revision::V2025_11_25).await;
    let of_ada = soon(ada.call_tool("session")).await.expect("called").text();
    let bob = client(&gateway, Revision::LATEST).await;
    soon(bob.call_tool("session")).await.expect("called");
    let builder = Client::builder("test", "1").on_roots(|| async { Ok(Vec::new()) });
    let bob = connect(&gateway, builder).await;
    soon(bob.call_tool("session")).await.expect("called");
    let again = soon(ada.call_tool("session")).await.expect("called").text();
    assert_eq!(again, of_ada);
}
