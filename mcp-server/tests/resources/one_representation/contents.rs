//! Contents have the members of their resource.

use std::time::Duration;

use mcp_server::types::json::Object;
use mcp_server::types::{
    AnyResourceContents, CacheScope, Resource, ResourceType, TextResourceContents,
};
use mcp_server::{HttpUrls, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri, Server};
use serde_json::json;
use tracing::Level;

use super::{ALL, opted_in, server};
use crate::resources::client::Client;
use crate::support::log::Log;

#[tokio::test]
async fn contents_of_members_get_what_only_the_list_knows() {
    let members = || async {
        let text = |uri| AnyResourceContents::from(TextResourceContents::new(uri, "text"));
        vec![text("m:a"), text("m:b"), text("m:unknown")]
    };
    let list = |at: ListAt| async move {
        let member = |name: &str| {
            let uri = format!("m:{name}");
            let member = Resource::new(uri, name).title(format!("Member {name}"));
            member.resource_type(ResourceType::Document)
        };
        // The last members of the contents are on the second page.
        match at.after.as_deref() {
            None => ResourcePage::new([member("a")]).next("a"),
            Some("a") => ResourcePage::new([member("b")]).next("b"),
            // There is always another page.
            Some(_) => ResourcePage::default().next("c"),
        }
    };
    let server = opted_in()
        .add_resource(
            ResourceDef::new("m:", "members")
                .handler(members)
                .list(list),
        )
        .build()
        .unwrap();
    for mut client in Client::newest(&server, ALL) {
        let result = client
            .result("resources/read", json!({ "uri": "m:" }))
            .await;
        let expected = |name: &str| {
            json!({
                "uri": format!("m:{name}"), "name": name, "title": format!("Member {name}"),
                "resourceType": "document", "size": 4, "text": "text",
            })
        };
        let unknown = json!({ "uri": "m:unknown", "name": "unknown", "size": 4, "text": "text" });
        let contents = json!([expected("a"), expected("b"), unknown]);
        assert_eq!(result["contents"], contents, "{}", client.describe());
    }
}

#[tokio::test]
async fn contents_tell_the_version_and_the_url() {
    let server = server();
    server
        .resources()
        .add(ResourceDef::text("d:fixed", "fixed", "text"))
        .unwrap();
    let formats = |ResourceUri(uri): ResourceUri| async move {
        let text = |mime_type| TextResourceContents::new(&uri, "text").mime_type(mime_type);
        vec![
            AnyResourceContents::from(text("text/plain")),
            text("text/html").into(),
        ]
    };
    let formats = ResourceDef::new("d:formats", "formats").handler(formats);
    server
        .resources()
        .add(formats.mime_type("text/html"))
        .unwrap();
    for mut client in Client::newest(&server, ALL) {
        for uri in ["d:report", "versions:a", "rows:a", "d:fixed", "d:formats"] {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            let got = client.result("resources/get", json!({ "uri": uri })).await;
            let contents = result["contents"].as_array().unwrap();
            for contents in contents {
                for member in ["version", "kind", "metadata"] {
                    assert_eq!(
                        contents[member], got["resource"][member],
                        "{uri}: {contents}"
                    );
                }
                assert!(contents["version"].is_string(), "{uri}: {contents}");
                // The URL serves the preferred representation.
                let is_preferred = contents["mimeType"] == got["contents"]["contentType"]
                    || contents["mimeType"].is_null();
                assert_eq!(contents["httpUrl"].is_string(), is_preferred, "{contents}");
                assert_eq!(contents["httpUrlExpiresAt"].is_string(), is_preferred);
            }
            // A result with a signed URL must not be shared, nor outlive it.
            assert_eq!(result["cacheScope"], "private");
        }
    }
}

#[tokio::test]
async fn results_with_urls_are_not_cached_for_longer_than_the_urls() {
    let hour = Duration::from_secs(3600);
    let public =
        |uri: &str| ResourceDef::text(uri, "public", "text").cache(hour, CacheScope::Public);
    let urls = HttpUrls::new("https://files.example.com/r/").unwrap();
    let server = Server::builder("test", "1")
        .proposals([Proposal::HttpsUrl, Proposal::Sep2093])
        .http_urls(urls.lifetime(Duration::from_secs(60)))
        .add_resource(public("d:a"))
        .add_resource(public("d:b").http_url(false))
        .build()
        .unwrap();
    for mut client in Client::newest(&server, ALL) {
        // A URL is at most a quarter of its lifetime old, and ends with a whole second.
        for (uri, scope, ttl) in [
            ("d:a", "private", 44_000..=60_000),
            ("d:b", "public", 3_600_000..=3_600_000),
        ] {
            let result = client.result("resources/read", json!({ "uri": uri })).await;
            assert_eq!(result["cacheScope"], scope, "{result}");
            let found = result["ttlMs"].as_u64().unwrap();
            assert!(ttl.contains(&found), "{result}");
        }
    }
}

#[tokio::test]
async fn contents_have_only_the_members_of_offered_proposals() {
    let contents = |ResourceUri(uri): ResourceUri| async move {
        let contents = TextResourceContents::new(uri, "text")
            .name("own name")
            .version("own");
        let contents = contents
            .kind("own")
            .metadata(Object::from([("owner", "own")]));
        contents
            .http_url("https://own.example.com/")
            .http_url_expires_at("own")
    };
    for (proposals, present) in [
        (&[][..], &[][..]),
        (&[Proposal::Sep2093][..], &["name"][..]),
        (
            &[Proposal::VersionedResources],
            &["version", "kind", "metadata"],
        ),
        (&[Proposal::HttpsUrl], &["httpUrl", "httpUrlExpiresAt"]),
    ] {
        let server = Server::builder("test", "1")
            .proposals(proposals.iter().copied())
            .resource("d:a", "a", contents)
            .build()
            .unwrap();
        let mut clients = Client::older(&server, ALL).await;
        clients.extend(Client::newest(&server, ALL));
        for mut client in clients {
            let mut result = client
                .result("resources/read", json!({ "uri": "d:a" }))
                .await;
            let contents = result["contents"][0].take();
            let expected = if client.is_newest() { present } else { &[] };
            for member in [
                "name",
                "version",
                "kind",
                "metadata",
                "httpUrl",
                "httpUrlExpiresAt",
            ] {
                let is_present = !contents[member].is_null();
                let case = format!("{} {proposals:?} {contents}", client.describe());
                assert_eq!(is_present, expected.contains(&member), "{member}: {case}");
            }
        }
    }
}

#[tokio::test]
async fn url_in_contents_that_is_not_https_is_left_out() {
    let contents = |ResourceUri(uri): ResourceUri| async move {
        TextResourceContents::new(uri, "text").http_url("http://own.example.com/secret")
    };
    let server = Server::builder("test", "1")
        .proposals([Proposal::HttpsUrl])
        .resource("d:a", "a", contents)
        .build()
        .unwrap();
    let log = Log::begin();
    let [mut client, _] = Client::newest(&server, ALL);
    let result = client
        .result("resources/read", json!({ "uri": "d:a" }))
        .await;
    assert!(result["contents"][0]["httpUrl"].is_null(), "{result}");
    let errors = log.of(Level::ERROR);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].fields.get("uri"), Some("d:a"));
    assert!(!format!("{errors:?}").contains("secret"), "{errors:?}");
}
