//! The parts of an unexpected error that the peer gets, and those that are logged.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mcp_server::types::{CallToolRequest, PromptArgument, Request as _};
use mcp_server::{
    Completing, ErrorDetail, HandlerError, HttpConfig, Principal, PromptDef, ResourceDef, Server,
};
use serde_json::{Value, json};
use tracing::Level;

use super::peer::{exchange, modern, post};
use crate::support::apps::serve_app;
use crate::support::log::{Fields, Log};

#[derive(Debug)]
struct Failure {
    text: &'static str,
    source: Option<Box<Failure>>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.source.as_deref()?;
        Some(source)
    }
}

/// "the notes cannot be counted: no such table: at /var/lib/notes.db".
fn failure() -> Failure {
    let chain = |text, source: Option<Failure>| Failure {
        text,
        source: source.map(Box::new),
    };
    let file = chain("at /var/lib/notes.db", None);
    let table = chain("no such table", Some(file));
    chain("the notes cannot be counted", Some(table))
}

const OWN: &str = "the notes cannot be counted";
const CAUSES: &str = "no such table: at /var/lib/notes.db";

fn server(detail: Option<ErrorDetail>) -> Server {
    let mut builder =
        Server::builder("failing", "1")
            .tool("count", "Counts", async || -> Result<_, HandlerError> {
                Err::<String, _>(failure())?;
                Ok(String::new())
            })
            .tool("refuse", "Refuses", async || -> Result<_, HandlerError> {
                Err::<String, _>(HandlerError::tool("try tomorrow"))
            })
            .prompt("refuse", "Refuses", async || -> Result<_, HandlerError> {
                Err::<String, _>(HandlerError::tool("try tomorrow"))
            })
            .add_prompt(
                PromptDef::new("count")
                    .argument(PromptArgument::new("of"))
                    .handler(async || -> Result<_, HandlerError> {
                        Err::<String, _>(failure().into())
                    }),
            )
            .add_resource(ResourceDef::new("notes://count", "count").handler(
                async || -> Result<_, HandlerError> { Err::<String, _>(failure().into()) },
            ))
            .complete_prompt(
                "count",
                "of",
                async |_: Completing| -> Result<_, HandlerError> {
                    Err::<Vec<String>, _>(failure().into())
                },
            );
    if let Some(detail) = detail {
        builder = builder.error_detail(detail);
    }
    builder.build().expect("the definition is sound")
}

fn requests() -> [(Value, Option<&'static str>); 4] {
    let reference = json!({
        "ref": { "type": "ref/prompt", "name": "count" },
        "argument": { "name": "of", "value": "" },
    });
    [
        (
            modern(7, "tools/call", json!({ "name": "count" })),
            Some("count"),
        ),
        (modern(7, "prompts/get", json!({ "name": "count" })), None),
        (
            modern(7, "resources/read", json!({ "uri": "notes://count" })),
            None,
        ),
        (modern(7, "completion/complete", reference), None),
    ]
}

/// Returns the text that the peer gets, in either form.
fn text(answer: &Value) -> &str {
    let text = if answer["error"].is_null() {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        &answer["result"]["content"][0]["text"]
    } else {
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        &answer["error"]["message"]
    };
    text.as_str().expect("a text")
}

fn failed(log: &Log) -> Fields {
    let warnings = log.of(Level::WARN);
    let [warning] = &warnings[..] else {
        panic!("{warnings:?}");
    };
    assert_eq!(warning.message(), "handler failed");
    warning.fields.clone()
}

#[tokio::test]
async fn causes_of_an_error_are_logged_and_not_sent() {
    let log = Log::begin();
    for (request, tool) in requests() {
        let answers = exchange(server(None), std::slice::from_ref(&request)).await;
        assert_eq!(text(&answers[0]), OWN, "{request}");
        assert!(!answers[0].to_string().contains("table"), "{}", answers[0]);
        let fields = failed(&log);
        assert_eq!(fields.get("method"), request["method"].as_str());
        assert_eq!(fields.get("tool"), tool);
        assert_eq!(fields.get("request.id"), Some("7"));
        assert_eq!(fields.get("principal"), None);
        assert_eq!(fields.get("error"), Some(OWN));
        assert_eq!(fields.get("causes"), Some(CAUSES));
    }
}

#[tokio::test]
async fn error_detail_decides_what_the_peer_gets() {
    let log = Log::begin();
    for (detail, of_tool, of_others) in [
        (ErrorDetail::Hidden, "the tool failed", "internal error"),
        (ErrorDetail::Message, OWN, OWN),
        (
            ErrorDetail::Causes,
            &*format!("{OWN}: {CAUSES}"),
            &*format!("{OWN}: {CAUSES}"),
        ),
    ] {
        for (request, tool) in requests() {
            let answers = exchange(server(Some(detail)), std::slice::from_ref(&request)).await;
            let expected = if tool.is_some() { of_tool } else { of_others };
            assert_eq!(text(&answers[0]), expected, "{detail:?} {request}");
            // The log has the complete error, whatever the peer gets.
            let fields = failed(&log);
            assert_eq!(fields.get("error"), Some(OWN));
            assert_eq!(fields.get("causes"), Some(CAUSES));
        }
    }
}

#[tokio::test]
async fn error_for_the_peer_is_sent_unchanged() {
    let log = Log::begin();
    let request = modern(1, CallToolRequest::METHOD, json!({ "name": "refuse" }));
    let answers = exchange(server(Some(ErrorDetail::Hidden)), &[request]).await;
    assert_eq!(text(&answers[0]), "try tomorrow");
    let logged = log.of(Level::DEBUG);
    // Prompts have no such result, but the text is sent completely.
    let request = modern(1, "prompts/get", json!({ "name": "refuse" }));
    let answers = exchange(server(Some(ErrorDetail::Hidden)), &[request]).await;
    assert_eq!(text(&answers[0]), "try tomorrow");
    let ours: Vec<_> = logged
        .iter()
        .filter(|one| one.message() == "a tool returned an error")
        .collect();
    assert_eq!(ours.len(), 1, "{logged:?}");
    assert_eq!(ours[0].fields.get("tool"), Some("refuse"));
}

#[tokio::test]
async fn error_over_http_is_logged_with_the_principal() {
    let log = Log::begin();
    let service = server(None).into_service(HttpConfig::new());
    let app = axum::Router::new()
        .fallback_service(service)
        .layer(axum::Extension(Principal("alice\n\u{1b}[2J".to_owned())));
    let address = serve_app(app).await;
    let (request, _) = requests()[0].clone();
    let head = format!(
        "Host: {address}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: count\r\n"
    );
    let response = post(address, &head, &request.to_string()).await;
    assert!(response.contains(OWN), "{response}");
    assert!(!response.contains("table"), "{response}");
    let fields = failed(&log);
    assert_eq!(fields.get("principal"), Some(r"alice\u{a}\u{1b}[2J"));
    assert_eq!(fields.get("tool"), Some("count"));
}

#[tokio::test]
async fn converted_error_is_logged_as_configured() {
    let log = Log::begin();
    let convert = |error: Failure| HandlerError::tool("later").logged_as(format!("notes: {error}"));
    let server = Server::builder("failing", "1")
        .map_error(convert)
        .tool("count", "Counts", async || Err::<String, _>(failure()))
        .build()
        .expect("valid");
    let request = modern(1, CallToolRequest::METHOD, json!({ "name": "count" }));
    let answers = exchange(server, &[request]).await;
    assert_eq!(text(&answers[0]), "later");
    let logged = log.of(Level::WARN);
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert_eq!(logged[0].message(), "handler failed");
    assert_eq!(
        logged[0].fields.get("error"),
        Some(&*format!("notes: {OWN}"))
    );
}

#[tokio::test]
async fn each_response_is_logged_once_at_debug() {
    let log = Log::begin();
    let requests = [
        modern(1, CallToolRequest::METHOD, json!({ "name": "refuse" })),
        modern(2, CallToolRequest::METHOD, json!({ "name": "unknown" })),
    ];
    exchange(server(None), &requests).await;
    let messages: Vec<_> = log.of(Level::DEBUG);
    let messages = messages.iter().map(|event| event.message().to_owned());
    let answered: Vec<_> = messages
        .filter(|text| text.starts_with("request answered"))
        .collect();
    let expected = ["request answered", "request answered with an error"];
    assert_eq!(answered, expected);
}

#[tokio::test]
async fn handler_that_blocks_a_thread_is_logged_with_its_tool() {
    let server = Server::builder("test", "1")
        .tool("block", "Blocks", async || {
            std::thread::sleep(Duration::from_millis(1_100));
            "done"
        })
        .tool("wait", "Awaits", async || {
            tokio::time::sleep(Duration::from_millis(1_100)).await;
            "done"
        })
        .build()
        .unwrap();
    for (tool, warns) in [("wait", false), ("block", true)] {
        let log = Log::begin();
        let request = modern(1, CallToolRequest::METHOD, json!({ "name": tool }));
        exchange(server.clone(), &[request]).await;
        let warnings = log.of(Level::WARN);
        assert_eq!(warnings.len(), usize::from(warns), "{warnings:?}");
        for warning in warnings {
            assert!(warning.message().contains("spawn_blocking"), "{warning:?}");
            assert!(warning.fields.get("elapsed").is_some(), "{warning:?}");
        }
    }
}

#[test]
fn handler_that_never_returns_is_logged_with_its_tool() {
    let log = Log::of_all_threads();
    let is_released = Arc::new(AtomicBool::new(false));
    let waits_for = Arc::clone(&is_released);
    let server = Server::builder("test", "1")
        .tool("stuck", "Blocks", move || {
            let waits_for = Arc::clone(&waits_for);
            async move {
                while !waits_for.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                "done"
            }
        })
        .build()
        .unwrap();
    // The only thread of the runtime is the one that is blocked.
    let serving = std::thread::spawn(|| {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let request = modern(1, CallToolRequest::METHOD, json!({ "name": "stuck" }));
        runtime.block_on(exchange(server, &[request]))
    });
    let began = Instant::now();
    let warning = loop {
        let mut warnings = log.of(Level::WARN).into_iter();
        // Other tests of the process may also block.
        let found = warnings.find(|warning| {
            let is_stuck = warning.fields.get("tool") == Some("stuck");
            is_stuck && warning.message().contains("has not returned")
        });
        if found.is_some() || began.elapsed() > Duration::from_secs(20) {
            break found;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    is_released.store(true, Ordering::Relaxed);
    let answers = serving.join().expect("no panic");
    assert_eq!(answers[0]["result"]["content"][0]["text"], "done");
    let warning = warning.expect("a warning");
    let method = warning.fields.get("method");
    assert!(
        method.is_some_and(|it| it.contains("tools/call")),
        "{warning:?}"
    );
}
