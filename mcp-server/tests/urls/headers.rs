//! What programs and caches learn from a URL and from the headers of its response.

use mcp_server::types::{AnyResourceContents, TextResourceContents};
use mcp_server::{HandlerError, ResourceBody, ResourceDef, ResourceStream};

use super::client::*;
use super::subject::*;

#[tokio::test]
async fn url_is_the_same_for_a_quarter_of_its_lifetime() {
    let (address, _, clock) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    clock.set(NOON + 15 * 15_000 - 1);
    let listed = listed(address, "demo://motto").await;
    assert_eq!(super::client::path(&listed), path);
    assert_eq!(listed["httpUrlExpiresAt"], "2026-11-21T12:15:00Z");
    clock.set(NOON + 15 * 15_000);
    assert_ne!(path_of(address, "demo://motto").await, path);
    assert_eq!(get(address, &path, &[]).await.status, 200);
}

#[tokio::test]
async fn single_representation_does_not_vary_and_has_a_file_name() {
    let (address, ..) = served(|builder| {
        let report = ResourceDef::new("file:///reports/caf%C3%A9%202026.csv", "Report")
            .mime_type("text/csv")
            .handler(async || "caf\u{e9}");
        builder.add_resource(report)
    });
    let path = path_of(address, "file:///reports/caf%C3%A9%202026.csv").await;
    let reply = get(address, &path, &[]).await;
    assert_eq!(reply.get("vary"), "origin");
    assert_eq!(reply.get("content-type"), "text/csv; charset=utf-8");
    assert_eq!(reply.text(), "caf\u{e9}");
    assert_eq!(
        reply.get("content-disposition"),
        "inline; filename=\"caf_ 2026.csv\"; filename*=UTF-8''caf%C3%A9%202026.csv"
    );
}

/// Responses for which nothing is read are those to HEAD, 304 and 412.
#[tokio::test]
async fn responses_vary_only_if_another_representation_may_be_chosen() {
    let formats = async |uri: &'static str, count: usize| {
        let html = TextResourceContents::new(uri, "x").mime_type("text/html");
        let plain = TextResourceContents::new(uri, "x").mime_type("text/plain");
        let all = [plain, html].map(AnyResourceContents::from).into_iter();
        all.take(count).collect::<Vec<_>>()
    };
    let stream = async || ResourceBody::from(ResourceStream::new(&b"x"[..]));
    let (address, ..) = served(|builder| {
        let described = |uri: &str| ResourceDef::new(uri, "x").version("1").size(1);
        builder
            .proposals([mcp_server::Proposal::VersionedResources])
            .add_resource(described("x:one").handler(async || "x"))
            .add_resource(described("x:stream").handler(async || ResourceStream::new(&b"x"[..])))
            .add_resource(described("x:body").handler(stream))
            .add_resource(described("x:single").handler(move || formats("x:single", 1)))
            .add_resource(described("x:several").handler(move || formats("x:several", 2)))
    });
    let (never, always) = (&["origin"][..], &["accept", "origin"][..]);
    for (uri, read, unread) in [
        ("x:one", never, never),
        ("x:stream", never, never),
        // Only reading shows that there are no other representations.
        ("x:body", never, always),
        ("x:single", never, always),
        ("x:several", always, always),
    ] {
        let path = path_of(address, uri).await;
        let whole = get(address, &path, &[]).await;
        let tag = whole.get("etag");
        let same = get(address, &path, &[("If-None-Match", tag)]).await;
        let other = get(address, &path, &[("If-Match", "\"other\"")]).await;
        assert_eq!((same.status.as_u16(), other.status.as_u16()), (304, 412));
        for (reply, expected) in [
            (&whole, read),
            (&head(address, &path, &[]).await, unread),
            (&same, unread),
            (&other, unread),
        ] {
            let vary: Vec<_> = reply.headers.get_all("vary").iter().collect();
            assert_eq!(vary, expected, "{uri}: {}", reply.status);
        }
    }
}

#[tokio::test]
async fn head_has_the_encoding_that_get_has() {
    let (address, ..) = served(|builder| {
        let described = |uri: &str, mime_type: &str| {
            ResourceDef::new(uri, "described")
                .mime_type(mime_type)
                .version("1")
                .size(1)
                .handler(async || "x")
        };
        builder
            .proposals([mcp_server::Proposal::VersionedResources])
            .add_resource(described("x:text", "text/csv"))
            .add_resource(described("x:stated", "text/csv; charset=utf-8"))
            .add_resource(described("x:image", "image/png"))
    });
    for (uri, expected) in [
        ("x:text", "text/csv; charset=utf-8"),
        ("x:stated", "text/csv; charset=utf-8"),
        ("x:image", "image/png"),
    ] {
        let path = path_of(address, uri).await;
        let reply = head(address, &path, &[]).await;
        assert_eq!(reply.get("content-type"), expected, "{uri}");
    }
}

#[tokio::test]
async fn resource_that_cannot_be_read_now_is_unavailable() {
    let (address, ..) = served(|builder| {
        let busy = ResourceDef::new("x:busy", "busy")
            .handler(async || Err::<&str, _>(HandlerError::internal("it changes").temporary()));
        builder.add_resource(busy)
    });
    let path = path_of(address, "x:busy").await;
    let reply = get(address, &path, &[]).await;
    assert_eq!(
        (reply.status.as_u16(), reply.get("retry-after")),
        (503, "1")
    );
    assert!(!reply.text().contains("changes"), "{}", reply.text());
}
