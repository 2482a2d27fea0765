//! Resources whose bytes are streamed: what is read of them, and what the client gets.

mod failing;
pub(crate) mod source;

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body::Body as _;
use mcp_server::{Limits, ResourceBody, ResourceDef, ResourceStream, Server};
use serde_json::json;
use tower_service::Service as _;

use self::source::*;
use super::client::*;
use super::subject::*;

const SIZE: u64 = 300_000;

async fn streamed(film: &Film, form: StreamForm) -> (SocketAddr, Server, String) {
    let (address, server, _) = served(|builder| film.add(form, builder));
    let path = path_of(address, URI).await;
    film.counts();
    (address, server, path)
}

#[tokio::test]
async fn stream_is_served_whole_and_in_ranges() {
    for form in [StreamForm::Whole, StreamForm::Seekable, StreamForm::Wanted] {
        let film = Film::new(SIZE);
        let (address, _server, path) = streamed(&film, form).await;
        let whole = get(address, &path, &[]).await;
        assert_eq!(whole.status, 200);
        assert!(whole.body == pattern(0..SIZE), "{form:?}");
        assert_eq!(film.counts(), (1, SIZE));
        assert_eq!(whole.get("content-type"), "video/mp4");
        assert_eq!(whole.get("content-length"), "300000");
        assert_eq!(whole.get("accept-ranges"), "bytes");
        let tag = whole.get("etag").to_owned();
        assert!(tag.starts_with("\"v-"), "{tag}");
        for (range, start, end) in [
            ("bytes=0-9", 0, 10),
            ("bytes=100000-200000", 100_000, 200_001),
            ("bytes=299999-", 299_999, SIZE),
            ("bytes=-3", 299_997, SIZE),
        ] {
            let headers = [("Range", range), ("If-Range", &*tag)];
            let reply = get(address, &path, &headers).await;
            assert_eq!(reply.get("etag"), tag);
            if form == StreamForm::Whole && start > 0 {
                // HTTP permits to ignore a range.
                assert_eq!(
                    (reply.status.as_u16(), reply.body.len() as u64),
                    (200, SIZE)
                );
                assert_eq!(reply.get("content-range"), "");
                film.counts();
                continue;
            }
            assert_eq!(reply.status, 206, "{form:?} {range}");
            assert!(reply.body == pattern(start..end), "{form:?} {range}");
            let expected = format!("bytes {start}-{}/{SIZE}", end - 1);
            assert_eq!(reply.get("content-range"), expected);
            // Nothing else was read.
            assert_eq!(film.counts(), (1, end - start), "{form:?} {range}");
        }
    }
}

#[tokio::test]
async fn heads_and_conditions_read_nothing() {
    let mut film = Film::new(SIZE);
    film.last_modified = Some("2026-11-20T10:00:00Z");
    for versioned in [true, false] {
        film.versioned = versioned;
        let (address, _server, path) = streamed(&film, StreamForm::Seekable).await;
        let changed = "Fri, 20 Nov 2026 10:00:00 GMT";
        let reply = head(address, &path, &[]).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.get("content-length"), "300000");
        assert_eq!(reply.get("last-modified"), changed);
        let tag = reply.get("etag").to_owned();
        assert_eq!(tag.is_empty(), !versioned);
        let mut requests = vec![
            (("If-None-Match", "*"), 304),
            (("If-Modified-Since", changed), 304),
            (
                ("If-Unmodified-Since", "Fri, 20 Nov 2026 09:59:59 GMT"),
                412,
            ),
            (("If-Match", "\"other\""), 412),
            (("Range", "bytes=300000-"), 416),
        ];
        if versioned {
            requests.push((("If-None-Match", &*tag), 304));
        }
        for (header, status) in requests {
            let reply = get(address, &path, &[header]).await;
            assert_eq!(reply.status, status, "{header:?}");
            assert_eq!(
                (reply.get("etag"), reply.get("last-modified")),
                (&*tag, changed)
            );
            assert!(reply.body.is_empty());
        }
        let (opened, read) = film.counts();
        assert_eq!(read, 0);
        // With a version it is not even opened, except to learn that the range is outside.
        assert!(!versioned || opened == 1, "{opened}");
    }
}

#[tokio::test]
async fn stream_of_unknown_size_has_no_ranges() {
    let mut film = Film::new(SIZE);
    film.size = None;
    let (address, _server, path) = streamed(&film, StreamForm::Wanted).await;
    let reply = get(address, &path, &[("Range", "bytes=1-2")]).await;
    assert_eq!(reply.status, 200);
    assert!(reply.body == pattern(0..SIZE));
    assert_eq!(reply.get("content-length"), "");
    assert_eq!(reply.get("accept-ranges"), "none");
}

#[tokio::test]
async fn reads_return_the_bytes_of_the_url_up_to_a_limit() {
    let mut limits = Limits::default();
    limits.message_bytes = 2_000;
    let film = Film::new(1_000);
    let (address, ..) = served(|builder| {
        let text = || async { ResourceStream::new("Ä text".as_bytes()) };
        let either = || async { ResourceBody::from(ResourceStream::new(&b"either"[..])) };
        let lower =
            || async { Ok::<_, std::io::Error>(ResourceStream::new(&b"12345"[..]).limit(4)) };
        let builder = film.add(StreamForm::Seekable, builder.limits(limits));
        builder
            .add_resource(ResourceDef::new("demo://text", "text").handler(text))
            .add_resource(ResourceDef::new("demo://either", "either").handler(either))
            .add_resource(ResourceDef::new("demo://lower", "lower").handler(lower))
    });
    let read = async |uri: &str| call(address, "resources/read", json!({ "uri": uri })).await;
    let contents = read(URI).await["result"]["contents"][0].clone();
    let bytes = STANDARD.decode(contents["blob"].as_str().unwrap()).unwrap();
    assert!(bytes == pattern(0..1_000));
    assert_eq!(contents["mimeType"], "video/mp4");
    assert_eq!(contents["uri"], URI);
    for (uri, text) in [("demo://text", "Ä text"), ("demo://either", "either")] {
        assert_eq!(read(uri).await["result"]["contents"][0]["text"], text);
        let path = path_of(address, uri).await;
        assert_eq!(get(address, &path, &[]).await.text(), text);
    }
    let error = read("demo://lower").await["error"].clone();
    let expected = json!({ "uri": "demo://lower", "limit": 4, "instead": "httpUrl" });
    assert_eq!(
        (&error["code"], &error["data"]),
        (&json!(-32603), &expected)
    );
    let path = path_of(address, "demo://lower").await;
    assert_eq!(get(address, &path, &[]).await.text(), "12345");
}

#[tokio::test]
async fn too_large_stream_is_refused_before_it_is_read() {
    let mut limits = Limits::default();
    limits.message_bytes = 2_000;
    let film = Film::new(1_001);
    let (address, ..) = served(|builder| film.add(StreamForm::Seekable, builder.limits(limits)));
    let answer = call(address, "resources/read", json!({ "uri": URI })).await;
    let data = json!({ "uri": URI, "size": 1_001, "limit": 1_000, "instead": "httpUrl" });
    assert_eq!(answer["error"]["data"], data, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("1001 bytes") && message.contains("`httpUrl`"),
        "{message}"
    );
    assert_eq!(film.counts().1, 0);
}

/// The body is polled here as by hyper, which polls only when it can write.
#[tokio::test]
async fn stream_is_read_only_as_fast_as_the_client_reads() {
    const CHUNK: u64 = 64 << 10;
    let film = Film::new(1 << 30);
    let (_, server, path) = streamed(&film, StreamForm::Seekable).await;
    let request = http::Request::get(&path).body(()).unwrap();
    let mut urls = server.resource_urls().unwrap();
    let response = soon(urls.call(request)).await.unwrap();
    assert_eq!(film.counts(), (1, 0));
    {
        let mut body = pin!(response.into_body());
        for at in 0..10 {
            let frame = soon(poll_fn(|task| body.as_mut().poll_frame(task))).await;
            let data = frame.unwrap().unwrap().into_data().unwrap();
            assert!(data == pattern(at * CHUNK..(at + 1) * CHUNK));
            assert_eq!(film.counts().1, CHUNK);
        }
    }
    // The body was dropped, and the stream with it.
    soon(film.state.dropped.notified()).await;
}

#[tokio::test]
async fn lost_connection_ends_the_stream() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let film = Film::new(1 << 40);
    let (address, _server, path) = streamed(&film, StreamForm::Seekable).await;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: files.example.com\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut part = vec![0; 100_000];
    soon(stream.read_exact(&mut part)).await.unwrap();
    assert!(part.starts_with(b"HTTP/1.1 200"));
    drop(stream);
    soon(film.state.dropped.notified()).await;
    assert!(film.state.version.load(Ordering::SeqCst) == 0);
}

#[tokio::test]
async fn dates_of_changes_are_sent_for_contents_too() {
    let annotated = |uri: &str| {
        let annotations = mcp_server::types::Annotations::new();
        // Later than the clock of the server.
        let annotations = annotations.last_modified("2026-11-21T13:00:00Z");
        ResourceDef::text(uri, "a", "text").annotations(annotations)
    };
    let (address, _, clock) = served(|builder| {
        builder
            .add_resource(annotated("demo://fixed"))
            .add_resource(annotated("demo://made").handler(async || "text"))
    });
    for uri in ["demo://fixed", "demo://made"] {
        clock.set(NOON);
        let path = path_of(address, uri).await;
        let reply = get(address, &path, &[]).await;
        let noon = "Sat, 21 Nov 2026 12:00:00 GMT";
        assert_eq!(reply.get("last-modified"), noon, "{uri}");
        let since = [("If-Modified-Since", noon)];
        assert_eq!(get(address, &path, &since).await.status, 304, "{uri}");
        // A tag has precedence over a date.
        let both = [("If-None-Match", "\"other\""), since[0]];
        assert_eq!(get(address, &path, &both).await.status, 200, "{uri}");
        clock.set(NOON + 1_000);
        assert_eq!(get(address, &path, &since).await.status, 200, "{uri}");
    }
    let path = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &path, &[]).await.get("last-modified"), "");
}

#[tokio::test]
async fn only_resources_that_choose_it_are_cached_publicly() {
    let ttl = std::time::Duration::from_secs(60);
    let film = Film::new(10);
    let (address, _, clock) = served(|builder| {
        let scope = mcp_server::types::CacheScope::Public;
        let film = film.definition(StreamForm::Seekable).cache(ttl, scope);
        let text = ResourceDef::text("demo://text", "text", "-").cache(ttl, scope);
        builder
            .add_resource(film.public_http_cache(true))
            .add_resource(text.public_http_cache(true))
            .add_resource(ResourceDef::text("demo://own", "own", "-").cache(ttl, scope))
    });
    for (uri, whose) in [
        (URI, "public"),
        ("demo://text", "public"),
        ("demo://own", "private"),
    ] {
        clock.set(NOON);
        let path = path_of(address, uri).await;
        let tag = head(address, &path, &[]).await.get("etag").to_owned();
        for (headers, status) in [
            (&[][..], 200),
            (&[("If-None-Match", &*tag)][..], 304),
            (&[("Range", "bytes=0-0")][..], 206),
        ] {
            let reply = get(address, &path, headers).await;
            assert_eq!(reply.status, status);
            assert_eq!(reply.get("cache-control"), format!("{whose}, max-age=60"));
        }
        for (header, status) in [
            (("If-Match", "\"other\""), 412),
            (("Range", "bytes=1000-"), 416),
        ] {
            let reply = get(address, &path, &[header]).await;
            assert_eq!(reply.status, status, "{uri}");
            assert_eq!(reply.get("cache-control"), "no-store", "{uri} {status}");
        }
        // A copy is never fresh for longer than the URL.
        clock.set(NOON + 14 * 60_000 + 50_000);
        let reply = get(address, &path, &[]).await;
        assert_eq!(reply.get("cache-control"), format!("{whose}, max-age=10"));
    }
    let reply = get(address, "/r/unknown", &[]).await;
    assert_eq!(reply.get("cache-control"), "no-store");
}
