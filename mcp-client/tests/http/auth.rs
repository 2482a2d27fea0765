//! The hook for authorization.

use std::sync::Mutex;

use mcp_client::{Authorize, Challenge, Client, HttpError, Token};
use serde_json::json;

use crate::fake::*;

/// Returns one token after the other, each until it is rejected.
struct Tokens(Mutex<Vec<&'static str>>);

impl Authorize for Tokens {
    fn authorization<'a>(&'a self, _: &'a http::Uri) -> Token<'a> {
        let token = self
            .0
            .lock()
            .expect("no panic")
            .last()
            .map(ToString::to_string);
        Box::pin(async { Ok(token) })
    }

    fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> Token<'a> {
        let asked = challenge
            .headers
            .get("www-authenticate")
            .expect("a challenge");
        assert_eq!(asked, "Bearer realm=\"x\"");
        assert!(challenge.used.is_some());
        self.0.lock().expect("no panic").pop();
        self.authorization(challenge.url)
    }
}

async fn refuse(asked: ReceivedRequest, status: &str) {
    asked
        .answer(status, "WWW-Authenticate: Bearer realm=\"x\"\r\n", "")
        .await;
}

#[tokio::test]
async fn rejected_token_is_refreshed_once() {
    let mut fake = Fake::start().await;
    let tokens = Tokens(Mutex::new(vec!["fourth", "third", "second", "first"]));
    let connecting = Client::builder("test", "1").connect(fake.http().auth(tokens));
    let connecting = tokio::spawn(connecting);
    let asked = fake.message("server/discover").await;
    assert_eq!(asked.header("authorization"), Some("first"));
    refuse(asked, "401 Unauthorized").await;
    let asked = fake.message("server/discover").await;
    assert_eq!(asked.header("authorization"), Some("second"));
    asked
        .result(&json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": {},
        }))
        .await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");

    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("authorization"), Some("second"));
    refuse(asked, "403 Forbidden").await;
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.header("authorization"), Some("third"));
    // Not again for the same request.
    refuse(asked, "401 Unauthorized").await;
    let error = soon(listing).await.expect("no panic").expect_err("refused");
    assert!(
        matches!(http(&error), HttpError::Unauthorized { status, headers }
            if *status == 401 && headers.contains_key("www-authenticate")),
        "{error}"
    );
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
