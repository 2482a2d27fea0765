//! Interrupted transfers: resumed, replaced by a read, or failed.

use mcp_client::{FetchError, FetchFailed, Fetched, FetchedBy};

use super::mcp::{Mcp, READ, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

const BODY: &[u8] = b"0123456789";

/// Content with an `ETag`, interrupted after this number of bytes.
fn begun(bytes: usize) -> Reply {
    let headers = [
        "Content-Type: text/plain",
        "Content-Length: 10",
        "ETag: \"one\"",
    ];
    Reply::new("200 OK", &headers, &BODY[..bytes]).cut()
}

/// The partial content from a position on.
fn rest(from: usize) -> Reply {
    let length = format!("Content-Length: {}", BODY.len() - from);
    let range = format!("Content-Range: bytes {from}-9/10");
    let headers = [
        "Content-Type: text/plain",
        length.as_str(),
        &range,
        "ETag: \"one\"",
    ];
    Reply::new("206 Partial Content", &headers, &BODY[from..])
}

async fn fetch(mcp: &Mcp, web: &Web) -> Fetched {
    let fetch = mcp.client.fetch(resource()).policy(web.policy());
    let fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url);
    fetched
}

#[tokio::test]
async fn interrupted_transfer_resumes_where_it_stopped() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(begun(4));
    let mut fetched = fetch(&mcp, &web).await;
    web.answer(Reply::new(
        "206 Partial Content",
        &["Content-Length: 6", "Content-Range: bytes 4-9/*"],
        b"45",
    ));
    web.answer(rest(6));
    let mut written = Vec::new();
    let bytes = soon(fetched.write_to(&mut written)).await.expect("written");
    assert_eq!((bytes, &written[..]), (10, BODY));
    assert_eq!(fetched.by(), FetchedBy::Url);
    // All attempts are reported.
    assert!(matches!(
        fetched.attempts(),
        [FetchError::Exchange(_), FetchError::Exchange(_)]
    ));
    assert_eq!(mcp.reads(), 0);
    assert!(!web.head().await.to_ascii_lowercase().contains("range:"));
    for range in ["range: bytes=4-\r\n", "range: bytes=6-\r\n"] {
        let head = web.head().await.to_ascii_lowercase();
        assert!(head.starts_with("get /data?token=secret "), "{head}");
        assert!(head.contains(range), "{head}");
        assert!(head.contains("if-range: \"one\"\r\n"), "{head}");
    }
}

#[tokio::test]
async fn interrupted_transfer_resumes_at_the_redirect_target() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::redirect("307 Temporary Redirect", "/there"));
    web.answer(begun(4));
    web.answer(rest(4));
    let mut fetched = fetch(&mcp, &web).await;
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), BODY);
    web.head().await;
    web.head().await;
    assert!(web.head().await.starts_with("GET /there HTTP/1.1"));
}

#[tokio::test]
async fn without_ranges_an_unread_transfer_falls_back_to_read() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let plain = ["Content-Type: text/plain", "Content-Length: 10"];
    for more in [
        &[][..],
        &["ETag: W/\"one\""],
        &["ETag: \"one\"", "Accept-Ranges: none"],
    ] {
        let headers = [&plain, more].concat();
        web.answer(Reply::new("200 OK", &headers, b"0123").cut());
        let reads = mcp.reads();
        let mut fetched = fetch(&mcp, &web).await;
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
        assert_eq!(fetched.by(), FetchedBy::Read);
        assert_eq!(fetched.length(), Some(READ.len() as u64));
        assert!(matches!(fetched.attempts(), [FetchError::Exchange(_)]));
        assert_eq!(mcp.reads(), reads + 1);
    }
    assert_eq!(web.connections(), 3);
}

#[tokio::test]
async fn partly_written_transfer_is_not_restarted() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let headers = ["Content-Type: text/plain", "Content-Length: 10"];
    web.answer(Reply::new("200 OK", &headers, b"0123").cut());
    let mut fetched = fetch(&mcp, &web).await;
    let mut written = Vec::new();
    let error = soon(fetched.write_to(&mut written)).await;
    let error = error.expect_err("the transfer was interrupted");
    assert!(
        matches!(error, FetchFailed::Broken { given: 4, .. }),
        "{error:?}"
    );
    assert!(!error.to_string().contains("secret"), "{error}");
    assert_eq!(written, b"0123");
    assert_eq!(mcp.reads(), 0);
    // Reading again also returns the error.
    for _ in 0..2 {
        let error = soon(fetched.chunk())
            .await
            .expect_err("the transfer is over");
        assert!(matches!(error, FetchFailed::Over { given: 4 }), "{error:?}");
    }
}

#[tokio::test]
async fn mismatched_partial_content_is_rejected() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let part = |headers: &[&str], body: &[u8]| Reply::new("206 Partial Content", headers, body);
    let length = "Content-Length: 6";
    for reply in [
        // The content has changed, or the host does not support ranges.
        Reply::ok("text/plain", BODY),
        Reply::status("416 Range Not Satisfiable"),
        Reply::status("412 Precondition Failed"),
        part(&[length], b"456789"),
        Reply::new(
            "200 OK",
            &[length, "Content-Range: bytes 4-9/10"],
            b"456789",
        ),
        part(&[length, "Content-Range: bytes 3-9/10"], b"345678"),
        part(&[length, "Content-Range: bytes 4-9/11"], b"456789"),
        part(&[length, "Content-Range: lines 4-9/10"], b"456789"),
        part(&[length, "Content-Range: bytes 4-9/x"], b"456789"),
        part(
            &[length, "Content-Range: bytes 4-9/10", "ETag: \"two\""],
            b"456789",
        ),
    ] {
        web.answer(begun(4));
        web.answer(reply);
        let mut fetched = fetch(&mcp, &web).await;
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
        assert!(matches!(
            fetched.attempts(),
            [FetchError::Exchange(_), FetchError::NoRest { .. }]
        ));
        // The same if the program has already read a part.
        web.answer(begun(4));
        web.answer(Reply::ok("text/plain", BODY));
        let mut fetched = fetch(&mcp, &web).await;
        let mut written = Vec::new();
        let error = soon(fetched.write_to(&mut written)).await;
        assert!(matches!(error, Err(FetchFailed::Broken { given: 4, .. })));
        assert_eq!(written, b"0123");
    }
}

#[tokio::test]
async fn too_short_partial_content_is_an_error() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(begun(4));
    let headers = ["Content-Length: 2", "Content-Range: bytes 4-5/10"];
    web.answer(Reply::new("206 Partial Content", &headers, b"45"));
    let mut fetched = fetch(&mcp, &web).await;
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
    assert!(matches!(
        fetched.attempts(),
        [
            FetchError::Exchange(_),
            FetchError::Size {
                expected: 10,
                found: 6
            }
        ]
    ));
}

#[tokio::test]
async fn host_that_always_disconnects_is_abandoned() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(begun(4));
    for from in 4..8 {
        let length = format!("Content-Length: {}", 10 - from);
        let range = format!("Content-Range: bytes {from}-9/10");
        let body = &BODY[from..=from];
        web.answer(Reply::new("206 Partial Content", &[&length, &range], body).cut());
    }
    let mut fetched = fetch(&mcp, &web).await;
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
    assert_eq!(fetched.attempts().len(), 4);
    assert_eq!(web.connections(), 4);
}

#[tokio::test]
async fn dropped_read_loses_no_data() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(begun(4).hold());
    let mut fetched = fetch(&mcp, &web).await;
    let first = soon(fetched.chunk()).await.expect("a part").expect("more");
    let mut all = first.to_vec();
    // The host sends nothing, and the read is dropped.
    for _ in 0..3 {
        let short = std::time::Duration::from_millis(10);
        let waited = tokio::time::timeout(short, fetched.chunk()).await;
        if let Ok(part) = waited {
            all.extend_from_slice(&part.expect("a part").expect("more"));
        }
    }
    assert_eq!(all, b"0123");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert!(fetched.attempts().is_empty());
}
