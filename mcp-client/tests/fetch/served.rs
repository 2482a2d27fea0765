//! URLs of `mcp-server`, fetched over TLS by its client.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use mcp_client::types::{ContentBlock, Resource, ResourceLink};
use mcp_client::{Client, FetchPolicy, FetchedBy, Http, Proposal};
use mcp_server::{HttpUrls, ResourceDef, Server};

use mcp_testkit::certificate::certified;
use mcp_testkit::soon;
use mcp_testkit::text_log::TextLog;

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
        let (tls, pem) = certified(&["localhost", "files.example.com"], |_| {});
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
    both.server
        .revoke_url("demo://text")
        .await
        .expect("revoked");
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

/// Pseudo-random numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn bytes(&mut self, limit: u64) -> Vec<u8> {
        let length = self.below(limit);
        let byte = |_| u8::try_from(self.below(256)).expect("a byte");
        (0..length).map(byte).collect()
    }
}

#[tokio::test]
async fn any_contents_are_fetched_as_they_are_read() {
    const URI: &str = "demo://any";
    let both = Both::start().await;
    let mut numbers = Numbers(7);
    for case in 0..40 {
        let bytes = numbers.bytes(if case % 8 == 0 { 200_000 } else { 300 });
        let (resource, bytes) = if case % 2 == 0 {
            (ResourceDef::bytes(URI, "any", &*bytes), bytes)
        } else {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            (ResourceDef::text(URI, "any", &*text), text.into_bytes())
        };
        both.server.resources().replace(resource).expect("sound");
        let all = both.listed().await;
        let resource = all.iter().find(|resource| resource.uri == URI);
        let resource = resource.expect("it is listed");
        let mut fetched = soon(both.client.fetch(resource)).await.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        let fetched = soon(fetched.bytes()).await.expect("bytes");
        let read = soon(both.client.read_resource(URI)).await.expect("read");
        let [read] = read.contents.as_slice() else {
            panic!("{read:?}");
        };
        assert_eq!(read.bytes().expect("base64"), bytes, "case {case}");
        assert!(*fetched == *bytes, "case {case}");
    }
}

#[tokio::test]
async fn no_token_is_logged_at_any_level() {
    let log = TextLog::begin();
    let both = Both::start().await;
    let mut urls = Vec::new();
    let fetch = async |resource: &Resource| {
        let mut fetched = soon(both.client.fetch(resource)).await.expect("fetched");
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "Grüße");
        fetched.reference().http_url.clone()
    };
    let resource = both.text().await;
    urls.push(fetch(&resource).await);
    both.server
        .revoke_url("demo://text")
        .await
        .expect("revoked");
    urls.push(fetch(&resource).await);
    // A URL that answers with an error, so that the resource is read.
    let mut forged = resource.clone();
    let url = forged.http_url.as_mut().expect("a URL");
    url.push('A');
    urls.push(forged.http_url.clone());
    urls.push(fetch(&forged).await);
    assert!(both.server.resources().remove("demo://text"));
    let failed = soon(both.client.fetch(&resource)).await;
    failed.expect_err("there is no such resource");
    urls.push(resource.http_url);

    let text = log.text();
    for logged in ["mcp_client", "demo://text", "HTTP status 403"] {
        assert!(text.contains(logged), "{logged}");
    }
    for url in urls {
        let url = url.expect("a URL");
        let token = url.strip_prefix("https://files.example.com/r/");
        let token = token.expect("below the base");
        // No part of it that is long enough to be recognised appears either.
        for part in [&token[..20], &token[token.len() - 20..]] {
            let line = text.lines().find(|line| line.contains(part));
            assert_eq!(line, None, "{part}");
        }
    }
}
