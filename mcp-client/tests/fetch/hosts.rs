//! Redirects, and hosts that are allowed.

use mcp_client::{FetchError, FetchPolicy, FetchedBy, RedirectFault, UrlFault};

use super::mcp::{Mcp, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// Returns the reason for which a redirect is not followed.
async fn not_followed(mcp: &Mcp, policy: FetchPolicy) -> String {
    let fetch = mcp.client.fetch(resource()).policy(policy);
    let fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Read);
    match fetched.attempts() {
        [FetchError::Redirect { source, .. }] => format!("{source:?}"),
        attempts => panic!("{attempts:?}"),
    }
}

#[tokio::test]
async fn redirects_within_the_origin_are_followed_without_extra_headers() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    for (status, to) in [
        ("301 Moved Permanently", "/there?a=b"),
        ("302 Found", "https://files.example/there?a=b"),
        ("303 See Other", "https://files.example:443/there?a=b"),
        ("307 Temporary Redirect", "//files.example/there?a=b#c"),
        ("308 Permanent Redirect", "there?a=b"),
    ] {
        web.answer(Reply::redirect(status, to));
        web.answer(Reply::ok("text/plain", b"by the URL"));
        let fetch = mcp.client.fetch(resource()).policy(web.policy());
        let mut fetched = soon(fetch).await.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
        web.head().await;
        let head = web.head().await.to_ascii_lowercase();
        assert!(head.starts_with("get /there?a=b http/1.1"), "{head}");
        assert!(
            !head.contains("referer") && !head.contains("secret"),
            "{head}"
        );
    }
}

#[tokio::test]
async fn redirects_to_other_origins_are_not_followed() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let elsewhere = |origin: &str| {
        let origin = origin.to_owned();
        format!("{:?}", RedirectFault::Elsewhere { origin })
    };
    let url = |fault: UrlFault| format!("{:?}", RedirectFault::Url(fault));
    for (to, expected) in [
        (
            "https://other.example/",
            elsewhere("https://other.example:443"),
        ),
        ("//other.example/", elsewhere("https://other.example:443")),
        (
            "https://files.example:8443/",
            elsewhere("https://files.example:8443"),
        ),
        (
            "http://files.example/",
            url(UrlFault::Scheme("http".to_owned())),
        ),
        (
            "javascript:alert(1)",
            url(UrlFault::Scheme("javascript".to_owned())),
        ),
        ("https://me@files.example/", url(UrlFault::User)),
        ("https://127.0.0.1/", elsewhere("https://127.0.0.1:443")),
    ] {
        web.answer(Reply::redirect("302 Found", to));
        assert_eq!(not_followed(&mcp, web.policy()).await, expected, "{to}");
    }
    web.answer(Reply::status("302 Found"));
    assert_eq!(not_followed(&mcp, web.policy()).await, "Nowhere");
}

#[tokio::test]
async fn number_of_redirects_is_limited() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    for _ in 0..5 {
        web.answer(Reply::redirect("302 Found", "/again"));
    }
    assert_eq!(not_followed(&mcp, web.policy()).await, "TooMany");
    assert_eq!(web.connections(), 5);
    web.answer(Reply::redirect("302 Found", "/again"));
    let none = web.policy().redirects(0);
    assert_eq!(not_followed(&mcp, none).await, "TooMany");
    assert_eq!(web.connections(), 6);
}

#[tokio::test]
async fn redirect_to_an_allowed_host_is_followed() {
    let mut web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::redirect("302 Found", "https://other.example/there"));
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let policy = web.policy().allow_host("other.example");
    let fetch = mcp.client.fetch(resource()).policy(policy.clone());
    let mut fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    web.head().await;
    assert!(web.head().await.contains("host: other.example\r\n"));
    // But not without TLS.
    web.answer(Reply::redirect("302 Found", "http://other.example/there"));
    let expected = RedirectFault::Url(UrlFault::Scheme("http".to_owned()));
    assert_eq!(not_followed(&mcp, policy).await, format!("{expected:?}"));
}

#[tokio::test]
async fn only_allowed_hosts_are_used_if_restricted() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let only = |host: &str| web.policy().allow_host(host).only_allowed(true);
    let fetch = mcp.client.fetch(resource()).policy(only("other.example"));
    let fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Read);
    match fetched.attempts() {
        [FetchError::Host { origin }] => assert_eq!(origin, "https://files.example:443"),
        attempts => panic!("{attempts:?}"),
    }
    assert_eq!(web.connections(), 0);
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let fetch = mcp.client.fetch(resource()).policy(only("files.example"));
    let fetched = soon(fetch).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url);
}
