//! The hook for authorization.

use std::sync::Mutex;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use mcp_client::types::Revision;
use mcp_client::{
    Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse, CallError, Client, HttpError,
    Limits,
};
use serde_json::json;

use crate::fake::*;

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
    let mut fake = Fake::start().await;
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
        matches!(http(&error), HttpError::Unauthorized { status, headers }
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
async fn connect(fake: &mut Fake, pause: Duration, limits: Limits) -> Client {
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
    let mut fake = Fake::start().await;
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
    let mut fake = Fake::start().await;
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
    let mut fake = Fake::start().await;
    let client = fake.modern().await;
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    refuse(fake.message("tools/list").await, "401 Unauthorized").await;
    let error = soon(listing).await.expect("no panic").expect_err("refused");
    assert!(
        matches!(http(&error), HttpError::Unauthorized { .. }),
        "{error}"
    );
}
