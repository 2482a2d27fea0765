//! Equivalent URIs (RFC 3986, 6.2.2) name one resource: for guards, answers, subscriptions and
//! lists.

use mcp_server::types::json::Map;
use mcp_server::types::{Resource, TextResourceContents};
use mcp_server::{
    BuildError, HandlerError, ListAt, ResourceDef, ResourcePage, ResourceUri, Server, TemplateDef,
};
use serde_json::json;

use super::client::Client;
use super::one_representation::{ALL, opted_in};
use super::versions::{CHANGED, UPDATED, speaking};
use crate::support::peer::Peer;

const REFUSED: &str = "the row is secret";

/// A server with the guarded resource `row://secret/a`, and a template without a guard that matches
/// its URI, too.
fn server() -> Server {
    let secret = ResourceDef::text("row://secret/a", "secret", "the secret")
        .guard(async || Err::<(), _>(HandlerError::forbidden(REFUSED)));
    let rows = TemplateDef::new("row://{+name}", "row")
        .describe(async |row: Resource| row.version("1"))
        .handler(|variables: Map<String>| async move { format!("{variables:?}") });
    let words = TemplateDef::new("words:Ein%20W\u{f6}rt%2f/{word}", "word").handler(
        |variables: Map<String>| async move { variables.get("word").cloned().unwrap_or_default() },
    );
    let listed = ResourceDef::new("listed:", "listed")
        .list(async |_: ListAt| ResourcePage::new([Resource::new("LISTED:%61 b", "member")]));
    let own = ResourceDef::new("Own:%7ea b", "own")
        .handler(async || TextResourceContents::new("OWN:~a%20b", "text"));
    opted_in()
        .add_resource(secret)
        .add_resource(listed)
        .add_resource(own)
        .add_resource_template(rows)
        .add_resource_template(words)
        .build()
        .unwrap()
}

#[tokio::test]
async fn guard_holds_for_every_spelling_of_a_uri() {
    for client in &mut Client::newest(&server(), ALL) {
        for uri in [
            "row://secret/a",
            "row://%73ecret/a",
            "ROW://secret/%61",
            "row://secret/./a",
            "row://secret/b/../a",
            "row://secret/b/%2E%2e/a",
        ] {
            for method in ["resources/read", "resources/metadata", "resources/get"] {
                let answer = client.request(method, json!({ "uri": uri })).await;
                let message = &answer["error"]["message"];
                let client = client.describe();
                assert_eq!(message, "resource not found", "{client} {method} {uri}");
            }
        }
        let other = client
            .result("resources/read", json!({ "uri": "row://secret/A" }))
            .await;
        assert!(other["contents"][0]["text"].is_string(), "{other}");
    }
    let mut legacy = Peer::legacy(&server(), "2025-11-25").await;
    let error = legacy.error("resources/read", json!({ "uri": "row://%73ecret/a" }));
    assert_eq!(error.await.1, "resource not found");
}

#[tokio::test]
async fn answers_name_a_resource_by_one_uri() {
    for client in &mut Client::newest(&server(), ALL) {
        for (uri, canonical) in [
            ("row://%61bc", "row://abc"),
            ("Row://a/b/../c", "row://a/c"),
            ("row://a b%c3%a9|", "row://a%20b%C3%A9%7C"),
            ("own:%7Ea%20b", "own:~a%20b"),
        ] {
            let params = json!({ "uri": uri });
            let metadata = client.result("resources/metadata", params.clone()).await;
            assert_eq!(metadata["resource"]["uri"], canonical);
            let read = client.result("resources/read", params.clone()).await;
            assert_eq!(read["contents"][0]["uri"], canonical);
            let got = client.result("resources/get", params).await;
            assert_eq!(got["resource"]["uri"], canonical);
        }
        let listed = client.result("resources/list", json!({})).await;
        let listed = listed["resources"].as_array().unwrap();
        assert!(
            listed.iter().any(|one| one["uri"] == "own:~a%20b"),
            "{listed:?}"
        );
        let members = client
            .result("resources/list", json!({ "uri": "LISTED:" }))
            .await;
        assert_eq!(members["resources"][0]["uri"], "listed:a%20b");
    }
}

#[tokio::test]
async fn templates_match_encoded_and_plain_characters() {
    let mut peer = Peer::modern(&server());
    for uri in [
        "words:Ein%20W%C3%B6rt%2F/caf%C3%A9%20noir",
        "words:Ein%20W%c3%b6rt%2f/caf%c3%a9%20noir",
        "words:Ein W\u{f6}rt%2F/caf\u{e9} noir",
        "WORDS:%45in%20W%C3%B6rt%2F/c%61f\u{e9}%20noir",
    ] {
        let read = peer.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["text"], "caf\u{e9} noir", "{uri}");
    }
}

#[tokio::test]
async fn subscribers_are_notified_of_every_spelling() {
    let server = server();
    let mut modern = Peer::modern(&server);
    let mut legacy = Peer::legacy(&server, "2025-11-25").await;
    let several = speaking(json!({ "uris": ["row://%61bc", "row://abc"] }));
    modern.result("resources/subscribe", several).await;
    legacy
        .result("resources/subscribe", json!({ "uri": "row://%61bc" }))
        .await;
    server.resource_updated("ROW://ab%63");
    let received = modern.receive().await;
    assert_eq!(
        (&received["method"], &received["params"]["resource"]["uri"]),
        (&json!(CHANGED), &json!("row://abc"))
    );
    let received = legacy.receive().await;
    assert_eq!(
        (&received["method"], &received["params"]["uri"]),
        (&json!(UPDATED), &json!("row://abc"))
    );
    legacy
        .result("resources/unsubscribe", json!({ "uri": "row://ab%63" }))
        .await;
    server.resource_updated("row://abc");
    // A notification would come before the response.
    legacy.result("resources/list", json!({})).await;
}

#[tokio::test]
async fn definitions_that_are_not_uris_are_rejected() {
    let build = |uris: &[&str]| {
        let mut builder = Server::builder("test", "1");
        for uri in uris {
            builder = builder.add_resource(ResourceDef::text(*uri, "a", "text"));
        }
        builder.build()
    };
    for uri in ["http://[", "x://a|b", "x:a\nb", "x:%", "a b", "x:{a}"] {
        let errors = build(&[uri]).expect_err(uri);
        let text = errors.to_string();
        assert!(text.contains("not a URI"), "{text}");
    }
    let errors = build(&["x:a", "X:%61"]).expect_err("equivalent");
    assert!(
        errors
            .errors()
            .iter()
            .any(|error| matches!(error, BuildError::DuplicateName { .. })),
        "{errors}"
    );
    let server = build(&["x:caf\u{e9} a"]).unwrap();
    let mut peer = Peer::modern(&server);
    for uri in ["x:caf%C3%A9%20a", "x:caf%c3%a9 %61", "x:caf\u{e9} a"] {
        let read = peer.result("resources/read", json!({ "uri": uri })).await;
        assert_eq!(read["contents"][0]["text"], "text", "{uri}");
    }
    assert!(server.resources().contains("X:caf\u{e9}%20a"));
    assert!(server.resources().remove("X:caf\u{e9}%20a"));
    let unknown = peer.error("resources/read", json!({ "uri": "x:a" })).await;
    assert_eq!(unknown.0, -32602);
}

#[tokio::test]
async fn handlers_get_the_canonical_uri() {
    let echo =
        TemplateDef::new("echo:{+all}", "echo").handler(async |ResourceUri(uri): ResourceUri| uri);
    let server = Server::builder("test", "1")
        .add_resource_template(echo)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let params = json!({ "uri": "ECHO:/%7e/\u{e9}/." });
    let read = peer.result("resources/read", params).await;
    assert_eq!(read["contents"][0]["text"], "echo:/~/%C3%A9/");
}
