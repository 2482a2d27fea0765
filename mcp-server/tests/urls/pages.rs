//! Web pages in browsers that download by URL.

use mcp_server::{Http, HttpConfig};

use super::client::*;
use super::subject::*;
use crate::support::apps::serve_in_hyper;

const PAGE: (&str, &str) = ("Origin", "https://app.example.com");

#[tokio::test]
async fn page_of_an_allowed_origin_can_read_downloads() {
    let (server, _clock) = server(|builder| builder);
    let config = HttpConfig::new().allow_origins([PAGE.1]);
    let http = server
        .serve_http(Http::at("127.0.0.1:0").config(config))
        .expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    let path = path_of(address, "demo://logo").await;

    let reply = get(address, &path, &[PAGE]).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (200, &LOGO[..]));
    assert_eq!(reply.get("access-control-allow-origin"), PAGE.1);
    assert!(reply.get("access-control-expose-headers").contains("etag"));
    let refused = get(address, "/r/nothing", &[PAGE]).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.get("access-control-allow-origin"), PAGE.1);

    let asks = [
        PAGE,
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "if-none-match,range"),
    ];
    let preflight = send(address, "OPTIONS", &path, &asks, String::new()).await;
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.get("access-control-allow-headers"),
        "if-none-match, range"
    );

    // Anyone with the URL can get the bytes, but pages of other origins cannot read them.
    let other = ("Origin", "https://evil.example.com");
    let reply = get(address, &path, &[other]).await;
    assert_eq!((reply.status.as_u16(), &*reply.body), (200, &LOGO[..]));
    assert_eq!(reply.get("access-control-allow-origin"), "");
    // The browser must not cache a response without CORS headers for a page that needs them.
    for headers in [&[][..], &[other]] {
        assert_eq!(get(address, &path, headers).await.get("vary"), "origin");
    }
}

#[tokio::test]
async fn mounted_urls_are_unreadable_for_pages_by_default() {
    let config = HttpConfig::new().allow_origins([PAGE.1]);
    for (allowed, echoed) in [(false, ""), (true, PAGE.1)] {
        let (server, _clock) = server(|builder| builder);
        let protocol = serve(&server);
        let path = path_of(protocol, "demo://logo").await;
        let urls = server.resource_urls().expect("there are URLs");
        let urls = if allowed {
            urls.allow_pages(&config)
        } else {
            urls
        };
        let address = serve_in_hyper(urls).await;
        let reply = get(address, &path, &[PAGE]).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.get("access-control-allow-origin"), echoed);
    }
}
