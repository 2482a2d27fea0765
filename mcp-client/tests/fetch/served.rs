//! URLs of `mcp-server`, fetched over TLS by its client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use mcp_client::types::{ContentBlock, Resource, ResourceLink};
use mcp_client::{Client, FetchPolicy, FetchedBy, Http, Proposal};
use mcp_server::{HttpUrls, ResourceDef, Server};

use crate::certificate::certified;
use crate::web::soon;

struct Both {
    server: Server,
    client: Client,
    /// The number of seconds that the server's clock is ahead.
    ahead: Arc<AtomicU64>,
}

/// Larger than all buffers.
fn large() -> Vec<u8> {
    let bytes =
        (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]);
    bytes.collect()
}

impl Both {
    async fn start() -> Self {
        let ahead = Arc::new(AtomicU64::new(0));
        let (tls, pem) = certified(&["localhost", "files.example.com"]);
        let clock = Arc::clone(&ahead);
        let urls = HttpUrls::new("https://files.example.com/r/").expect("a base");
        let urls = urls
            .clock(move || SystemTime::now() + Duration::from_secs(clock.load(Ordering::SeqCst)));
        let server = Server::builder("demo", "1.0.0")
            .proposals([Proposal::HttpsUrl, Proposal::Sep2093])
            .http_urls(urls)
            .add_resource(ResourceDef::text("demo://text", "text", "Grüße"))
            .add_resource(ResourceDef::text("demo://empty", "empty", ""))
            .add_resource(
                ResourceDef::bytes("demo://large", "large", large()).mime_type("image/png"),
            )
            .tool("link", "Links", || async {
                let link = ResourceLink::new("demo://text", "text");
                ContentBlock::from(link)
            })
            .add_resource(ResourceDef::text("demo://without", "without", "-").http_url(false))
            .build()
            .expect("the definition is valid");
        let https = server
            .serve_http(mcp_server::Http::at("127.0.0.1:0").tls(tls))
            .expect("bound");
        let address = https.local_addr();
        tokio::spawn(https);
        let policy = FetchPolicy::new()
            .allow_host("files.example.com")
            .resolver(move |_, _| std::future::ready(Ok(vec![address])))
            .tls_roots(pem.clone());
        let builder = Client::builder("test", "1.0.0")
            .proposals([Proposal::HttpsUrl, Proposal::Sep2093])
            .fetch_policy(policy);
        let http = Http::new(format!("https://localhost:{}/mcp", address.port())).tls_roots(pem);
        Self {
            server,
            client: soon(builder.connect(http)).await.expect("connected"),
            ahead,
        }
    }

    async fn listed(&self) -> Vec<Resource> {
        let page = soon(self.client.resources().all()).await.expect("a list");
        page.items
    }

    async fn text(&self) -> Resource {
        let mut all = self.listed().await.into_iter();
        all.find(|resource| resource.uri == "demo://text")
            .expect("it is listed")
    }
}

#[tokio::test]
async fn fetched_content_equals_read_content() {
    let both = Both::start().await;
    let all = both.listed().await;
    assert_eq!(all.len(), 4);
    for resource in all {
        let read = soon(both.client.read_resource(&resource.uri)).await;
        let read = read.expect("read").contents.into_iter().next();
        let read = read.expect("contents");
        let read = read.bytes().expect("base64").into_owned();
        let mut fetched = soon(both.client.fetch(&resource)).await.expect("fetched");
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), read);
        let by_url = resource.uri != "demo://without";
        assert_eq!(resource.http_url.is_some(), by_url);
        assert_eq!(fetched.by() == FetchedBy::Url, by_url, "{resource:?}");
        if by_url {
            assert!(fetched.attempts().is_empty(), "{:?}", fetched.attempts());
        }
    }
}

#[tokio::test]
async fn links_and_bare_uris_are_fetched_by_their_urls() {
    let both = Both::start().await;
    let result = soon(both.client.call_tool("link")).await.expect("a link");
    let Some(ContentBlock::ResourceLink(link)) = result.content.first() else {
        panic!("{result:?}");
    };
    let mut by_link = soon(both.client.fetch(link)).await.expect("fetched");
    let mut by_uri = soon(both.client.fetch("demo://text"))
        .await
        .expect("fetched");
    for fetched in [&mut by_link, &mut by_uri] {
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "Grüße");
    }
}

#[tokio::test]
async fn revoked_url_is_requested_again() {
    let both = Both::start().await;
    let resource = both.text().await;
    both.server.revoke_url("demo://text");
    let mut fetched = soon(both.client.fetch(&resource)).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "Grüße");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert_eq!(fetched.attempts().len(), 1, "{:?}", fetched.attempts());
    assert_ne!(fetched.reference().http_url, resource.http_url);
}

#[tokio::test]
async fn url_expired_only_for_the_server_is_requested_again() {
    let both = Both::start().await;
    let resource = both.text().await;
    both.ahead.store(3_600, Ordering::SeqCst);
    let mut fetched = soon(both.client.fetch(&resource)).await.expect("fetched");
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "Grüße");
    assert_eq!(fetched.by(), FetchedBy::Url);
    assert_eq!(fetched.attempts().len(), 1, "{:?}", fetched.attempts());
}

#[tokio::test]
async fn url_of_a_removed_resource_is_an_error() {
    let both = Both::start().await;
    let resource = both.text().await;
    assert!(both.server.resources().remove("demo://text"));
    let failed = soon(both.client.fetch(&resource)).await;
    failed.expect_err("there is no such resource");
}
