//! Which method downloads a resource, and which headers are sent.

use mcp_client::types::ResourceLink;
use mcp_client::{Client, FetchError, FetchedBy};

use super::mcp::{Mcp, READ, URI, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

#[tokio::test]
async fn download_sends_nothing_of_the_connection() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::ok("text/plain; charset=utf-8", b"by the URL"));
    let fetch = mcp.client.fetch(resource()).policy(web.policy());
    let mut fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert_eq!(fetched.length(), Some(10));
    assert_eq!(fetched.media_type(), Some("text/plain; charset=utf-8"));
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    assert!(fetched.attempts().is_empty());
    assert_eq!(mcp.reads(), 0);

    let head = web.head().await.to_ascii_lowercase();
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("get /data?token=secret http/1.1"));
    let mut said: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            "accept-encoding: identity",
            "accept: text/plain",
            "host: files.example",
        ]
    );
}

#[tokio::test]
async fn authorization_and_headers_are_sent_only_to_their_origin() {
    use mcp_client::Http;

    let mut web = Web::start().await;
    let server = mcp_server::Server::builder("demo", "1.0.0").build();
    let serving = server.expect("valid").serve_http("127.0.0.1:0");
    let serving = serving.expect("bound");
    let url = format!("http://{}/mcp", serving.local_addr());
    tokio::spawn(serving.into_future());
    let http = Http::new(url)
        .header("authorization", "Bearer secret")
        .header("x-tenant", "blue");
    let builder = Client::builder("test", "1.0.0").fetch_policy(web.policy());
    let client = soon(builder.connect(http)).await.expect("connected");
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let mut fetched = soon(client.fetch(resource())).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    let head = web.head().await.to_ascii_lowercase();
    for secret in [
        "authorization",
        "bearer",
        "tenant",
        "mcp-",
        "cookie",
        "referer",
    ] {
        assert!(!head.contains(secret), "{head}");
    }
}

#[tokio::test]
async fn resource_without_a_url_is_read() {
    let mcp = Mcp::start().await;
    let mut plain = resource();
    plain.http_url = None;
    for fetch in [mcp.client.fetch(&plain), mcp.client.fetch(URI)] {
        let mut fetched = soon(fetch).await.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Read);
        assert!(matches!(fetched.attempts(), [FetchError::NoUrl]));
        assert_eq!(fetched.media_type(), Some("text/plain"));
        assert_eq!(fetched.length(), Some(READ.len() as u64));
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
        assert!(soon(fetched.bytes()).await.expect("the end").is_empty());
    }
    assert_eq!(mcp.reads(), 2);
}

#[tokio::test]
async fn resource_link_is_fetched_like_a_resource() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let link = ResourceLink::new(URI, "data").http_url("https://files.example/link");
    let fetch = mcp.client.fetch(&link).policy(web.policy());
    let mut fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    assert!(web.head().await.starts_with("GET /link HTTP/1.1"));
}

#[tokio::test]
async fn link_without_a_usable_url_is_read_within_the_same_limit() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let link = || ResourceLink::new(URI, "data").mime_type("text/plain");
    for link in [
        link(),
        link().http_url("http://files.example/link"),
        link()
            .http_url("https://files.example/link")
            .http_url_expires_at("2020-01-01T00:00:00Z"),
    ] {
        let fetch = |link: &ResourceLink, size| {
            let fetch = mcp.client.fetch(link);
            fetch.policy(web.policy().size(size))
        };
        let mut fetched = soon(fetch(&link, 17)).await.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Read);
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), READ);
        let before = mcp.reads();
        let error = soon(fetch(&link, 16)).await.expect_err("too large");
        assert!(error.to_string().contains("17 bytes"), "{error}");
        assert_eq!(mcp.reads(), before + 1);
        // The declared size exceeds the limit: no request is sent.
        let error = soon(fetch(&link.size(18), 17)).await;
        let error = error.expect_err("too large").to_string();
        assert!(error.contains("18 bytes"), "{error}");
        assert_eq!(mcp.reads(), before + 1);
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn body_without_a_length_is_read_to_its_end() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    for (header, body) in [
        (
            "Transfer-Encoding: chunked",
            "3\r\nby \r\n7\r\nthe URL\r\n0\r\n\r\n",
        ),
        ("Connection: close", "by the URL"),
    ] {
        let headers = ["Content-Type: text/plain", header];
        web.answer(Reply::new("200 OK", &headers, body.as_bytes()));
        let fetch = mcp.client.fetch(resource()).policy(web.policy());
        let mut fetched = soon(fetch).await.expect("fetched");
        assert_eq!(fetched.length(), None);
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    }
    assert_eq!(mcp.reads(), 0);
}

#[tokio::test]
async fn chunks_are_returned_as_they_arrive() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let body: Vec<u8> = (0..5_000_000_u32).map(|at| at.to_le_bytes()[1]).collect();
    let size = i64::try_from(body.len()).expect("in bounds");
    for _ in 0..2 {
        web.answer(Reply::ok("text/plain", &body));
    }
    let large = resource().size(size);
    let fetch = || mcp.client.fetch(&large).policy(web.policy());
    let mut fetched = soon(fetch()).await.expect("fetched");
    let mut all = Vec::new();
    let mut parts = 0;
    while let Some(part) = soon(fetched.chunk()).await.expect("a part") {
        assert!(!part.is_empty() && part.len() < body.len());
        all.extend_from_slice(&part);
        parts += 1;
    }
    assert!(all == body && parts > 1);
    assert_eq!(soon(fetched.chunk()).await.expect("the end"), None);

    let mut fetched = soon(fetch()).await.expect("fetched");
    let first = soon(fetched.chunk()).await.expect("a part").expect("more");
    let mut rest = Vec::new();
    let written = soon(fetched.write_to(&mut rest)).await.expect("written");
    assert_eq!(written, rest.len() as u64);
    assert!([&first[..], &rest].concat() == body);
    assert_eq!(mcp.reads(), 0);
}

#[tokio::test]
async fn write_error_is_returned() {
    use mcp_client::FetchFailed;

    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let fetch = mcp.client.fetch(resource()).policy(web.policy());
    let mut fetched = soon(fetch).await.expect("fetched");
    let mut room = [0_u8; 4];
    let error = soon(fetched.write_to(&mut std::io::Cursor::new(&mut room[..]))).await;
    let error = error.expect_err("no room");
    assert!(
        matches!(error, FetchFailed::Write { given: 0, .. }),
        "{error}"
    );
}
