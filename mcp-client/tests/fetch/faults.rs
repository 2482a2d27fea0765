//! If a URL or its response is invalid, the resource is read instead, and the attempts contain the
//! error.

use std::time::Duration;

use mcp_client::types::Resource;
use mcp_client::{FetchError, FetchFailed, FetchPolicy, FetchedBy, UrlFault};

use super::mcp::{Mcp, READ, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// Fetches a resource that is read in the end. Returns the error of the URL.
async fn reason(mcp: &Mcp, resource: &Resource, policy: FetchPolicy) -> String {
    let reads = mcp.reads();
    let fetch = mcp.client.fetch(resource).policy(policy);
    let mut fetched = soon(fetch).await.expect("fetched");
    let bytes = soon(fetched.bytes()).await.expect("bytes");
    assert_eq!(fetched.by(), FetchedBy::Read);
    assert_eq!(fetched.media_type(), Some("text/plain"));
    assert_eq!(bytes, READ);
    assert_eq!(mcp.reads(), reads + 1);
    let [attempt] = fetched.attempts() else {
        panic!("one attempt: {:?}", fetched.attempts());
    };
    let reason = format!("{attempt:?}");
    for text in [&attempt.to_string(), &reason, &format!("{fetched:?}")] {
        assert!(!text.contains("secret"), "{text}");
    }
    reason
}

#[tokio::test]
async fn rejected_urls_are_not_requested() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    for (url, fault) in [
        (
            "http://files.example/secret",
            UrlFault::Scheme("http".to_owned()),
        ),
        ("file:///etc/secret", UrlFault::Scheme("file".to_owned())),
        ("/data?secret", UrlFault::Relative),
        ("https://me@files.example/secret", UrlFault::User),
        ("https://me:secret@files.example/", UrlFault::User),
        (
            "https://files.example\\@other.example/",
            UrlFault::Characters,
        ),
        ("https://files.example/se cret", UrlFault::Characters),
        ("https://files.example/\"secret", UrlFault::Characters),
        ("https://files.example:0x1/secret", UrlFault::Port),
        ("https:///secret", UrlFault::Host),
    ] {
        let resource = resource().http_url(url);
        let found = reason(&mcp, &resource, web.policy()).await;
        assert_eq!(found, format!("{:?}", FetchError::Url(fault)), "{url}");
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn responses_without_the_content_are_rejected() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    let plain = "Content-Type: text/plain";
    for (reply, expected) in [
        (Reply::status("404 Not Found"), "Status { status: 404 }"),
        (Reply::status("204 No Content"), "Status { status: 204 }"),
        (Reply::status("403 Forbidden"), "Status { status: 403 }"),
        (Reply::status("500 Oops"), "Status { status: 500 }"),
        (
            Reply::new("206 Partial Content", &[plain, "Content-Length: 2"], b"by"),
            "Status { status: 206 }",
        ),
        (Reply::status("304 Not Modified"), "Status { status: 304 }"),
        (
            Reply::ok("text/html", b"by the URL"),
            r#"MediaType { expected: "text/plain", found: "text/html" }"#,
        ),
        (
            Reply::new("200 OK", &["Content-Length: 2"], b"by"),
            r#"MediaType { expected: "text/plain", found: "" }"#,
        ),
        (
            Reply::new(
                "200 OK",
                &[plain, "Content-Encoding: gzip", "Content-Length: 2"],
                b"by",
            ),
            r#"Encoding("gzip")"#,
        ),
        (
            Reply::ok("text/plain", b"by another URL"),
            "Size { expected: 10, found: 14 }",
        ),
        // Too long, too short, without a length.
        (
            Reply::new("200 OK", &[plain, "Connection: close"], b"by another URL"),
            "Size { expected: 10, found: 14 }",
        ),
        (
            Reply::new("200 OK", &[plain, "Connection: close"], b"by"),
            "Size { expected: 10, found: 2 }",
        ),
    ] {
        web.answer(reply);
        let found = reason(&mcp, &resource().size(10), web.policy()).await;
        assert_eq!(found, expected);
        web.head().await;
    }
}

#[tokio::test]
async fn malformed_http_responses_are_rejected() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    let plain = "Content-Type: text/plain";
    for reply in [
        // More data is announced than sent.
        Reply::new("200 OK", &[plain, "Content-Length: 17"], b"by the URL"),
        Reply::new("200 OK", &[plain, "Content-Length: 17"], b"by the URL").cut(),
        Reply::new(
            "200 OK",
            &[plain, "Transfer-Encoding: chunked"],
            b"3\r\nby \r\n",
        ),
        Reply::new("200 OK", &[plain, "Transfer-Encoding: chunked"], b"zz\r\n"),
        // It ends without a TLS closure alert: an attacker could have truncated it.
        Reply::new("200 OK", &[plain, "Connection: close"], b"by the U").cut(),
        Reply::new("200 OK", &[plain, "Content-Length: x"], b"by the URL"),
        Reply::new("200 OK", &["no header"], b""),
        Reply::nothing(),
        Reply::nothing().cut(),
    ] {
        web.answer(reply);
        let found = reason(&mcp, &resource(), web.policy()).await;
        assert!(found.starts_with("Exchange("), "{found}");
        web.head().await;
    }
}

#[tokio::test]
async fn host_with_an_unknown_certificate_is_rejected() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let address = web.address();
    let unknown = FetchPolicy::new()
        .allow_private(true)
        .resolver(move |_, _| std::future::ready(Ok(vec![address])));
    let found = reason(&mcp, &resource(), unknown).await;
    assert!(found.starts_with("Connect {"), "{found}");
    // Trusted, but for another name.
    let other = resource().http_url("https://third.example/data?secret");
    let found = reason(&mcp, &other, web.policy()).await;
    assert!(found.starts_with("Connect {"), "{found}");
}

#[tokio::test]
async fn unreachable_hosts_fall_back_to_read() {
    let mcp = Mcp::start().await;
    let resource = resource();
    let nobody = FetchPolicy::new().resolver(|_, _| std::future::ready(Ok(Vec::new())));
    let found = reason(&mcp, &resource, nobody).await;
    assert!(found.starts_with("Resolve {"), "{found}");
    let fails = FetchPolicy::new()
        .resolver(|_, _| std::future::ready(Err(std::io::Error::other("no such name"))));
    let found = reason(&mcp, &resource, fails).await;
    assert!(found.starts_with("Resolve {"), "{found}");
    // No server listens at this address.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let free = listener.and_then(|listener| listener.local_addr());
    let free = free.expect("an address");
    let closed = FetchPolicy::new()
        .allow_private(true)
        .resolver(move |_, _| std::future::ready(Ok(vec![free])));
    let found = reason(&mcp, &resource, closed).await;
    assert!(found.starts_with("Connect {"), "{found}");
}

#[tokio::test]
async fn invalid_certificate_is_reported() {
    let mcp = Mcp::start().await;
    let policy = FetchPolicy::new()
        .allow_private(true)
        .tls_roots("nothing")
        .resolver(|_, port| std::future::ready(Ok(vec![([127, 0, 0, 1], port).into()])));
    let fetch = mcp.client.fetch(resource()).policy(policy);
    let fetched = soon(fetch).await.expect("fetched");
    assert!(matches!(fetched.attempts(), [FetchError::Certificate(_)]));
}

#[tokio::test]
async fn slow_host_times_out() {
    let short = Duration::from_millis(500);
    let head = ["Content-Type: text/plain", "Content-Length: 10"];
    // No head, no body, an incomplete body; and the total time.
    let begun = || Reply::new("200 OK", &head, b"by the");
    let long = Duration::from_secs(600);
    let (idles, ends) = ("Time { after: 500ms }", "TotalTime { limit: 500ms }");
    for (reply, idle, time, expected) in [
        (Reply::nothing(), short, long, idles),
        (Reply::new("200 OK", &head, b""), short, long, idles),
        (begun(), short, long, idles),
        // The text has the configured time, not what was left of it.
        (begun(), long, short, ends),
        (Reply::nothing(), long, short, ends),
    ] {
        let web = Web::start().await;
        let mcp = Mcp::start().await;
        web.answer(reply.hold());
        let policy = web.policy().idle(idle).time(time);
        let found = reason(&mcp, &resource(), policy).await;
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn too_large_content_is_not_read_as_a_fallback() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let body = b"more than eight bytes";
    let failed = async |resource: Resource| {
        let fetch = mcp.client.fetch(&resource).policy(web.policy().size(8));
        match soon(fetch).await {
            Err(error) => error,
            Ok(mut fetched) => soon(fetched.bytes()).await.expect_err("too large"),
        }
    };
    // The declared size exceeds the limit: no request is sent.
    let error = failed(resource().size(9)).await;
    assert!(error.to_string().contains("9 bytes"), "{error}");
    assert_eq!(web.connections(), 0);
    // The limit applies to the announced length, and to the received bytes.
    web.answer(Reply::ok("text/plain", body));
    let small = web.policy().size(8);
    let error = soon(mcp.client.fetch(resource()).policy(small)).await;
    let error = error.expect_err("too large").to_string();
    assert!(error.contains("21 bytes"), "{error}");
    let headers = ["Content-Type: text/plain", "Connection: close"];
    web.answer(Reply::new("200 OK", &headers, body));
    let error = failed(resource()).await;
    assert!(error.to_string().contains("more than the 8"), "{error}");
    assert!(matches!(error, FetchFailed::TooLarge { .. }), "{error:?}");
    assert_eq!(mcp.reads(), 0);
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn long_text_of_servers_is_truncated_in_errors() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let long = "x".repeat(20_000);
    let future = format!("2026-01-01T00:00:00.{}Z", "0".repeat(20_000));
    let mut errors = Vec::new();
    for (resource, reply) in [
        (
            resource(),
            Some(Reply::redirect("302 Found", &format!("https://{long}/"))),
        ),
        (
            resource(),
            Some(Reply::redirect("302 Found", &format!("{long}://x/"))),
        ),
        (resource(), Some(Reply::ok(&format!("text/{long}"), b""))),
        (
            resource().mime_type(format!("text/{long}")),
            Some(Reply::ok("text/plain", b"")),
        ),
        (resource().http_url(format!("https://{long}/")), None),
        (resource().http_url_expires_at(future), None),
        (resource().http_url_expires_at(long.clone()), None),
    ] {
        if let Some(reply) = reply {
            web.answer(reply);
        }
        let fetch = mcp.client.fetch(&resource).policy(web.policy());
        let fetched = soon(fetch).await.expect("fetched");
        let [error] = fetched.attempts() else {
            panic!("one attempt: {:?}", fetched.attempts());
        };
        errors.push(format!("{error} {error:?}"));
    }
    for error in &errors {
        assert!(error.len() < 1_000, "{error}");
    }
    assert!(errors[0].contains("Redirect"), "{}", errors[0]);
    assert!(errors[1].contains("Redirect"), "{}", errors[1]);
}
