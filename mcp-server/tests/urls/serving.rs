//! The response to a URL: the bytes of `resources/read`, by the rules of HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_server::types::{
    AnyResourceContents, BlobResourceContents, Resource, ResourceType, TextResourceContents,
};
use mcp_server::{
    Context, HandlerError, HttpConfig, OperationOutcome, ResourceDef, ResourceUri, TemplateDef,
};
use serde_json::json;

use super::client::*;
use super::subject::*;
use crate::support::apps::{serve_app, serve_in_hyper};

#[tokio::test]
async fn download_has_its_type_and_length_and_is_sandboxed() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://logo").await;
    let reply = get(address, &path, &[]).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (200, &LOGO[..]));
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-length", "8"),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "private, max-age=0"),
        ("access-control-allow-origin", ""),
        ("content-range", ""),
    ] {
        assert_eq!(reply.get(name), value, "{name}");
    }
    let tag = reply.get("etag");
    assert!(
        tag.starts_with('"') && tag.ends_with('"') && tag.len() > 40,
        "{tag}"
    );
}

#[tokio::test]
async fn head_returns_the_headers_of_get() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    let whole = get(address, &path, &[]).await;
    for more in [&[][..], &[("Range", "bytes=0-1")][..]] {
        let reply = head(address, &path, more).await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (200, &b""[..]));
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(reply.get(name), whole.get(name), "{name}");
        }
        assert_eq!(reply.get("content-length"), MOTTO.len().to_string());
    }
    let reply = head(address, "/r/nothing", &[]).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (403, &b""[..]));
}

#[tokio::test]
async fn media_type_of_the_contents_takes_precedence_over_the_definition() {
    let (address, ..) = served(|builder| {
        let own = |mime_type: &'static str| {
            ResourceDef::new(format!("own:{mime_type}").replace('\n', "%0A"), "own")
                .mime_type("text/defined")
                .handler(move |ResourceUri(uri): ResourceUri| async move {
                    let mut text = TextResourceContents::new(uri, "x");
                    text.mime_type = (!mime_type.is_empty()).then(|| mime_type.to_owned());
                    text
                })
        };
        builder
            .add_resource(own(""))
            .add_resource(own("a/json;Charset=utf-8"))
            .add_resource(ResourceDef::bytes("own:text", "text", *b"\xe4").mime_type("text/plain"))
            .add_resource(own("text/html; charset=utf-16"))
            .add_resource(own("no\nheader"))
            .add_resource(ResourceDef::bytes("demo://bytes", "bytes", *b"x"))
    });
    for (uri, expected) in [
        ("own:", "text/defined; charset=utf-8"),
        ("own:a/json;Charset=utf-8", "a/json;Charset=utf-8"),
        ("own:text", "text/plain"),
        ("own:text/html; charset=utf-16", "text/html; charset=utf-16"),
        ("own:no%0Aheader", "text/plain; charset=utf-8"),
        ("demo://motto", "text/plain; charset=utf-8"),
        ("demo://bytes", "application/octet-stream"),
        ("echo://a", "text/x-echo; charset=utf-8"),
    ] {
        let path = path_to(address, uri).await;
        let reply = get(address, &path, &[]).await;
        assert_eq!(
            (reply.status.as_u16(), reply.get("content-type")),
            (200, expected)
        );
    }
}

#[tokio::test]
async fn preferred_representation_of_the_resource_is_served() {
    let formats = |ResourceUri(uri): ResourceUri| async move {
        let image = BlobResourceContents::new(&uri, "YQ==").mime_type("image/png");
        let html = TextResourceContents::new(&uri, "<p>a").mime_type("text/html");
        let other = TextResourceContents::new("demo://other", "other").mime_type("text/html");
        vec![AnyResourceContents::from(other), image.into(), html.into()]
    };
    let (address, ..) = served(|builder| {
        builder
            .resource("demo://formats", "formats", formats)
            .add_resource(
                ResourceDef::new("demo://typed", "typed")
                    .mime_type("text/html")
                    .handler(formats),
            )
            .resource("demo://others", "others", async || {
                TextResourceContents::new("demo://motto", MOTTO)
            })
            .resource("demo://nothing", "nothing", async || {
                Vec::<AnyResourceContents>::new()
            })
    });
    for (uri, accept, served) in [
        ("demo://formats", None, ("image/png", "a")),
        ("demo://formats", Some("*/*"), ("image/png", "a")),
        (
            "demo://formats",
            Some("text/html"),
            ("text/html; charset=utf-8", "<p>a"),
        ),
        ("demo://typed", None, ("text/html; charset=utf-8", "<p>a")),
        ("demo://typed", Some("image/*"), ("image/png", "a")),
        (
            "demo://typed",
            Some("image/png;q=0.9, text/*"),
            ("text/html; charset=utf-8", "<p>a"),
        ),
        // The server has no such representation, and serves the one that it prefers.
        (
            "demo://typed",
            Some("application/pdf"),
            ("text/html; charset=utf-8", "<p>a"),
        ),
    ] {
        let path = path_of(address, uri).await;
        let headers: Vec<_> = accept
            .map(|accept| ("Accept", accept))
            .into_iter()
            .collect();
        let reply = get(address, &path, &headers).await;
        let found = (reply.get("content-type"), reply.text());
        assert_eq!(found, served, "{uri} {accept:?}");
        assert_eq!(reply.get("vary"), "accept");
        let mut headers = headers;
        headers.push(("If-None-Match", reply.get("etag")));
        let same = get(address, &path, &headers).await;
        assert_eq!(same.status, 304, "{uri} {accept:?}");
    }
    for uri in ["demo://others", "demo://nothing"] {
        let path = path_of(address, uri).await;
        assert_ne!(get(address, &path, &[]).await.status, 200, "{uri}");
    }
}

#[tokio::test]
async fn collections_are_not_served() {
    let is_collection = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&is_collection);
    let (address, ..) = served(|builder| {
        let index = TemplateDef::new("dir://{name}", "dir");
        let described = move |resource: Resource| {
            let resource_type = if now.load(Ordering::SeqCst) {
                ResourceType::Collection
            } else {
                ResourceType::Document
            };
            async { resource.resource_type(resource_type) }
        };
        let index = index.describe(described);
        builder.add_resource_template(index.handler(|ResourceUri(uri): ResourceUri| async {
            TextResourceContents::new(uri, "an index")
        }))
    });
    let path = path_to(address, "dir://a").await;
    assert_eq!(get(address, &path, &[]).await.status, 200);
    is_collection.store(true, Ordering::SeqCst);
    assert_eq!(get(address, &path, &[]).await.status, 404);
    let link = link_to(address, "dir://a").await;
    assert!(link.get("httpUrl").is_none(), "{link}");
    let answer = call(address, "resources/metadata", json!({"uri": "dir://a"})).await;
    let resource = &answer["result"]["resource"];
    assert_eq!(resource["resourceType"], "collection", "{answer}");
    assert!(resource.get("httpUrl").is_none(), "{answer}");
}

#[tokio::test]
async fn matching_etag_returns_304() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://motto").await;
    let tag = get(address, &path, &[]).await.get("etag").to_owned();
    let weak = format!("W/{tag}");
    for known in [&*tag, &*weak, "*"] {
        let reply = get(address, &path, &[("If-None-Match", known)]).await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (304, &b""[..]));
        assert_eq!(reply.get("etag"), tag);
        assert_eq!(reply.get("cache-control"), "private, max-age=0");
    }
    let reply = get(address, &path, &[("If-None-Match", "\"other\"")]).await;
    assert_eq!(reply.status, 200);
    let reply = get(address, &path, &[("If-Match", "\"other\"")]).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (412, &b""[..]));
    let other = path_of(address, "demo://logo").await;
    assert_ne!(get(address, &other, &[]).await.get("etag"), tag);
}

#[tokio::test]
async fn ranges_are_served() {
    let (address, ..) = served(|builder| builder);
    let path = path_of(address, "demo://logo").await;
    let tag = get(address, &path, &[]).await.get("etag").to_owned();
    for (range, part, said) in [
        ("bytes=0-0", &LOGO[..1], "bytes 0-0/8"),
        ("bytes=2-", &LOGO[2..], "bytes 2-7/8"),
        ("bytes=-3", &LOGO[5..], "bytes 5-7/8"),
        ("bytes=4-99", &LOGO[4..], "bytes 4-7/8"),
    ] {
        for more in [None, Some(("If-Range", &*tag))] {
            let mut headers = vec![("Range", range)];
            headers.extend(more);
            let reply = get(address, &path, &headers).await;
            assert_eq!((reply.status.as_u16(), &*reply.body), (206, part));
            assert_eq!(reply.get("content-range"), said);
            assert_eq!(reply.get("content-length"), part.len().to_string());
            assert_eq!(reply.get("content-type"), "image/png");
        }
    }
    for headers in [
        &[("Range", "bytes=0-1,3-4")][..],
        &[("Range", "bytes=4-2")][..],
        &[("Range", "bytes=0-1"), ("If-Range", "\"other\"")][..],
    ] {
        let reply = get(address, &path, headers).await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (200, &LOGO[..]));
    }
    for range in ["bytes=8-", "bytes=-0"] {
        let reply = get(address, &path, &[("Range", range)]).await;
        assert_eq!((reply.status.as_u16(), &*reply.body), (416, &b""[..]));
        assert_eq!(reply.get("content-range"), "bytes */8");
    }
}

#[tokio::test]
async fn cache_control_ends_with_the_url() {
    use mcp_server::types::CacheScope;
    let (address, _, clock) = served(|builder| {
        let ttl = std::time::Duration::from_secs(600);
        builder.add_resource(
            ResourceDef::text("demo://kept", "kept", "-").cache(ttl, CacheScope::Public),
        )
    });
    let path = path_of(address, "demo://kept").await;
    let reply = get(address, &path, &[]).await;
    assert_eq!(reply.get("cache-control"), "private, max-age=600");
    clock.set(NOON + 14 * 60_000);
    let reply = get(address, &path, &[]).await;
    assert_eq!(reply.get("cache-control"), "private, max-age=60");
}

#[tokio::test]
async fn errors_have_their_status_and_no_details() {
    let (address, server, _) = served(|builder| {
        builder
            .resource(
                "demo://broken",
                "broken",
                async || -> Result<_, HandlerError> {
                    Err::<String, _>(std::io::Error::other("the password is 1234").into())
                },
            )
            .resource(
                "demo://refused",
                "refused",
                async || -> Result<_, HandlerError> {
                    Err::<String, _>(HandlerError::internal("the password is 1234"))
                },
            )
            .resource("demo://panic", "panic", || async {
                assert!(std::env::args().count() == 0, "the password is 1234");
                "-"
            })
            .resource(
                "demo://no-base64",
                "no-base64",
                |ResourceUri(uri): ResourceUri| async { BlobResourceContents::new(uri, "!!!") },
            )
            .resource(
                "demo://asks",
                "asks",
                async |cx: Context| -> Result<_, HandlerError> {
                    Ok(format!("{} roots", cx.roots().await?.len()))
                },
            )
    });
    for (uri, status) in [
        ("demo://broken", 500),
        ("demo://refused", 500),
        ("demo://panic", 500),
        ("demo://no-base64", 500),
        ("demo://asks", 500),
        ("demo://missing", 404),
    ] {
        let path = path_of(address, uri).await;
        let reply = get(address, &path, &[]).await;
        assert_eq!(reply.status, status, "{uri}");
        assert!(!reply.text().contains("1234"), "{uri}: {}", reply.text());
        assert_eq!(reply.get("cache-control"), "no-store");
        assert_eq!(reply.get("x-content-type-options"), "nosniff");
        let reply = head(address, &path, &[]).await;
        assert_eq!(
            (reply.status.as_u16(), &*reply.body),
            (status, &b""[..]),
            "{uri}"
        );
    }
    let operations = server.metrics().operations;
    let reads = operations
        .iter()
        .find(|read| read.method == "resources/read");
    let failed = reads.map(|reads| reads.count(OperationOutcome::Error));
    assert_eq!(failed, Some(10), "GET and HEAD of all whose handler fails");
    // A resource that was removed from the list has no URL any more.
    let path = path_of(address, "demo://motto").await;
    assert!(server.resources().remove("demo://motto"));
    assert_eq!(get(address, &path, &[]).await.status, 404);
    let hidden = ResourceDef::text("demo://motto", "motto", MOTTO).http_url(false);
    server.resources().add(hidden).expect("sound");
    assert_eq!(get(address, &path, &[]).await.status, 404);
}

#[tokio::test]
async fn endpoint_of_the_protocol_is_still_served() {
    let (address, ..) = served(|builder| builder);
    let answer = call(address, "resources/read", json!({"uri": "demo://motto"})).await;
    assert_eq!(answer["result"]["contents"][0]["text"], MOTTO);
    // A GET there requests a stream of events.
    assert_eq!(
        get(address, "/mcp", &[("Host", "localhost")]).await.status,
        406
    );
    assert_eq!(
        get(address, "/r", &[("Host", "localhost")]).await.status,
        406
    );
}

#[tokio::test]
async fn downloads_can_be_mounted_in_other_stacks() {
    let (server, _) = server(|builder| builder);
    let urls = server.resource_urls().expect("configured");
    let path = path_of(serve(&server), "demo://motto").await;
    let token = path.strip_prefix("/r/").expect("below the base");

    let app = axum::Router::new()
        .route_service("/r/{token}", urls.clone())
        .nest_service("/nested", urls.clone())
        .route_service("/mcp", server.into_service(HttpConfig::new()));
    let address = serve_app(app).await;
    for path in [&*path, &format!("/nested/{token}")] {
        let reply = get(address, path, &[]).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, MOTTO));
        let reply = head(address, path, &[]).await;
        assert_eq!(reply.get("content-length"), MOTTO.len().to_string());
    }

    let address = serve_in_hyper(urls).await;
    assert_eq!(get(address, &path, &[]).await.text(), MOTTO);
}
