//! URLs that the program makes in place of those of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use mcp_server::types::{CacheScope, Resource};
use mcp_server::{
    HandlerError, ListAt, PresignedUrl, Principal, ResourceDef, ResourcePage, ResourceUri,
    ServerBuilder, TemplateDef, Variables,
};
use serde_json::{Value, json};

use super::client::*;
use super::subject::*;
use crate::support::apps::serve_app;

const STORE: &str = "https://s3.example.com/film?X-Amz-Signature=1";
/// 60 seconds after the time of the tests.
const EXPIRY: &str = "2026-11-21T12:01:00Z";

fn url(url: &str) -> Result<Option<PresignedUrl>, HandlerError> {
    let expires_at = UNIX_EPOCH + Duration::from_millis(NOON + 60_500);
    Ok(Some(PresignedUrl::new(url, expires_at)?))
}

#[derive(serde::Deserialize)]
struct Part {
    name: String,
}

async fn part(
    part: Resource,
    Variables(at): Variables<Part>,
) -> Result<Option<PresignedUrl>, HandlerError> {
    assert_eq!(part.title.as_deref(), Some("described"));
    match &*at.name {
        "none" => Ok(None),
        "plain" => url("http://s3.example.com/plain"),
        "fails" => Err(HandlerError::internal("the store is gone")),
        name => url(&format!("https://s3.example.com/{name}")),
    }
}

fn add(builder: ServerBuilder) -> ServerBuilder {
    let film = ResourceDef::new("demo://film", "film")
        .handler(async || "bytes")
        .cache(Duration::from_secs(600), CacheScope::Public)
        .presign(async |_: Resource| url(STORE));
    let parts = TemplateDef::new("part://{name}", "part")
        .handler(async |ResourceUri(uri): ResourceUri| uri)
        .describe(async |part: Resource| part.title("described"))
        .presign(part);
    builder.add_resource(film).add_resource_template(parts)
}

fn assert_presigned(resource: &Value) {
    assert_eq!(resource["httpUrl"], STORE, "{resource}");
    assert_eq!(resource["httpUrlExpiresAt"], EXPIRY);
}

#[tokio::test]
async fn presigned_url_stands_in_every_description() {
    let (address, ..) = served(add);
    assert_presigned(&listed(address, "demo://film").await);
    assert_presigned(&link_to(address, "demo://film").await);
    let uri = json!({ "uri": "demo://film" });
    let answer = call(address, "resources/metadata", uri.clone()).await;
    assert_presigned(&answer["result"]["resource"]);
    let answer = call(address, "resources/read", uri).await;
    assert_presigned(&answer["result"]["contents"][0]);
    // A copy of the result is not used for longer than the URL.
    assert_eq!(answer["result"]["ttlMs"], 60_000);
    assert_eq!(answer["result"]["cacheScope"], "private");
    let link = link_to(address, "part://a").await;
    assert_eq!(link["httpUrl"], "https://s3.example.com/a");
}

#[tokio::test]
async fn served_url_is_issued_without_a_presigned_one() {
    let (address, ..) = served(add);
    for name in ["none", "plain", "fails"] {
        let uri = format!("part://{name}");
        let described = call(address, "resources/metadata", json!({ "uri": uri })).await;
        for resource in [
            &described["result"]["resource"],
            &link_to(address, &uri).await,
        ] {
            let reply = get(address, &path(resource), &[]).await;
            assert_eq!((reply.status.as_u16(), reply.text()), (200, &*uri));
        }
    }
}

#[tokio::test]
async fn requests_of_a_served_url_make_no_presigned_one() {
    let made = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&made);
    let (address, ..) = served(|builder| {
        let film = ResourceDef::new("demo://film", "film")
            .handler(async || "bytes")
            .describe(async |film: Resource| film.version("1"))
            .presign(move |_: Resource| {
                count.fetch_add(1, Ordering::SeqCst);
                async { Ok::<_, HandlerError>(None) }
            });
        builder.add_resource(film)
    });
    let path = path(&listed(address, "demo://film").await);
    assert_eq!(made.load(Ordering::SeqCst), 1);
    assert_eq!(get(address, &path, &[]).await.text(), "bytes");
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn presigned_urls_need_no_urls_of_the_server() {
    let builder = offers().proposals([mcp_server::Proposal::HttpsUrl]);
    let server = add(builder).build().unwrap();
    let address = serve(&server);
    assert_presigned(&listed(address, "demo://film").await);
    assert_eq!(
        link_to(address, "part://none").await["httpUrl"],
        Value::Null
    );
}

/// The store does not ask the guard again.
#[tokio::test]
async fn presigned_url_is_made_only_for_clients_that_the_guard_admits() {
    let made = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&made);
    let guard = async |principal: Option<Principal>| match principal {
        Some(_) => Ok(()),
        None => Err(HandlerError::forbidden("sign in first")),
    };
    let (address, server, _) = served(|builder| {
        let film = ResourceDef::new("demo://film", "film")
            .guard(guard)
            .handler(async || "bytes")
            .presign(move |_: Resource| {
                count.fetch_add(1, Ordering::SeqCst);
                async { url(STORE) }
            });
        let hidden = ResourceDef::text("demo://hidden", "hidden", "-").http_url(false);
        builder
            .add_resource(film)
            .add_resource(hidden.presign(async |_: Resource| url(STORE)))
    });
    let all = call(address, "resources/list", json!({})).await;
    assert!(!all.to_string().contains("demo://film"), "{all}");
    assert_eq!(
        link_to(address, "demo://film").await["httpUrl"],
        Value::Null
    );
    assert_eq!(made.load(Ordering::SeqCst), 0);
    assert_eq!(
        listed(address, "demo://hidden").await["httpUrl"],
        Value::Null
    );
    let layer = axum::Router::new()
        .route_service("/mcp", server.into_service(mcp_server::HttpConfig::new()))
        .layer(axum::Extension(Principal("ada".to_owned())));
    let address = serve_app(layer).await;
    assert_presigned(&listed(address, "demo://film").await);
    assert_presigned(&link_to(address, "demo://film").await);
}

#[tokio::test]
async fn complete_lists_have_presigned_urls() {
    let (address, ..) = served(|builder| {
        let parts = TemplateDef::new("listed://{name}", "part")
            .handler(async |ResourceUri(uri): ResourceUri| uri)
            .describe(async |_: Resource| Err::<Resource, _>(HandlerError::internal("runs")))
            .list(async |_: ListAt| {
                ResourcePage::new([Resource::new("listed://a", "listed")]).complete()
            })
            .presign(async |part: Resource| {
                assert_eq!(part.name, "listed");
                url(STORE)
            });
        builder.add_resource_template(parts)
    });
    assert_presigned(&listed(address, "listed://a").await);
}

#[tokio::test]
async fn own_url_redirects_to_the_store() {
    let open = Arc::new(AtomicBool::new(true));
    let is_open = Arc::clone(&open);
    let (address, _, clock) = served(|builder| {
        let film = ResourceDef::new("demo://film", "film")
            .handler(async || "bytes")
            .cache(Duration::from_secs(600), CacheScope::Public)
            .guard(move || {
                let open = is_open.load(Ordering::SeqCst);
                std::future::ready(open.then_some(()).ok_or(HandlerError::forbidden("closed")))
            })
            .presign(async |_: Resource| url(STORE))
            .presign_on_request(true);
        let none = ResourceDef::new("demo://none", "none")
            .handler(async || "bytes")
            .presign(async |_: Resource| Ok::<_, HandlerError>(None))
            .presign_on_request(true);
        builder.add_resource(film).add_resource(none)
    });
    let path = path_of(address, "demo://film").await;
    for reply in [
        get(address, &path, &[]).await,
        head(address, &path, &[]).await,
    ] {
        assert_eq!((reply.status.as_u16(), reply.get("location")), (307, STORE));
        // Not for longer than the URL of the store.
        assert_eq!(reply.get("cache-control"), "private, max-age=60");
    }
    // The URL stays the same for a while.
    clock.set(NOON + 60_000);
    assert_eq!(path_of(address, "demo://film").await, path);
    open.store(false, Ordering::SeqCst);
    assert_eq!(get(address, &path, &[]).await.status, 404);
    let path = path_of(address, "demo://none").await;
    assert_eq!(get(address, &path, &[]).await.text(), "bytes");
}
