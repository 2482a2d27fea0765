//! What an upstream hands to a user and gets back: only that user can use it, at every gateway with
//! the same keys.

use mcp_client::{ByteStream, Client};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::json::{self, Object, Value};
use mcp_server::types::{BooleanSchema, ElicitationCapability, Revision, ToolsCapability};
use mcp_server::{AnyRequest, AnyResult, Context, Form, HandlerError, Keys, ResourceDef, Server};
use serde_json::value::RawValue;

use crate::support::{at, soon, user};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

async fn with_keys(upstream: Upstream, key: u8) -> Gateway {
    let gateway = Gateway::builder("gateway", "1.0.0").upstream(upstream);
    let keys = Keys::from_bytes([key; 32]);
    let gateway = gateway.configure(|builder| builder.keys(keys)).build();
    gateway.await.expect("the definition is valid")
}

/// Sends a request, and returns the result or the text of the error.
async fn sent(client: &Client, method: &'static str, params: Value) -> Result<Object, String> {
    let params = json::to_raw(&params).expect("JSON");
    let result: Result<Box<RawValue>, _> = soon(client.request_json(method, &params)).await;
    let result = result.map_err(|error| error.to_string())?;
    Ok(json::from_str(result.get()).expect("an object"))
}

fn value(text: &str) -> Value {
    json::from_str(text).expect("JSON")
}

fn text(result: &Object, name: &str) -> String {
    let text = result.get(name).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("{name} in {result:?}"))
        .to_owned()
}

#[tokio::test]
async fn question_is_answered_by_the_user_who_was_asked() {
    let ask = async |cx: Context| {
        let form = Form::new("Sure?").required("ok", BooleanSchema::new());
        let answer = cx.elicit(form).await?.accepted().is_some();
        Ok::<_, HandlerError>(if answer { "yes" } else { "no" })
    };
    let server = Server::builder("asking", "1").tool("ask", "Asks", ask);
    let server = server.build().expect("valid");
    let upstream = || at("a", Revision::LATEST, &server);
    let (first, second, other) = (
        with_keys(upstream(), 1).await,
        with_keys(upstream(), 1).await,
        with_keys(upstream(), 2).await,
    );
    let asking = async |gateway: &Gateway, name: &str| {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = gateway.server().clone();
        let stream = mcp_server::ByteStream::of(theirs);
        let stream = stream.extension(mcp_server::Principal(name.to_owned()));
        tokio::spawn(async move { server.serve(stream).await });
        let builder = Client::builder("test", "1").capabilities(|mut capabilities| {
            capabilities.elicitation = Some(ElicitationCapability::default());
            capabilities
        });
        soon(builder.connect(ByteStream::of(ours)))
            .await
            .expect("connected")
    };
    let ada = asking(&first, "ada").await;
    let asked = sent(
        &ada,
        "tools/call",
        value(r#"{"name":"ask","arguments":{}}"#),
    )
    .await;
    let asked = asked.expect("asked");
    let Some(Value::Object(questions)) = asked.get("inputRequests") else {
        panic!("{asked:?}");
    };
    let key = questions.keys().next().expect("a question").to_owned();
    let answer = format!(
        r#"{{"name":"ask","arguments":{{}},"requestState":"{}",
            "inputResponses":{{"{key}":{{"action":"accept","content":{{"ok":true}}}}}}}}"#,
        text(&asked, "requestState")
    );
    let (eve, strange) = (asking(&first, "eve").await, asking(&other, "ada").await);
    for other in [&eve, &strange] {
        let refused = sent(other, "tools/call", value(&answer))
            .await
            .expect_err("refused");
        assert!(
            refused.contains("-32602") && refused.contains("requestState"),
            "{refused}"
        );
    }
    // Also at another gateway, after a restart for example.
    for gateway in [&first, &second] {
        let ada = asking(gateway, "ada").await;
        let answered = sent(&ada, "tools/call", value(&answer))
            .await
            .expect("answered");
        let content = answered.get("content").expect("content").to_string();
        assert!(content.contains("yes"), "{content}");
    }
}

#[tokio::test]
async fn cursor_belongs_to_the_user_who_got_it() {
    let server = (0..3).fold(Server::builder("notes", "1"), |server, number| {
        let note = ResourceDef::new(format!("notes://{number}"), "note");
        server.add_resource(note.handler(async || "text"))
    });
    let server = server.page_size(2).build().expect("valid");
    for of_upstream in REVISIONS {
        for revision in REVISIONS {
            let pair = format!("{revision} -> {of_upstream}");
            let gateway = with_keys(at("a", of_upstream, &server), 1).await;
            let again = with_keys(at("a", of_upstream, &server), 1).await;
            let ada = user(&gateway, "ada", revision).await;
            let page = sent(&ada, "resources/list", value("{}"))
                .await
                .expect("a page");
            let next = format!(r#"{{"cursor":"{}"}}"#, text(&page, "nextCursor"));
            let eve = user(&gateway, "eve", revision).await;
            let refused = sent(&eve, "resources/list", value(&next))
                .await
                .expect_err(&pair);
            assert!(
                refused.contains("-32602") && refused.contains("cursor"),
                "{pair}: {refused}"
            );
            for gateway in [&gateway, &again] {
                let ada = user(gateway, "ada", revision).await;
                let rest = sent(&ada, "resources/list", value(&next))
                    .await
                    .expect(&pair);
                assert!(rest.get("nextCursor").is_none(), "{pair}: {rest:?}");
            }
        }
    }
}

#[tokio::test]
async fn client_with_a_session_sends_no_answers_for_another_user() {
    // As an upstream that knows one client, the gateway, and counts its questions.
    let answer = async |request: AnyRequest| -> Result<AnyResult, HandlerError> {
        let params = request.params().get();
        let is_answer = params.contains("requestState") || params.contains("inputResponses");
        let text = if is_answer { "transferred" } else { "begun" };
        let content =
            format!(r#"{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}"#);
        AnyResult::from_json(&value(&content))
    };
    let server = Server::builder("bank", "1")
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(answer);
    let server = server.build().expect("valid");
    let gateway = with_keys(at("a", Revision::LATEST, &server), 1).await;
    for revision in [Revision::V2024_11_05, Revision::V2025_11_25] {
        let eve = user(&gateway, "eve", revision).await;
        for members in [
            r#""requestState":"1""#,
            r#""inputResponses":{"sure":{"action":"accept"}}"#,
            r#""requestState":"1","inputResponses":{"sure":{"action":"accept"}}"#,
        ] {
            let params = format!(r#"{{"name":"transfer","arguments":{{}},{members}}}"#);
            let called = sent(&eve, "tools/call", value(&params)).await;
            let content = called
                .expect("called")
                .get("content")
                .expect("content")
                .to_string();
            assert!(content.contains("begun"), "{revision} {members}: {content}");
        }
    }
}
