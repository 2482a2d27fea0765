//! Our server at the other end: what it hands out is fetched, and the same as what is read.

use std::future::ready;
use std::sync::Arc;

use mcp_client::types::{ContentBlock, ResourceLink};
use mcp_client::{Client, FetchPolicy, FetchedBy, Http};
use mcp_server::{Context, HttpUrls, Proposal, ResourceDef, Server};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::web::soon;

/// Bytes of all values, more than fit into one part.
fn bytes() -> Vec<u8> {
    (0..300_000_u32).map(|at| at.to_le_bytes()[0]).collect()
}

/// A server over TLS with URLs for its resources, and a client of it.
async fn connected() -> (Server, Client) {
    let server = Server::builder("demo", "1.0.0")
        .proposals(Proposal::ALL.iter().copied())
        .http_urls(HttpUrls::new("https://localhost/r/").expect("a base"))
        .add_resource(
            ResourceDef::bytes("demo://bytes", "bytes", bytes())
                .mime_type("application/octet-stream"),
        )
        .add_resource(ResourceDef::text("demo://text", "text", "caf\u{e9}").mime_type("text/plain"))
        .add_resource(ResourceDef::text("demo://none", "none", "").mime_type("text/plain"))
        .tool("link", "Links", |(), _: Context| {
            ready(Ok(ContentBlock::from(ResourceLink::new(
                "demo://text",
                "text",
            ))))
        })
        .build()
        .expect("the definitions are valid");
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("key and certificate fit");
    let serving = server.serve_https("127.0.0.1:0", Arc::new(tls));
    let serving = serving.expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving.into_future());
    let certificate = made.cert.pem();
    let policy = FetchPolicy::new()
        .tls_roots(certificate.clone())
        .allow_host("localhost")
        .resolver(move |_, _| ready(Ok(vec![address])));
    let http = Http::new(format!("https://{address}/mcp")).tls_roots(certificate);
    let builder = Client::builder("test", "1.0.0")
        .proposals(Proposal::ALL.iter().copied())
        .fetch_policy(policy);
    let client = soon(builder.connect(http)).await;
    (server, client.expect("connected"))
}

#[tokio::test]
async fn what_is_listed_is_fetched_as_it_would_be_read() {
    let (_server, client) = connected().await;
    let listed = soon(client.resources().all()).await.expect("a list").items;
    assert_eq!(listed.len(), 3);
    for resource in listed {
        assert!(resource.http_url.is_some(), "{resource:?}");
        let mut fetched = soon(client.fetch(&resource)).await.expect("fetched");
        let attempts = fetched.attempts();
        assert_eq!(fetched.by(), FetchedBy::Url, "{attempts:?}");
        let by_url = soon(fetched.bytes()).await.expect("bytes");
        assert_eq!(fetched.by(), FetchedBy::Url);
        let mut read = resource.clone();
        read.http_url = None;
        let mut fetched = soon(client.fetch(&read)).await.expect("read");
        assert_eq!(fetched.by(), FetchedBy::Read);
        assert!(soon(fetched.bytes()).await.expect("bytes") == by_url);
        if resource.name == "bytes" {
            assert!(by_url == bytes());
        }
    }
}

#[tokio::test]
async fn links_and_bare_uris_are_fetched_by_their_urls() {
    let (_server, client) = connected().await;
    let result = soon(client.call_tool("link")).await.expect("a link");
    let Some(ContentBlock::ResourceLink(link)) = result.content.first() else {
        panic!("{result:?}");
    };
    let mut fetched = soon(client.fetch(link)).await.expect("fetched");
    assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "caf\u{e9}");
    if cfg!(feature = "sep-2093") {
        let mut fetched = soon(client.fetch("demo://text")).await.expect("fetched");
        assert_eq!(fetched.by(), FetchedBy::Url, "{:?}", fetched.attempts());
        assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "caf\u{e9}");
    }
}

#[tokio::test]
async fn a_url_that_was_taken_back_is_replaced() {
    let (server, client) = connected().await;
    let listed = soon(client.resources().all()).await.expect("a list").items;
    let text = listed.iter().find(|resource| resource.name == "text");
    let text = text.expect("it is listed");
    server.revoke_url("demo://text");
    let mut fetched = soon(client.fetch(text)).await.expect("fetched");
    assert_eq!(fetched.attempts().len(), 1, "{:?}", fetched.attempts());
    // By a new one, where it can be asked for.
    let by = if cfg!(feature = "sep-2093") {
        FetchedBy::Url
    } else {
        FetchedBy::Read
    };
    assert_eq!(fetched.by(), by);
    assert_eq!(soon(fetched.bytes()).await.expect("bytes"), "caf\u{e9}");
}
