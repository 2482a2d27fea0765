//! Which parts of a resource are read for a request.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use http_body::Body as _;
use mcp_server::types::{
    AnyResourceContents, BlobResourceContents, Resource, TextResourceContents,
};
use mcp_server::{Proposal, ResourceDef, Server, ServerBuilder};
use tower_service::Service as _;

use super::client::*;
use super::subject::*;

/// A report with a version and a size in its description.
#[derive(Clone, Default)]
struct Report {
    version: Arc<AtomicU64>,
    reads: Arc<AtomicUsize>,
    /// `true` if reading creates a new version.
    changes: Arc<AtomicBool>,
}

const URI: &str = "demo://report";
const REPORT: &str = "It went well.";

impl Report {
    fn add(&self, builder: ServerBuilder) -> ServerBuilder {
        let (described, read) = (self.clone(), self.clone());
        let report = ResourceDef::new(URI, "report")
            .mime_type("text/markdown")
            .handler(move || {
                read.reads.fetch_add(1, Ordering::SeqCst);
                if read.changes.load(Ordering::SeqCst) {
                    read.version.fetch_add(1, Ordering::SeqCst);
                }
                async { REPORT }
            })
            .describe(move |report: Resource| {
                let version = described.version.load(Ordering::SeqCst);
                async move { report.version(format!("{version}\n")).size(13) }
            });
        builder.add_resource(report)
    }

    /// Returns how often it was read since the last call.
    fn reads(&self) -> usize {
        self.reads.swap(0, Ordering::SeqCst)
    }
}

async fn reported() -> (SocketAddr, Server, Report, String) {
    let report = Report::default();
    let (address, server, _) = served(|builder| report.add(builder));
    let path = path_of(address, URI).await;
    report.reads();
    (address, server, report, path)
}

#[tokio::test]
async fn known_version_and_size_are_sent_without_reading() {
    let (address, _server, report, path) = reported().await;
    let reply = head(address, &path, &[]).await;
    assert_eq!((reply.status.as_u16(), report.reads()), (200, 0));
    let whole = get(address, &path, &[]).await;
    assert_eq!((whole.text(), report.reads()), (REPORT, 1));
    for name in [
        "etag",
        "content-length",
        "content-type",
        "cache-control",
        "accept-ranges",
    ] {
        assert!(!whole.get(name).is_empty(), "{name}");
        assert_eq!(reply.get(name), whole.get(name), "{name}");
    }
}

#[tokio::test]
async fn conditions_on_a_known_version_are_checked_without_reading() {
    let (address, _server, report, path) = reported().await;
    let tag = head(address, &path, &[]).await.get("etag").to_owned();
    assert_eq!(report.reads(), 0);
    for (header, value, status) in [
        ("If-None-Match", &*tag, 304),
        ("If-None-Match", "*", 304),
        ("If-Match", "\"other\"", 412),
    ] {
        for method in ["GET", "HEAD"] {
            let headers = [(header, value), ("Range", "bytes=0-1")];
            let reply = send(address, method, &path, &headers, String::new()).await;
            assert_eq!((reply.status.as_u16(), report.reads()), (status, 0));
            assert_eq!(reply.get("etag"), tag);
            assert!(reply.body.is_empty());
        }
    }
    let headers = [("Range", "bytes=0-1"), ("If-Range", &*tag)];
    let reply = get(address, &path, &headers).await;
    assert_eq!((reply.status.as_u16(), reply.text()), (206, "It"));
    assert_eq!((reply.get("etag"), report.reads()), (&*tag, 1));
    // Another version has another tag.
    report.version.fetch_add(1, Ordering::SeqCst);
    let reply = get(address, &path, &[("If-None-Match", &tag)]).await;
    assert_eq!((reply.status.as_u16(), reply.text()), (200, REPORT));
    assert_ne!(reply.get("etag"), tag);
}

/// A cache that had another representation under this tag would return its bytes.
#[tokio::test]
async fn tag_of_the_version_belongs_to_the_preferred_representation() {
    let contents = || async {
        let markdown = TextResourceContents::new(URI, "*a*").mime_type("text/markdown");
        let plain = TextResourceContents::new(URI, "a").mime_type("text/plain");
        vec![AnyResourceContents::from(plain), markdown.into()]
    };
    let (address, ..) = served(|builder| {
        let report = ResourceDef::new(URI, "report").version("1");
        builder.add_resource(report.mime_type("text/markdown").handler(contents))
    });
    let path = path_of(address, URI).await;
    let markdown = get(address, &path, &[]).await;
    assert_eq!(markdown.text(), "*a*");
    let known = markdown.get("etag");
    let plain = [("Accept", "text/plain"), ("If-None-Match", known)];
    let plain = get(address, &path, &plain).await;
    assert_eq!((plain.status.as_u16(), plain.text()), (200, "a"));
    assert_ne!(plain.get("etag"), known);
    // The client accepts both, so the representation is known without reading.
    let either = [("Accept", "text/plain, text/*"), ("If-None-Match", known)];
    assert_eq!(get(address, &path, &either).await.status, 304);
}

/// Otherwise a client that combines two parts would have neither version.
#[tokio::test]
async fn contents_changed_during_a_read_are_not_sent_as_the_old_version() {
    let (address, _server, report, path) = reported().await;
    let tag = head(address, &path, &[]).await.get("etag").to_owned();
    report.changes.store(true, Ordering::SeqCst);
    let headers = [("Range", "bytes=0-1"), ("If-Range", &*tag)];
    let reply = get(address, &path, &headers).await;
    assert_eq!((reply.status.as_u16(), reply.text()), (200, REPORT));
    assert_ne!(reply.get("etag"), tag);
}

/// Bytes without a pattern, more than one chunk of a body.
fn large(size: usize) -> Vec<u8> {
    let bytes = (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes());
    bytes.take(size).collect()
}

#[tokio::test]
async fn a_body_is_sent_in_pieces_of_at_most_64_kib() {
    let bytes = large(1_000_000);
    let (server, _) = server(|builder| {
        let made = bytes.clone();
        let bytes = ResourceDef::bytes("demo://fixed", "fixed", bytes.clone());
        builder
            .add_resource(bytes)
            .resource("demo://made", "made", move || {
                let made = made.clone();
                async move { made }
            })
    });
    let address = serve(&server);
    for uri in ["demo://fixed", "demo://made"] {
        let path = path_of(address, uri).await;
        // Polled like any body by hyper or tower.
        let request = http::Request::get(&path).header("Range", "bytes=1-");
        let request = request.body(()).expect("a request");
        let mut urls = server.resource_urls().expect("configured");
        let response = soon(urls.call(request)).await.expect("infallible");
        assert_eq!(response.status(), 206);
        let mut body = pin!(response.into_body());
        assert_eq!(body.size_hint().exact(), Some(999_999));
        let mut whole = Vec::new();
        while !body.is_end_stream() {
            let frame = soon(poll_fn(|task| body.as_mut().poll_frame(task))).await;
            let frame = frame.expect("more data").expect("infallible");
            let data = frame.into_data().expect("data");
            assert!(data.len() <= 64 << 10, "{}", data.len());
            whole.extend_from_slice(&data);
        }
        assert!(whole == bytes[1..], "{uri}");
        // And over a socket.
        let reply = get(address, &path, &[]).await;
        assert!(reply.body == bytes, "{uri}");
    }
}

/// All tasks of this test run on one thread: another task makes progress only if that thread is not
/// busy with the contents.
#[tokio::test]
async fn other_requests_are_served_while_large_contents_are_hashed() {
    let (read, turns) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
    let contents = BlobResourceContents::new("demo://large", base64_of(&large(16 << 20)));
    let (address, ..) = served(|builder| {
        let read = Arc::clone(&read);
        builder
            .resource("demo://large", "large", move || {
                read.store(true, Ordering::SeqCst);
                let contents = contents.clone();
                async move { contents }
            })
            .add_resource(ResourceDef::bytes("demo://fixed", "fixed", large(16 << 20)))
    });
    for uri in ["demo://large", "demo://fixed"] {
        let path = path_of(address, uri).await;
        turns.store(0, Ordering::SeqCst);
        let others = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move {
                loop {
                    turns.fetch_add(1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                }
            }
        });
        let reply = head(address, &path, &[]).await;
        others.abort();
        assert_eq!(reply.status, 200);
        // Some of them are polls of the connection itself.
        let turns = turns.load(Ordering::SeqCst);
        assert!(turns > 100, "{uri}: {turns}");
    }
    assert!(read.load(Ordering::SeqCst));
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// The contents are hashed once, however often a part or the headers are requested.
#[tokio::test]
async fn etag_of_static_contents_equals_their_version() {
    let bytes = large(100_000);
    let (address, ..) = served(|builder| {
        builder.add_resource(ResourceDef::bytes("demo://fixed", "fixed", bytes.clone()))
    });
    let path = path_of(address, "demo://fixed").await;
    let tag = head(address, &path, &[]).await.get("etag").to_owned();
    let reply = get(address, &path, &[("Range", "bytes=-1"), ("If-Range", &tag)]).await;
    assert_eq!(
        (reply.status.as_u16(), &*reply.body),
        (206, &bytes[99_999..])
    );
    assert_eq!(reply.get("etag"), tag);
    let reply = get(address, &path, &[("If-None-Match", &tag)]).await;
    assert_eq!(reply.status, 304);
}

#[tokio::test]
async fn handler_replaces_static_contents_and_their_version() {
    let replaced = ResourceDef::text("demo://note", "note", "old").handler(async || "new");
    let fixed = ResourceDef::text("demo://fixed", "fixed", "old");
    let (address, server, _) = served(|builder| {
        let builder = builder.proposals([Proposal::HttpsUrl, Proposal::VersionedResources]);
        builder.add_resource(replaced).add_resource(fixed)
    });
    let fixed = listed(address, "demo://fixed").await;
    let note = listed(address, "demo://note").await;
    assert!(fixed["version"].is_string(), "{fixed}");
    assert!(note["version"].is_null(), "{note}");
    assert_eq!(get(address, &path(&fixed), &[]).await.text(), "old");
    assert_eq!(get(address, &path(&note), &[]).await.text(), "new");
    drop(server);
}
