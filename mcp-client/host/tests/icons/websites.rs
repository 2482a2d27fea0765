//! Websites that servers name.

use mcp_client::{Client, Http, UrlFault};
use mcp_host::icons::{self, IconPolicy, Website};

use super::loading::{INFO, client};
use mcp_testkit::soon;
use mcp_testkit::web::Web;

/// Returns the classification of a website of the server on this host.
async fn classify(web: &mut Web, url: &str) -> Result<Website, UrlFault> {
    let info = serde_json::json!({"name": "demo", "version": "1", "websiteUrl": url});
    let policy = web.policy();
    let client = client(web, &info.to_string(), policy).await;
    let policy = IconPolicy::new().allow_host("docs.example");
    icons::website(&client, &policy).expect("a website")
}

#[tokio::test]
async fn website_is_classified_as_own_trusted_or_other() {
    let mut web = Web::start().await;
    let url = format!("https://{}/about", web.address());
    let own = classify(&mut web, &url).await;
    assert_eq!(own, Ok(Website::Own { url }));
    let url = "https://DOCS.example/about?a=b".to_owned();
    let trusted = classify(&mut web, &url).await;
    assert_eq!(trusted, Ok(Website::Trusted { url }));
    for (url, host) in [
        ("https://other.example/", "other.example"),
        (
            "https://docs.example.evil.example/",
            "docs.example.evil.example",
        ),
        ("https://127.0.0.1/", "127.0.0.1"),
    ] {
        let (url, host) = (url.to_owned(), host.to_owned());
        let elsewhere = classify(&mut web, &url).await;
        assert_eq!(elsewhere, Ok(Website::Elsewhere { url, host }));
    }
    // No website was requested: each client sent one request.
    assert_eq!(web.connections(), 5);
}

#[tokio::test]
async fn unsafe_website_is_rejected_with_the_reason() {
    let mut web = Web::start().await;
    let scheme = |scheme: &str| UrlFault::Scheme(scheme.to_owned());
    let plain = format!("http://{}/", web.address());
    for (url, fault) in [
        ("http://docs.example/", scheme("http")),
        (plain.as_str(), scheme("http")),
        ("javascript:alert(1)", scheme("javascript")),
        ("data:text/html,x", scheme("data")),
        ("file:///etc/passwd", scheme("file")),
        ("https://docs.example@evil.example/", UrlFault::User),
        ("https://evil.example\\@docs.example/", UrlFault::Characters),
        ("docs.example", UrlFault::Relative),
    ] {
        assert_eq!(classify(&mut web, url).await, Err(fault), "{url}");
    }
}

#[tokio::test]
async fn plain_http_server_may_have_a_plain_http_website() {
    let server = mcp_server::Server::builder("demo", "1.0.0").build();
    let serving = server.expect("valid").serve_http("127.0.0.1:0");
    let serving = serving.expect("bound");
    let origin = format!("http://{}", serving.local_addr());
    tokio::spawn(serving.into_future());
    let http = Http::new(format!("{origin}/mcp"));
    let client = soon(Client::builder("test", "1").connect(http)).await;
    assert_eq!(
        icons::website(&client.expect("connected"), &IconPolicy::new()),
        None
    );

    let policy = IconPolicy::new();
    let url = format!("{origin}/about");
    let own = policy.website(&url, Some(&format!("{origin}/mcp")));
    assert_eq!(own, Ok(Website::Own { url: url.clone() }));
    let fault = UrlFault::Scheme("http".to_owned());
    assert_eq!(policy.website(&url, None), Err(fault));
}

#[tokio::test]
async fn server_without_a_website_returns_none() {
    let mut web = Web::start().await;
    let policy = web.policy();
    let client = client(&mut web, INFO, policy).await;
    assert_eq!(icons::website(&client, &IconPolicy::new()), None);
}
