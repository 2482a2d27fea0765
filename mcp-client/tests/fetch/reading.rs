//! Which contents of a read are used, and errors if the read fails, too.

use std::future::ready;

use mcp_client::types::base64::Base64Text;
use mcp_client::types::{AnyResourceContents, BlobResourceContents, TextResourceContents};
use mcp_client::{CallError, Client, FetchError, FetchFailed, FetchPolicy, Limits, ReadError};
use mcp_server::{ResourceDef, Server};

use super::mcp::{URI, resource};
use crate::support::serve;
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// Returns a client of a server whose resource has these contents.
async fn client(contents: Vec<AnyResourceContents>) -> Client {
    let data = ResourceDef::new(URI, "data").handler(move || ready(contents.clone()));
    let server = Server::builder("demo", "1.0.0").add_resource(data).build();
    let server = server.expect("the definition is valid");
    let mut limits = Limits::default();
    limits.message_bytes = 100_000;
    let builder = Client::builder("test", "1.0.0").limits(limits);
    let client = soon(builder.connect(serve(&server))).await;
    client.expect("connected")
}

fn text(uri: &str, media_type: &str, text: &str) -> AnyResourceContents {
    let contents = TextResourceContents::new(uri, text);
    contents.mime_type(media_type).into()
}

fn blob(uri: &str, media_type: &str, text: &str) -> AnyResourceContents {
    let contents = BlobResourceContents::new(uri, Base64Text::from(text));
    contents.mime_type(media_type).into()
}

#[tokio::test]
async fn requested_media_type_selects_among_several_contents() {
    let client = client(vec![
        text("demo://other", "text/plain", "other"),
        text(URI, "text/html", "<p>own</p>"),
        blob(URI, "image/png", "AAEC"),
        blob("demo://other", "image/gif", "AwQ="),
        text(URI, "text/plain; charset=utf-8", "own"),
    ])
    .await;
    let fetch = || client.fetch(URI);
    for (wanted, media_type, bytes) in [
        ("text/plain", "text/plain; charset=utf-8", &b"own"[..]),
        ("IMAGE/PNG", "image/png", &[0, 1, 2]),
        ("image/gif", "image/gif", &[3, 4]),
    ] {
        let mut fetched = soon(fetch().as_type(wanted)).await.expect("fetched");
        assert_eq!(fetched.media_type(), Some(media_type));
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), bytes);
    }
    // Selected by the media type of the resource, or else the first contents with its URI.
    let mut plain = resource();
    plain.http_url = None;
    let mut fetched = soon(client.fetch(&plain)).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "own");
    let mut fetched = soon(fetch()).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "<p>own</p>");

    let error = soon(fetch().as_type("image/webp")).await;
    match error.expect_err("there is none") {
        FetchFailed::Read {
            source: ReadError::MediaType { wanted, found },
            ..
        } => {
            assert_eq!(wanted, "image/webp");
            assert_eq!(found.len(), 5);
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn member_of_a_collection_is_not_its_content() {
    let client = client(vec![text("demo://other", "text/plain", "member")]).await;
    let mut folder = mcp_client::types::Resource::new(URI, "folder");
    // Without a type, the server may have sent the contents under another URI.
    let mut fetched = soon(client.fetch(&folder)).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "member");
    folder.resource_type = Some(mcp_client::types::ResourceType::Collection);
    for wanted in [None, Some("text/plain")] {
        let fetch = client.fetch(&folder);
        let fetch = match wanted {
            Some(wanted) => fetch.as_type(wanted),
            None => fetch,
        };
        match soon(fetch)
            .await
            .expect_err("it has no contents of its own")
        {
            FetchFailed::Read {
                source: ReadError::Empty | ReadError::MediaType { .. },
                ..
            } => {}
            error => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn other_media_type_is_requested_from_the_url_and_then_over_the_connection() {
    let mut web = Web::start().await;
    let client = client(vec![text(URI, "text/html", "<p>own</p>")]).await;
    // The size is that of the plain text.
    let fetch = || {
        let fetch = client.fetch(resource().size(7)).policy(web.policy());
        fetch.as_type("text/html")
    };
    web.answer(Reply::ok("text/html", b"<p>by the URL</p>"));
    let mut fetched = soon(fetch()).await.expect("fetched");
    let bytes = soon(fetched.bytes()).await.expect("bytes");
    assert_eq!(bytes, "<p>by the URL</p>");
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let mut fetched = soon(fetch()).await.expect("fetched");
    assert!(matches!(fetched.attempts(), [FetchError::MediaType { .. }]));
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "<p>own</p>");
    let head = web.head().await;
    assert!(head.contains("text/html"), "{head}");
}

/// Returns the errors of both methods.
async fn failed(contents: Vec<AnyResourceContents>, policy: FetchPolicy) -> ReadError {
    let client = client(contents).await;
    let error = soon(client.fetch(resource()).policy(policy)).await;
    let error = error.expect_err("no content");
    // Both reasons are named, without secrets.
    let text = error.to_string();
    assert!(text.contains("HTTP status 404"), "{text}");
    assert!(!text.contains("secret"), "{text}");
    match error {
        FetchFailed::Read {
            uri,
            attempts,
            source,
        } => {
            assert_eq!(uri, URI);
            assert!(matches!(attempts[..], [FetchError::Status { .. }]));
            source
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn failed_download_and_read_report_all_errors() {
    let web = Web::start().await;
    let refusal = || web.answer(Reply::status("404 Not Found"));
    refusal();
    let error = failed(Vec::new(), web.policy()).await;
    assert!(matches!(error, ReadError::Empty), "{error:?}");
    refusal();
    let error = failed(vec![blob(URI, "image/png", "=!")], web.policy()).await;
    assert!(matches!(error, ReadError::Base64(_)), "{error:?}");
    refusal();
    let large = vec![text(URI, "text/plain", "nine byte")];
    let error = failed(large, web.policy().size(8)).await;
    let expected = matches!(error, ReadError::TooLarge { size: 9, limit: 8 });
    assert!(expected, "{error:?}");
    refusal();
    let long = vec![text(URI, "text/plain", &"x".repeat(100_000))];
    let error = failed(long, web.policy()).await;
    assert!(matches!(error, ReadError::Call(_)), "{error:?}");
}

#[tokio::test]
async fn resource_larger_than_a_message_is_not_read() {
    let web = Web::start().await;
    let client = client(vec![text(URI, "text/plain", "less")]).await;
    web.answer(Reply::status("404 Not Found"));
    let large = resource().size(100_001);
    let error = soon(client.fetch(&large).policy(web.policy())).await;
    match error.expect_err("it is too large") {
        FetchFailed::Read {
            source: ReadError::Message { size, limit },
            ..
        } => assert_eq!((size, limit), (100_001, 100_000)),
        error => panic!("{error:?}"),
    }
    // Other calls still work.
    assert!(client.read_resource(URI).await.is_ok());
}

#[tokio::test]
async fn unknown_resource_is_an_error_of_the_call() {
    let client = client(Vec::new()).await;
    let error = soon(client.fetch("demo://none")).await;
    match error.expect_err("not there") {
        FetchFailed::Read {
            source: ReadError::Call(error),
            ..
        } => assert!(matches!(*error, CallError::Refused { .. }), "{error:?}"),
        error => panic!("{error:?}"),
    }
}
