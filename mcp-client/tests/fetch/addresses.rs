//! Hosts with private addresses are rejected, however they are named.

use std::future::ready;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::{FetchError, FetchPolicy, FetchedBy, Proxy};

use super::mcp::{Mcp, resource};
use crate::support::proxy::FakeProxy;
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// Returns the address because of which a URL is rejected.
async fn refused(mcp: &Mcp, url: &str, policy: FetchPolicy) -> IpAddr {
    let resource = resource().http_url(url);
    let fetched = soon(mcp.client.fetch(&resource).policy(policy)).await;
    let fetched = fetched.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Read);
    match fetched.attempts() {
        [FetchError::Address { address, .. }] => *address,
        attempts => panic!("{url}: {attempts:?}"),
    }
}

#[tokio::test]
async fn private_addresses_are_rejected_in_any_notation() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let port = web.address().port();
    for (host, address) in [
        ("127.0.0.1", "127.0.0.1"),
        ("10.0.0.1", "10.0.0.1"),
        ("169.254.169.254", "169.254.169.254"),
        ("0.0.0.0", "0.0.0.0"),
        ("[::1]", "::1"),
        ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
        ("[::FFFF:7f00:1]", "::ffff:127.0.0.1"),
        ("[64:ff9b::10.0.0.1]", "64:ff9b::10.0.0.1"),
        ("[2002:7f00:1::]", "2002:7f00:1::"),
        ("[fd00::1]", "fd00::1"),
    ] {
        let url = format!("https://{host}:{port}/");
        let found = refused(&mcp, &url, FetchPolicy::new()).await;
        assert_eq!(found, address.parse::<IpAddr>().expect("an address"));
    }
    // Names that the system resolves itself.
    for host in ["localhost", "LOCALHOST"] {
        let url = format!("https://{host}:{port}/");
        assert!(refused(&mcp, &url, FetchPolicy::new()).await.is_loopback());
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn public_name_that_resolves_to_a_private_address_is_rejected() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let url = "https://files.example/";
    let found = refused(&mcp, url, web.strict()).await;
    assert!(found.is_loopback());
    // One private address among several is sufficient, at any position.
    let public = SocketAddr::from(([192, 0, 1, 1], 443));
    let inner = web.address();
    for addresses in [vec![inner, public], vec![public, inner]] {
        let policy = web
            .strict()
            .resolver(move |_, _| ready(Ok(addresses.clone())));
        assert!(refused(&mcp, url, policy).await.is_loopback());
    }
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn name_is_resolved_once_per_connection() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    web.answer(Reply::redirect("302 Found", "/there"));
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let address = web.address();
    let policy = web.policy().resolver(move |host, port| {
        assert_eq!((host.as_str(), port), ("files.example", 443));
        counter.fetch_add(1, Ordering::SeqCst);
        ready(Ok(vec![address]))
    });
    let fetch = mcp.client.fetch(resource()).policy(policy);
    let mut fetched = soon(fetch).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(web.connections(), 2);
}

#[tokio::test]
async fn trusted_private_host_is_allowed() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let port = web.address().port();
    let literal = format!("https://127.0.0.1:{port}/data");
    for (url, policy) in [
        (
            "https://files.example/data",
            web.strict().allow_host("Files.Example"),
        ),
        (
            "https://FILES.example/data",
            web.strict().allow_private(true),
        ),
        (literal.as_str(), web.strict().allow_host("127.0.0.1")),
        (literal.as_str(), web.strict().allow_private(true)),
    ] {
        web.answer(Reply::ok("text/plain", b"by the URL"));
        let resource = resource().http_url(url);
        let fetched = soon(mcp.client.fetch(&resource).policy(policy)).await;
        let mut fetched = fetched.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
    }
    // Resolved by the system.
    web.answer(Reply::ok("text/plain", b"by the URL"));
    let policy = FetchPolicy::new().tls_roots(web.certificate());
    let resource = resource().http_url(&literal);
    let fetch = mcp.client.fetch(&resource);
    let fetched = soon(fetch.policy(policy.allow_host("127.0.0.1"))).await;
    assert_eq!(fetched.expect("fetched").by(), FetchedBy::Url);
    // Another host is not trusted.
    let policy = web.strict().allow_host("other.example");
    assert!(refused(&mcp, &literal, policy).await.is_loopback());
}

#[tokio::test]
async fn proxy_is_asked_only_for_checked_addresses() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let proxy = FakeProxy::start(web.address()).await;
    let through = |policy: FetchPolicy| policy.proxy(Proxy::new(proxy.url()));
    // The proxy could resolve the name, but the client refuses the address that it finds itself.
    for url in ["https://files.example/", "https://10.0.0.1/"] {
        refused(&mcp, url, through(web.strict())).await;
    }
    let unknown = web
        .strict()
        .resolver(|_, _| ready(Err(std::io::Error::from(std::io::ErrorKind::NotFound))));
    let fetched = soon(mcp.client.fetch(resource()).policy(through(unknown))).await;
    let fetched = fetched.expect("fetched");
    let attempts = fetched.attempts();
    assert!(
        matches!(attempts, [FetchError::Resolve { .. }]),
        "{attempts:?}"
    );
    assert_eq!((proxy.asked().len(), web.connections()), (0, 0));

    let public = SocketAddr::from(([192, 0, 1, 1], 443));
    let checked = web.strict().resolver(move |_, _| ready(Ok(vec![public])));
    for (policy, target) in [
        (checked.clone(), "192.0.1.1:443"),
        // The address does not matter.
        (
            checked.clone().allow_host("files.example"),
            "files.example:443",
        ),
        (checked.allow_private(true), "files.example:443"),
    ] {
        web.answer(Reply::ok("text/plain", b"by the URL"));
        let fetched = soon(mcp.client.fetch(resource()).policy(through(policy))).await;
        let mut fetched = fetched.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "by the URL");
        let asked = format!("CONNECT {target} HTTP/1.1");
        assert_eq!(proxy.asked().last(), Some(&asked));
    }
    assert!(proxy.is_authorized());
}
