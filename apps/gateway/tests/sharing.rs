//! Connections to an upstream that several clients share, and their limits.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{ByteStream, Client, ClientBuilder, Http};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::middleware::{Next, Request, from_fn};
use mcp_server::types::v2025_11_25::ElicitationCompleteNotification;
use mcp_server::types::{
    BooleanSchema, ElicitAction, ElicitResult, ElicitValue, Revision, SubscriptionFilter, json,
};
use mcp_server::{Context, Form, HandlerError, Principal, ResourceDef, Server};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, WriteHalf};
use tokio::sync::{Mutex, Notify};

use crate::support::{Count, at, client, connect, gateway, soon};

/// Answers forms after some time, and counts them.
fn answering(builder: ClientBuilder, asked: &Count, time: Duration) -> ClientBuilder {
    let asked = asked.clone();
    builder.on_elicit_form(move |_| {
        asked.add();
        async move {
            tokio::time::sleep(time).await;
            let content = json::Map::from([("ok", ElicitValue::Boolean(true))]);
            Ok(ElicitResult::new(ElicitAction::Accept).content(content))
        }
    })
}

type Output = Arc<Mutex<WriteHalf<DuplexStream>>>;

async fn send(output: &Output, message: String) {
    let sent = output.lock().await.write_all(message.as_bytes()).await;
    sent.expect("sent");
}

/// An upstream that ignores that the call of `slow` was cancelled: it asks a question for that call
/// while it works on the call of `quick`.
#[derive(Clone, Default)]
struct Stubborn {
    begun: Arc<Notify>,
    answered: Arc<Notify>,
    /// The connection of the last call of another tool than `quick`.
    earlier: Arc<Mutex<Option<Output>>>,
}

impl Stubborn {
    fn upstream(&self) -> Upstream {
        let serving = self.clone();
        Upstream::new("a", move |builder: ClientBuilder| {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            tokio::spawn(serving.clone().serve(theirs));
            let builder = builder.revision(Revision::V2025_11_25);
            async move { builder.connect(ByteStream::of(ours)).await }
        })
    }

    async fn serve(self, stream: DuplexStream) {
        let (input, output) = tokio::io::split(stream);
        let output = Arc::new(Mutex::new(output));
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).expect("JSON");
            let id = &message["id"];
            match message["method"].as_str() {
                Some("initialize") => {
                    let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"stubborn","version":"1"}}"#;
                    let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
                    send(&output, text).await;
                }
                Some("tools/call") if message["params"]["name"] == "slow" => {
                    *self.earlier.lock().await = Some(Arc::clone(&output));
                    self.begun.notify_one();
                }
                Some("tools/call") if message["params"]["name"] == "quick" => {
                    let (this, output, id) = (self.clone(), Arc::clone(&output), id.clone());
                    tokio::spawn(async move {
                        let slow = this.earlier.lock().await.clone().expect("was called");
                        let question = r#"{"jsonrpc":"2.0","id":"late","method":"elicitation/create","params":{"message":"Your password?","requestedSchema":{"type":"object","properties":{}}}}"#;
                        send(&slow, format!("{question}\n")).await;
                        this.answered.notified().await;
                        let result = r#"{"content":[{"type":"text","text":"quick"}]}"#;
                        let text =
                            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
                        send(&output, text).await;
                    });
                }
                Some("tools/call") => {
                    let text = format!(
                        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[]}}}}\n"
                    );
                    send(&output, text).await;
                    *self.earlier.lock().await = Some(Arc::clone(&output));
                }
                None if id == "late" => self.answered.notify_one(),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn late_question_of_a_cancelled_call_reaches_no_other_anonymous_client() {
    let stubborn = Stubborn::default();
    let gateway = gateway([stubborn.upstream()]).await;
    let serving = gateway.server().serve_http("127.0.0.1:0").expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving.into_future());
    let asked = Count::default();
    let user = async |name: &'static str| {
        let builder = answering(Client::builder(name, "1"), &asked, Duration::ZERO);
        let connecting = builder.connect(Http::new(format!("http://{address}/mcp")));
        soon(connecting).await.expect("connected")
    };
    let (ada, bob) = (user("ada").await, user("bob").await);
    let call = tokio::spawn(ada.call_tool("slow").into_future());
    soon(stubborn.begun.notified()).await;
    call.abort();
    let _ = call.await;
    // Until the gateway has noticed, the connection is that of the cancelled call.
    let called = soon(bob.call_tool("quick")).await.expect("called");
    assert_eq!((called.text(), asked.get()), ("quick".to_owned(), 0));
}

fn asking() -> Server {
    let ask = async |cx: Context| {
        let form = Form::new("Sure?").required("ok", BooleanSchema::new());
        Ok::<_, HandlerError>(cx.elicit(form).await?.accepted().is_some().to_string())
    };
    let server = Server::builder("asking", "1").tool("ask", "Asks", ask);
    server.build().expect("valid")
}

#[tokio::test]
async fn time_of_a_call_does_not_run_while_the_client_answers() {
    for of_client in [Revision::V2025_11_25, Revision::LATEST] {
        let upstream = at("a", Revision::V2025_11_25, &asking());
        let short = Duration::from_millis(300);
        let gateway = gateway([upstream.limits(|limits| limits.call_time = short)]).await;
        let builder = Client::builder("test", "1").revision(of_client);
        let builder = answering(builder, &Count::default(), short * 3);
        let client = connect(&gateway, builder).await;
        let called = soon(client.call_tool("ask")).await;
        assert_eq!(called.expect("in time").text(), "true", "{of_client}");
    }
}

#[tokio::test]
async fn busy_connection_is_waited_for() {
    let (begun, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (noted, allowed) = (Arc::clone(&begun), Arc::clone(&go));
    let work = move || {
        let (noted, allowed) = (Arc::clone(&noted), Arc::clone(&allowed));
        async move {
            noted.notify_one();
            allowed.notified().await;
            "worked"
        }
    };
    let server = Server::builder("working", "1").tool("work", "Works", work);
    let upstream = at("a", Revision::V2025_11_25, &server.build().expect("valid"));
    let gateway = gateway([upstream.limits(|limits| limits.connections = 1)]).await;
    let ada = client(&gateway, Revision::V2025_11_25).await;
    let bob = client(&gateway, Revision::V2025_11_25).await;
    let first = tokio::spawn(ada.call_tool("work").into_future());
    soon(begun.notified()).await;
    let second = tokio::spawn(bob.call_tool("work").into_future());
    tokio::time::sleep(Duration::from_millis(100)).await;
    go.notify_one();
    soon(begun.notified()).await;
    go.notify_one();
    for call in [first, second] {
        let called = soon(call).await.expect("no panic").expect("called");
        assert_eq!(called.text(), "worked");
    }
}

#[tokio::test]
async fn subscriptions_leave_connections_for_calls() {
    let note = ResourceDef::new("notes://one", "one").handler(async || "text");
    let server = Server::builder("notes", "1").add_resource(note);
    let server = server.build().expect("valid");
    let upstream = at("a", Revision::LATEST, &server).limits(|limits| {
        limits.connections = 2;
        limits.connect_time = Duration::from_secs(2);
    });
    let gateway = gateway([upstream]).await;
    let mut subscriptions = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        let client = user(&gateway, name).await;
        let filter = SubscriptionFilter::new().resource_subscriptions(["notes://one".to_owned()]);
        let mut subscription = client.listen(filter);
        let event = soon(subscription.next()).await.expect("an event");
        event.expect("listening");
        subscriptions.push((client, subscription));
    }
    let dan = user(&gateway, "dan").await;
    soon(dan.read_resource("notes://one")).await.expect("read");
}

async fn user(gateway: &Gateway, name: &str) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = gateway.server().clone();
    let stream = mcp_server::ByteStream::of(theirs).extension(Principal(name.to_owned()));
    tokio::spawn(async move { server.serve(stream).await });
    let connecting = Client::builder("test", "1").connect(ByteStream::of(ours));
    soon(connecting).await.expect("connected")
}

#[tokio::test]
async fn notification_that_a_page_is_done_reaches_the_session_after_the_call() {
    let stubborn = Stubborn::default();
    let gateway = gateway([stubborn.upstream()]).await;
    let done = Arc::new(Notify::new());
    let noted = Arc::clone(&done);
    let builder = Client::builder("test", "1").revision(Revision::V2025_11_25);
    let builder = builder.on_notification::<ElicitationCompleteNotification>(move |params| {
        assert_eq!(params.elicitation_id, "7");
        noted.notify_one();
    });
    let client = connect(&gateway, builder).await;
    soon(client.call_tool("page")).await.expect("called");
    let upstream = stubborn.earlier.lock().await.clone().expect("was called");
    let message = r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"7"}}"#;
    send(&upstream, format!("{message}\n")).await;
    // It arrives while no call runs.
    tokio::time::sleep(Duration::from_millis(200)).await;
    soon(client.call_tool("ready")).await.expect("called");
    soon(done.notified()).await;
}

#[tokio::test]
async fn call_does_not_wait_until_the_level_of_log_messages_is_set() {
    let asked = Arc::new(Notify::new());
    let (noted, count) = (Arc::clone(&asked), Count::default());
    let counted = count.clone();
    // Never answers `logging/setLevel`.
    let hang = from_fn(move |request: Request, next: Next| {
        let (noted, counted) = (Arc::clone(&noted), counted.clone());
        async move {
            if request.method() == "logging/setLevel" {
                counted.add();
                noted.notify_one();
                std::future::pending::<()>().await;
            }
            next.run(request).await
        }
    });
    let server = Server::builder("work", "1").tool("work", "Works", async || "done");
    let server = server.layer(hang).build().expect("valid");
    let upstream = at("a", Revision::V2025_11_25, &server);
    let upstream = upstream.limits(|limits| limits.connect_time = Duration::from_secs(3600));
    let gateway = gateway([upstream]).await;
    let client = client(&gateway, Revision::V2025_11_25).await;
    // Connects to the upstream.
    soon(client.call_tool("work")).await.expect("called");
    let setting = client.clone();
    let setting = tokio::spawn(async move {
        let params = json::Object::from([("level", "debug")]);
        setting.request_json("logging/setLevel", &params).await
    });
    soon(asked.notified()).await;
    let called = soon(client.call_tool("work")).await.expect("called");
    assert_eq!(called.text(), "done");
    // Nor does a client get the upstream to work on any number of levels at once.
    for level in ["error", "debug", "info"] {
        let params = json::Object::from([("level", level)]);
        let setting = client.request_json("logging/setLevel", &params);
        soon(setting).await.expect("noted");
    }
    assert_eq!(count.get(), 1);
    setting.abort();
}
