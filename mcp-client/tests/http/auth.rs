//! The hook for authorization.

use std::sync::Mutex;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use mcp_client::types::Revision;
use mcp_client::{
    Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse, CallError, Client, Http,
    HttpError, Limits, RefusalKind,
};
use serde_json::json;

use super::fake::*;

/// Returns one token after the other, each until it is rejected.
struct Tokens {
    left: Mutex<Vec<&'static str>>,
    /// What the hook has seen.
    seen: Mutex<Vec<String>>,
    /// How long it takes to get the next token.
    pause: Duration,
}

impl Tokens {
    fn new(left: &[&'static str]) -> Self {
        Self {
            left: Mutex::new(left.to_vec()),
            seen: Mutex::default(),
            pause: Duration::ZERO,
        }
    }

    fn note(&self, text: String) {
        self.seen.lock().expect("no panic").push(text);
    }
}

struct Shared(&'static Tokens);

impl Authorize for Shared {
    fn authorize<'a>(&'a self, request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap> {
        assert_eq!(request.url, request.server);
        self.0
            .note(format!("{} {}", request.method, request.attempt));
        let token = self.0.left.lock().expect("no panic").last().copied();
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            if let Some(token) = token {
                headers.insert(AUTHORIZATION, HeaderValue::from_static(token));
                headers.insert("x-proof", HeaderValue::from_static("signed"));
                headers.insert("content-type", HeaderValue::from_static("overridden"));
            }
            Ok(headers)
        })
    }

    fn rejected<'a>(&'a self, response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
        assert_eq!(response.headers["www-authenticate"], "Bearer realm=\"x\"");
        assert!(response.sent.contains_key(AUTHORIZATION));
        Box::pin(async {
            tokio::time::sleep(self.0.pause).await;
            self.0.left.lock().expect("no panic").pop();
            Ok(true)
        })
    }

    fn received(&self, response: AuthorizeResponse<'_>) {
        assert!(response.sent.values().all(HeaderValue::is_sensitive));
        self.0.note(format!("status {}", response.status.as_u16()));
    }
}

async fn refuse(asked: ReceivedRequest, status: &str) {
    asked
        .answer(status, "WWW-Authenticate: Bearer realm=\"x\"\r\n", "")
        .await;
}

async fn discovered(asked: ReceivedRequest) {
    asked
        .result(&json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": [Revision::LATEST.as_str()], "capabilities": {},
        }))
        .await;
}

#[tokio::test]
async fn rejected_request_is_authorized_again_three_times() {
    let mut fake = FakeHttp::start().await;
    let tokens: &'static Tokens = Box::leak(Box::new(Tokens::new(&[
        "sixth", "fifth", "fourth", "third", "second", "first",
    ])));
    let connecting = Client::builder("test", "1").connect(fake.http().auth(Shared(tokens)));
    let connecting = tokio::spawn(connecting);
    let asked = fake.message("server/discover").await;
    assert_eq!(asked.header("authorization"), Some("first"));
    assert_eq!(asked.header("x-proof"), Some("signed"));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    refuse(asked, "401 Unauthorized").await;
    let asked = fake.message("server/discover").await;
    assert_eq!(asked.header("authorization"), Some("second"));
    discovered(asked).await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");

    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await });
    for (token, status) in [
        ("second", "403 Forbidden"),
        ("third", "401 Unauthorized"),
        ("fourth", "401 Unauthorized"),
        // Not again for the same request.
        ("fifth", "401 Unauthorized"),
    ] {
        let asked = fake.message("tools/list").await;
        assert_eq!(asked.header("authorization"), Some(token));
        refuse(asked, status).await;
    }
    let error = soon(listing).await.expect("no panic").expect_err("refused");
    assert!(
        matches!(http(&error), HttpError::Unauthorized { status, headers, .. }
            if *status == 401 && headers.contains_key("www-authenticate")),
        "{error}"
    );
    let seen = tokens.seen.lock().expect("no panic").join(", ");
    assert_eq!(
        seen,
        "POST 0, status 401, POST 1, status 200, \
         POST 0, status 403, POST 1, status 401, POST 2, status 401, POST 3, status 401"
    );
}

/// The time is paused, so that no test waits.
async fn connect(fake: &mut FakeHttp, pause: Duration, limits: Limits) -> Client {
    let mut tokens = Tokens::new(&["second", "first"]);
    tokens.pause = pause;
    let server = fake.http().auth(Shared(Box::leak(Box::new(tokens))));
    let connecting = Client::builder("test", "1").limits(limits).connect(server);
    let connecting = tokio::spawn(connecting);
    discovered(fake.message("server/discover").await).await;
    soon(connecting)
        .await
        .expect("no panic")
        .expect("connected")
}

#[tokio::test]
async fn timeout_of_a_call_does_not_run_while_a_user_logs_in() {
    let mut fake = FakeHttp::start().await;
    let mut limits = Limits::default();
    limits.call_time = Duration::from_secs(1);
    let client = connect(&mut fake, Duration::from_secs(2), limits).await;
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    refuse(fake.message("tools/list").await, "401 Unauthorized").await;
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("authorization"), Some("second"));
    asked
        .result(&json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [],
        }))
        .await;
    soon(listing).await.expect("no panic").expect("listed");
}

#[tokio::test]
async fn pause_of_the_timeout_is_limited() {
    let mut fake = FakeHttp::start().await;
    let mut limits = Limits::default();
    limits.call_time = Duration::from_millis(200);
    limits.authorize_time = Duration::from_millis(200);
    let client = connect(&mut fake, Duration::from_secs(3600), limits).await;
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    refuse(fake.message("tools/list").await, "401 Unauthorized").await;
    let error = soon(listing)
        .await
        .expect("no panic")
        .expect_err("too late");
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
}

#[tokio::test]
async fn unauthorized_is_returned_without_an_authorization_hook() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    refuse(fake.message("tools/list").await, "401 Unauthorized").await;
    let error = soon(listing).await.expect("no panic").expect_err("refused");
    assert!(
        matches!(http(&error), HttpError::Unauthorized { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn refusal_with_a_message_is_the_error_of_the_call() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let scopes = RefusalKind::MissingScopes(vec!["a".to_owned(), "b".to_owned()]);
    let challenge =
        "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"a b\"\r\n".to_owned();
    let after = Duration::from_secs(7);
    for (status, head, code, kind) in [
        ("401 Unauthorized", "", -32600, RefusalKind::LoginRequired),
        ("403 Forbidden", &*challenge, -32600, scopes),
        (
            "403 Forbidden",
            "WWW-Authenticate: Basic realm=\"x\", Bearer scope=a, error=insufficient_scope\r\n",
            -32600,
            RefusalKind::MissingScopes(vec!["a".to_owned()]),
        ),
        (
            "403 Forbidden",
            "WWW-Authenticate: Bearer error=\"invalid_token\", error_description=\"not \
             insufficient_scope\", scope=\"a\"\r\n",
            -32600,
            RefusalKind::Forbidden,
        ),
        ("403 Forbidden", "", -32600, RefusalKind::Forbidden),
        (
            "429 Too Many Requests",
            "Retry-After: 7\r\n",
            -32000,
            RefusalKind::Busy(Some(after)),
        ),
        (
            "503 Service Unavailable",
            "",
            -32603,
            RefusalKind::Busy(None),
        ),
        ("404 Not Found", "", -32601, RefusalKind::UnknownMethod),
        ("400 Bad Request", "", -32602, RefusalKind::InvalidParams),
        ("200 OK", "", -32602, RefusalKind::InvalidParams),
    ] {
        let listing = tokio::spawn(client.tools().one_page().into_future());
        let asked = fake.message("tools/list").await;
        let error = json!({"code": code, "message": "the text of the server"});
        let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error});
        let head = format!("Content-Type: application/json\r\n{head}");
        asked.answer(status, &head, &body.to_string()).await;
        let error = soon(listing).await.expect("no panic").expect_err("refused");
        assert_eq!(error.code(), Some(code), "{status}: {error}");
        assert!(error.to_string().contains("the text of the server"));
        assert_eq!(error.kind(), Some(kind), "{status}");
        assert!(fake.is_quiet(), "a refused request is not cancelled");
    }
    // Without a message, only the kind is known.
    let listing = tokio::spawn(client.tools().one_page().into_future());
    let asked = fake.message("tools/list").await;
    asked.answer("403 Forbidden", &challenge, "no").await;
    let error = soon(listing).await.expect("no panic").expect_err("refused");
    assert!(matches!(error.kind(), Some(RefusalKind::MissingScopes(_))));
    assert_eq!(error.code(), None);
}

#[tokio::test]
async fn missing_scope_has_the_same_kind_over_every_transport() {
    let tool = async |cx: mcp_server::Context| cx.require_scopes(["delete"]);
    let server = mcp_server::Server::builder("guarded", "1").tool("delete", "", tool);
    let server = server.build().expect("the definition is valid");
    for client in over_every_transport(server).await {
        check_scope(&client).await;
    }
}

/// Returns clients of a server over HTTP, of both eras, and over a byte stream.
async fn over_every_transport(server: mcp_server::Server) -> Vec<Client> {
    let serving = server.serve_http("127.0.0.1:0").expect("bound");
    let url = format!("http://{}/mcp", serving.local_addr());
    tokio::spawn(serving);
    let mut clients = Vec::new();
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let builder = Client::builder("test", "1").revision(revision);
        clients.push(builder.connect(Http::new(&*url)).await.expect("connected"));
    }
    let stream = mcp_client::ByteStream::of(server.in_memory());
    let client = Client::builder("test", "1").connect(stream).await;
    clients.push(client.expect("connected"));
    clients
}

async fn check_scope(client: &Client) {
    let error = client.call_tool("delete").await.expect_err("refused");
    assert_eq!(error.code(), Some(-32600), "{error:?}");
    assert!(error.to_string().contains("lacks a scope"), "{error}");
    let scopes = RefusalKind::MissingScopes(vec!["delete".to_owned()]);
    assert_eq!(error.kind(), Some(scopes), "{error:?}");
}

fn busy() -> mcp_server::HandlerError {
    mcp_server::HandlerError::busy(Duration::from_secs(30))
}

#[tokio::test]
async fn used_up_limit_of_the_program_has_the_same_kind_over_every_transport() {
    let server = mcp_server::Server::builder("limited", "1")
        .tool("limited", "", async || Err::<(), _>(busy()))
        .tool("late", "", async |cx: mcp_server::Context| {
            cx.progress(1, 2, "begun").await?;
            Err::<(), _>(busy())
        });
    let server = server.build().expect("the definition is valid");
    for client in over_every_transport(server).await {
        for tool in ["limited", "late"] {
            let call = client.call_tool(tool).on_progress(|_| ());
            let error = call.await.expect_err("refused");
            assert_eq!(error.code(), Some(-32603), "{error:?}");
            let kind = RefusalKind::Busy(Some(Duration::from_secs(30)));
            assert_eq!(error.kind(), Some(kind), "{tool}: {error:?}");
            assert!(error.is_transient());
        }
    }
}

#[tokio::test]
async fn statuses_of_a_proxy_that_cannot_reach_the_server_are_transient() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    for (status, is_transient) in [
        ("429 Too Many Requests", true),
        ("502 Bad Gateway", true),
        ("503 Service Unavailable", true),
        ("504 Gateway Timeout", true),
        ("500 Internal Server Error", false),
        ("403 Forbidden", false),
        ("404 Not Found", false),
    ] {
        for has_message in [false, true] {
            let listing = tokio::spawn(client.tools().one_page().into_future());
            let asked = fake.message("tools/list").await;
            let error = json!({"code": -32000, "message": "no"});
            let message = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error});
            let (head, body) = if has_message {
                ("Content-Type: application/json\r\n", message.to_string())
            } else {
                ("Content-Type: text/html\r\n", "<h1>no</h1>".to_owned())
            };
            asked.answer(status, head, &body).await;
            let error = soon(listing).await.expect("no panic").expect_err("refused");
            assert_eq!(error.is_transient(), is_transient, "{status}: {error:?}");
        }
    }
}
