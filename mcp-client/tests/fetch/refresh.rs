//! Requesting an expired URL again, from servers that support it (SEP-2093).

use mcp_client::types::Proposal;
use mcp_client::{Client, FetchError, FetchFailed, Fetched, FetchedBy};
use serde_json::Value;

use super::mcp::{URI, resource};
use crate::support::script::Script;
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

const WITH_PROPOSAL: &str = r#"{"resources":{},"experimental":{"sep-2093":{}}}"#;

/// Returns a client with the proposal, and a server with these capabilities.
async fn script(web: &Web, capabilities: &str) -> (Client, Script) {
    let builder = Client::builder("test", "1.0.0").fetch_policy(web.policy());
    Script::modern(builder.proposals([Proposal::Sep2093]), capabilities).await
}

/// Answers with a result that has these members.
async fn answer(script: &mut Script, asked: &Value, members: &str) {
    let result =
        format!(r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private",{members}}}"#);
    script.answer(asked, &result).await;
}

/// Answers a request with the metadata of the resource.
async fn metadata(script: &mut Script, members: &str) {
    let asked = script.read().await;
    assert_eq!(asked["method"], "resources/metadata");
    assert_eq!(asked["params"]["uri"], URI);
    let resource = format!(r#"{{"uri":"{URI}","name":"data"{members}}}"#);
    let members = format!(r#""resource":{resource}"#);
    answer(script, &asked, &members).await;
}

async fn read(script: &mut Script) {
    let asked = script.read().await;
    assert_eq!(asked["method"], "resources/read");
    let contents = format!(r#"[{{"uri":"{URI}","text":"read"}}]"#);
    let members = format!(r#""contents":{contents}"#);
    answer(script, &asked, &members).await;
}

async fn content(fetched: Result<Fetched, FetchFailed>) -> (Fetched, Vec<u8>) {
    let mut fetched = fetched.expect("fetched");
    let bytes = soon(fetched.bytes()).await.expect("bytes").to_vec();
    (fetched, bytes)
}

const NEW: &str = r#","httpUrl":"https://files.example/new","mimeType":"text/html","size":3"#;

#[tokio::test]
async fn expired_url_is_requested_again() {
    let mut web = Web::start().await;
    let (client, mut script) = script(&web, WITH_PROPOSAL).await;
    web.answer(Reply::ok("text/html", b"new"));
    let old = resource().http_url_expires_at("2020-01-01T00:00:00Z");
    let (fetched, ()) = tokio::join!(soon(client.fetch(&old)), metadata(&mut script, NEW));
    let (fetched, bytes) = content(fetched).await;
    assert_eq!(bytes, b"new");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert!(matches!(fetched.attempts(), [FetchError::Expired { .. }]));
    assert_eq!(fetched.reference().size, Some(3));
    assert!(web.head().await.starts_with("GET /new HTTP/1.1"));
}

#[tokio::test]
async fn rejected_url_is_requested_again_once() {
    let web = Web::start().await;
    let (client, mut script) = script(&web, WITH_PROPOSAL).await;
    for status in ["401 Unauthorized", "403 Forbidden", "410 Gone"] {
        web.answer(Reply::status(status));
        web.answer(Reply::ok("text/html", b"new"));
        let known = resource();
        let (fetched, ()) = tokio::join!(soon(client.fetch(&known)), metadata(&mut script, NEW));
        let (fetched, bytes) = content(fetched).await;
        assert_eq!(bytes, b"new");
        assert!(matches!(fetched.attempts(), [FetchError::Status { .. }]));

        // The new URL is rejected as well.
        web.answer(Reply::status(status));
        web.answer(Reply::status(status));
        let answer = async {
            metadata(&mut script, NEW).await;
            read(&mut script).await;
        };
        let (fetched, ()) = tokio::join!(soon(client.fetch(&known)), answer);
        let (fetched, bytes) = content(fetched).await;
        assert_eq!(bytes, b"read");
        assert_eq!(fetched.attempts().len(), 2);
    }
}

#[tokio::test]
async fn url_of_a_bare_uri_is_requested() {
    let web = Web::start().await;
    let (client, mut script) = script(&web, WITH_PROPOSAL).await;
    web.answer(Reply::ok("text/html", b"new"));
    let (fetched, ()) = tokio::join!(soon(client.fetch(URI)), metadata(&mut script, NEW));
    assert_eq!(content(fetched).await.1, b"new");
    // A resource without a URL is read.
    let answer = async {
        metadata(&mut script, "").await;
        read(&mut script).await;
    };
    let (fetched, ()) = tokio::join!(soon(client.fetch(URI)), answer);
    assert_eq!(content(fetched).await.1, b"read");
}

#[tokio::test]
async fn unchanged_url_is_not_tried_again() {
    let web = Web::start().await;
    let (client, mut script) = script(&web, WITH_PROPOSAL).await;
    web.answer(Reply::status("410 Gone"));
    let known = resource();
    let same = r#","httpUrl":"https://files.example/data?token=secret""#;
    let answer = async {
        metadata(&mut script, same).await;
        read(&mut script).await;
    };
    let (fetched, ()) = tokio::join!(soon(client.fetch(&known)), answer);
    let (fetched, bytes) = content(fetched).await;
    assert_eq!(bytes, b"read");
    assert_eq!(fetched.attempts().len(), 1);
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn metadata_is_not_requested_without_the_proposal() {
    let web = Web::start().await;
    let (client, mut script) = script(&web, r#"{"resources":{}}"#).await;
    let old = resource().http_url_expires_at("2020-01-01T00:00:00Z");
    let (fetched, ()) = tokio::join!(soon(client.fetch(&old)), read(&mut script));
    assert_eq!(content(fetched).await.1, b"read");
}
