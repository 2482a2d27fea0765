//! A resource has the same members in lists, metadata, contents and notifications, also those that
//! only `describe` knows.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::types::json::Object;
use mcp_server::types::{AnyResourceContents, Resource, ResourceType, TextResourceContents};
use mcp_server::{
    HandlerError, HttpUrls, ListAt, Proposal, ResourceDef, ResourcePage, ResourceUri, Server,
    ServerBuilder, TemplateDef,
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::client::Client;
use crate::collect::Collected;
use crate::peer::Peer;

const ALL: &[&str] = &["https-url", "sep-2093", "versioned-resources"];

fn opted_in() -> ServerBuilder {
    Server::builder("test", "1")
        .proposals([
            Proposal::HttpsUrl,
            Proposal::Sep2093,
            Proposal::VersionedResources,
        ])
        .http_urls(HttpUrls::new("https://files.example.com/r/").unwrap())
}

async fn uri(ResourceUri(uri): ResourceUri) -> String {
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

fn server() -> Server {
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

/// Adds resources `d:0`, `d:1`, ... whose descriptions wait for `handler` and set a title.
fn with_many<F>(
    mut builder: ServerBuilder,
    count: usize,
    handler: fn(Arc<State>, usize) -> F,
) -> Server
where
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    let state = Arc::new(State::default());
    for number in 0..count {
        let state = Arc::clone(&state);
        let describe = move |resource: Resource| {
            let ready = handler(Arc::clone(&state), number);
            async move {
                ready.await?;
                Ok::<_, HandlerError>(resource.title("Described"))
            }
        };
        let resource = ResourceDef::new(format!("d:{number}"), "numbered").handler(uri);
        builder = builder.add_resource(resource.describe(describe));
    }
    builder.build().unwrap()
}

/// What the descriptions of a test share.
struct State {
    all: Barrier,
    running: AtomicUsize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            all: Barrier::new(16),
            running: AtomicUsize::new(0),
        }
    }
}

fn titled(page: &Value) -> Vec<bool> {
    let resources = page["resources"].as_array().unwrap().iter();
    resources
        .map(|resource| resource["title"] == "Described")
        .collect()
}

#[tokio::test(start_paused = true)]
async fn descriptions_of_a_page_run_concurrently() {
    // Each of them waits for 15 others.
    let server = with_many(opted_in(), 48, |state, _| async move {
        state.all.wait().await;
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    assert_eq!(titled(&page), [true; 48]);
}

#[tokio::test]
async fn number_of_concurrent_descriptions_is_bounded() {
    let server = with_many(opted_in(), 100, |state, _| async move {
        let running = state.running.fetch_add(1, Ordering::SeqCst) + 1;
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        state.running.fetch_sub(1, Ordering::SeqCst);
        if running > 16 {
            return Err(HandlerError::internal("too many"));
        }
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    assert_eq!(titled(&page), [true; 100]);
}

#[tokio::test(start_paused = true)]
async fn failed_descriptions_cost_only_their_own_resource() {
    let log = Collected::begin();
    let server = with_many(opted_in(), 40, |_, number| async move {
        match number {
            3 => std::future::pending().await,
            5 => panic!("in a description"),
            7 => Err(HandlerError::internal("no such table")),
            9 => Err(HandlerError::resource_not_found("d:9")),
            _ => Ok(()),
        }
    });
    let mut peer = Peer::modern(&server);
    let page = peer.result("resources/list", json!({})).await;
    let expected: Vec<_> = (0..40)
        .map(|number| ![3, 5, 7, 9].contains(&number))
        .collect();
    assert_eq!(titled(&page), expected);
    for (number, is_described) in expected.into_iter().enumerate() {
        let resource = &page["resources"][number];
        assert_eq!(resource["name"], "numbered");
        // Without its description, it may be a collection.
        assert_eq!(resource["httpUrl"].is_string(), is_described, "{resource}");
    }
    drop(log);
}

#[tokio::test(start_paused = true)]
async fn list_is_sent_when_half_of_the_request_time_has_passed() {
    let mut limits = mcp_server::Limits::default();
    limits.request_time = Duration::from_secs(20);
    let builder = opted_in().limits(limits);
    // All of them in turn would take longer than the request may.
    let server = with_many(builder, 200, |_, number| async move {
        if number >= 16 {
            std::future::pending::<()>().await;
        }
        Ok(())
    });
    let page = Peer::modern(&server)
        .result("resources/list", json!({}))
        .await;
    let expected: Vec<_> = (0..200).map(|number| number < 16).collect();
    assert_eq!(titled(&page), expected);
}

#[tokio::test]
async fn description_is_not_sent_to_callers_that_may_not_read() {
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
        assert_eq!(
            listed,
            [(json!({ "uri": "d:guarded", "name": "guarded" }), false)]
        );
    }
}

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
        let unknown = json!({ "uri": "m:unknown", "size": 4, "text": "text" });
        let contents = json!([expected("a"), expected("b"), unknown]);
        assert_eq!(result["contents"], contents, "{}", client.describe());
    }
}
