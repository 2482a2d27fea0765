//! A resource has the same members in lists, metadata, contents and notifications, also those that
//! only `describe` knows.

mod contents;
mod descriptions;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::types::json::Object;
use mcp_server::types::{CallToolResult, ContentBlock, Resource, ResourceLink, ResourceType};
use mcp_server::{
    HandlerError, HttpUrls, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri, Server,
    ServerBuilder, TemplateDef,
};
use serde_json::{Value, json};

use super::client::Client;

pub(crate) const ALL: &[&str] = &["https-url", "sep-2093", "versioned-resources"];

pub(crate) fn opted_in() -> ServerBuilder {
    Server::builder("test", "1")
        .proposals([
            Proposal::HttpsUrl,
            Proposal::Sep2093,
            Proposal::VersionedResources,
        ])
        .http_urls(HttpUrls::new("https://files.example.com/r/").unwrap())
}

pub(super) async fn uri(ResourceUri(uri): ResourceUri) -> String {
    uri
}

/// A template that lists `a` and `b`, with nothing but their URIs and names.
fn listing(scheme: &'static str) -> TemplateDef {
    TemplateDef::new(format!("{scheme}:{{name}}"), "row")
        .title("A row")
        .mime_type("text/csv")
        .resource_type(ResourceType::Document)
        .kind("row")
        .metadata(Object::from([("table", scheme)]))
        .handler(uri)
        .list(move |_: ListAt| async move {
            let row = |name| Resource::new(format!("{scheme}:{name}"), "row");
            ResourcePage::new(["a", "b"].map(row))
        })
}

pub(super) fn server() -> Server {
    let described = |resource: Resource| async {
        let report = resource.version("7").kind("report").size(8);
        report
            .mime_type("text/markdown")
            .resource_type(ResourceType::Document)
            .metadata(Object::from([("owner", "me")]))
    };
    opted_in()
        .add_resource(
            ResourceDef::new("d:report", "report")
                .handler(uri)
                .describe(described),
        )
        .add_resource(
            ResourceDef::new("d:folder", "folder")
                .handler(uri)
                .describe(async |folder: Resource| {
                    folder.resource_type(ResourceType::Collection).version("1")
                }),
        )
        .tool("links", "Links", || async {
            let link = |uri| ContentBlock::from(ResourceLink::new(uri, "linked"));
            CallToolResult::new(["d:report", "d:folder", "rows:a"].map(link))
        })
        .add_resource_template(listing("rows"))
        .add_resource_template(listing("versions").describe(async |row: Resource| {
            let version = format!("version of {}", row.uri);
            row.version(version).size(10)
        }))
        .build()
        .unwrap()
}

/// Returns the listed resources without their URLs, which differ in each response, and whether they
/// had one.
async fn listed(client: &mut Client, params: Value) -> Vec<(Value, bool)> {
    let mut page = client.result("resources/list", params).await;
    let resources = page["resources"].as_array_mut().unwrap();
    resources
        .iter_mut()
        .map(|resource| without_url(resource.take()))
        .collect()
}

fn without_url(mut resource: Value) -> (Value, bool) {
    let members = resource.as_object_mut().unwrap();
    members.remove("httpUrlExpiresAt");
    let has_url = members.remove("httpUrl").is_some();
    (resource, has_url)
}

#[tokio::test]
async fn lists_have_what_metadata_and_get_return() {
    for mut client in Client::newest(&server(), ALL) {
        let listed = listed(&mut client, json!({})).await;
        assert_eq!(listed.len(), 6, "{}", client.describe());
        assert_eq!(
            listed[0].0,
            json!({
                "uri": "d:report", "name": "report", "mimeType": "text/markdown", "size": 8,
                "resourceType": "document", "version": "7", "kind": "report",
                "metadata": { "owner": "me" },
            })
        );
        for (resource, has_url) in &listed {
            let params = json!({ "uri": resource["uri"] });
            let mut result = client.result("resources/metadata", params.clone()).await;
            let metadata = without_url(result["resource"].take());
            assert_eq!(
                metadata,
                (resource.clone(), *has_url),
                "{}",
                client.describe()
            );
            let mut result = client.result("resources/get", params).await;
            let (mut got, _) = without_url(result["resource"].take());
            // The version of contents that a handler makes would have to be derived from them.
            if resource.get("version").is_none() {
                got.as_object_mut().unwrap().remove("version");
            }
            assert_eq!(got, *resource);
        }
    }
}

#[tokio::test]
async fn collection_known_only_by_its_description_has_no_url() {
    for mut client in Client::newest(&server(), &[]) {
        let listed = listed(&mut client, json!({})).await;
        for (resource, has_url) in listed {
            let is_collection = resource["resourceType"] == "collection";
            assert_eq!(has_url, !is_collection, "{resource}");
        }
        let params = json!({ "name": "links", "arguments": {} });
        let result = client.result("tools/call", params).await;
        let links = result["content"].as_array().unwrap().iter();
        let has_url: Vec<_> = links.map(|link| link["httpUrl"].is_string()).collect();
        assert_eq!(has_url, [true, false, true], "{result}");
    }
}

#[tokio::test]
async fn filters_match_what_only_the_description_knows() {
    for mut client in Client::newest(&server(), ALL) {
        for (filter, expected) in [
            (json!({ "kind": "report" }), &["d:report"][..]),
            (json!({ "metadata": { "owner": "me" } }), &["d:report"]),
            (
                json!({ "kind": "row" }),
                &["rows:a", "rows:b", "versions:a", "versions:b"],
            ),
            (
                json!({ "metadata": { "table": "rows" } }),
                &["rows:a", "rows:b"],
            ),
        ] {
            let listed = listed(&mut client, json!({ "filter": filter })).await;
            let uris: Vec<_> = listed
                .iter()
                .map(|(resource, _)| &resource["uri"])
                .collect();
            assert_eq!(uris, expected, "{filter}");
        }
    }
}

#[tokio::test]
async fn older_peers_get_the_described_members_of_their_revision() {
    for mut client in Client::older(&server(), ALL).await {
        let listed = listed(&mut client, json!({})).await;
        let (report, _) = &listed[0];
        assert_eq!(report["mimeType"], "text/markdown", "{}", client.describe());
        assert_eq!(listed[2].0["mimeType"], "text/csv");
        let text = format!("{listed:?}");
        for member in ["version", "kind", "metadata", "resourceType", "httpUrl"] {
            assert!(
                !text.contains(&format!("\"{member}\"")),
                "{member} in {text}"
            );
        }
    }
}

#[tokio::test]
async fn program_without_proposals_lists_what_the_handlers_return() {
    let described = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&described);
    let server = Server::builder("test", "1")
        .add_resource(ResourceDef::new("d:a", "a").handler(uri).describe(
            move |resource: Resource| {
                counter.fetch_add(1, Ordering::Relaxed);
                async { resource.title("Described") }
            },
        ))
        .build()
        .unwrap();
    for mut client in Client::newest(&server, ALL) {
        let listed = listed(&mut client, json!({})).await;
        assert_eq!(listed, [(json!({ "uri": "d:a", "name": "a" }), false)]);
    }
    assert_eq!(described.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn resource_is_not_listed_for_callers_that_may_not_read() {
    let server = opted_in()
        .add_resource(
            ResourceDef::new("d:guarded", "guarded")
                .guard(async || Err::<(), _>(HandlerError::forbidden("not for you")))
                .handler(uri)
                .describe(async |resource: Resource| resource.title("Secret")),
        )
        .build()
        .unwrap();
    for mut client in Client::newest(&server, ALL) {
        let listed = listed(&mut client, json!({})).await;
        assert_eq!(listed, []);
    }
}
