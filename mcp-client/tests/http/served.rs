//! `mcp-client` with `mcp-server`, at every revision.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::types::json::Object;
use mcp_client::types::{Revision, Root, SubscriptionFilter};
use mcp_client::{CallError, Client, ClientBuilder, EraCache, Http, SubscriptionEvent};
use mcp_server::{Context, HandlerError, HttpConfig, Server};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::fake::soon;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

pub(crate) fn serve() -> SocketAddr {
    let server = Server::builder("adder", "1.0.0")
        .tool(
            "add",
            "Adds",
            async |args: Add, cx: Context| -> Result<_, HandlerError> {
                cx.progress(0.5, 1.0, "half").await?;
                Ok(args.a + args.b)
            },
        )
        .tool(
            "ask",
            "Asks",
            async |cx: Context| -> Result<_, HandlerError> { Ok(cx.roots().await?.len()) },
        )
        .tool("never", "Never ends", || {
            std::future::pending::<Result<(), HandlerError>>()
        })
        .build()
        .expect("the definition is valid");
    let http = server
        .serve_http(mcp_server::Http::at("127.0.0.1:0").config(HttpConfig::new().http_sse("/sse")));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

fn builder() -> ClientBuilder {
    let roots = ["file:///a", "file:///b"].map(Root::new);
    Client::builder("test", "1.0.0").on_roots(move || {
        let roots = roots.to_vec();
        async move { Ok(roots) }
    })
}

async fn lists_and_calls(client: &Client) {
    let tools = client.tools().one_page().await.expect("a list");
    assert_eq!(tools.tools.len(), 3);
    let (sender, mut heard) = mpsc::unbounded_channel();
    let result = client
        .call_tool("add")
        .arguments(Object::from([("a", 1.5), ("b", 2.0)]))
        .on_progress(move |progress| {
            let _ = sender.send(progress.progress.as_f64());
        })
        .await
        .expect("a sum");
    let text = serde_json::to_string(&result.content).expect("JSON");
    assert!(text.contains("3.5"), "{text}");
    assert_eq!(heard.recv().await, Some(Some(0.5)));
    if client.revision().has_method("roots/list") {
        let result = client.call_tool("ask").await.expect("an answer");
        let text = serde_json::to_string(&result.content).expect("JSON");
        assert!(text.contains("\"2\""), "{text}");
    }

    let never = client.call_tool("never").timeout(Duration::from_millis(1));
    let error = never.await.expect_err("no answer");
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    client.tools().one_page().await.expect("a list");
}

#[tokio::test]
async fn listing_and_calling_work_at_every_revision() {
    let address = serve();
    let revisions = Revision::ALL.iter().copied().map(Some);
    for revision in revisions.chain([None]) {
        let mut builder = builder();
        if let Some(revision) = revision {
            builder = builder.revision(revision);
        }
        let server = Http::new(format!("http://{address}/mcp"));
        let client = builder.connect(server).await.expect("the server answers");
        assert_eq!(client.revision(), revision.unwrap_or(Revision::LATEST));
        lists_and_calls(&client).await;
    }
}

#[tokio::test]
async fn server_with_only_http_sse_is_detected_and_cached() {
    let address = serve();
    let eras = EraCache::new();
    for _ in 0..2 {
        let server = Http::new(format!("http://{address}/sse")).era_cache(eras.clone());
        let client = builder().connect(server).await;
        let client = client.expect("the server answers");
        lists_and_calls(&client).await;
    }
}

/// A proxy that counts connections.
async fn counted(server: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut ours, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut theirs = TcpStream::connect(server).await.expect("connected");
                let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
            });
        }
    });
    (address, count)
}

#[tokio::test]
async fn connection_is_reused() {
    let (address, count) = counted(serve()).await;
    let server = Http::new(format!("http://{address}/mcp"));
    let client = Client::builder("test", "1").connect(server).await;
    let client = client.expect("the server answers");
    for _ in 0..20 {
        client.tools().one_page().await.expect("a list");
    }
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn subscription_survives_a_graceful_restart_at_every_revision() {
    for &revision in Revision::ALL {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let start = async || {
            let server = Server::builder("restarts", "1").tool("any", "", async || "");
            let server = server.build().expect("the definition is valid");
            let http = server.serve_http(address).expect("bound");
            (server, tokio::spawn(http))
        };
        let (server, serving) = start().await;
        let builder = Client::builder("test", "1").revision(revision);
        let http = Http::new(format!("http://{address}/mcp"));
        let client = builder.connect(http).await.expect("the server answers");
        let mut news = client.listen(SubscriptionFilter::new().tools_list_changed(true));
        let mut next = async || {
            let event = soon(news.next()).await.expect("no end");
            event.expect("no error")
        };
        let event = next().await;
        assert!(
            matches!(event, SubscriptionEvent::Listening(_)),
            "{event:?}"
        );
        server.shutdown();
        soon(serving).await.expect("no panic").expect("served");
        let (server, _serving) = start().await;
        let mut interrupted = false;
        loop {
            match next().await {
                SubscriptionEvent::Listening(_) => break,
                SubscriptionEvent::Interrupted { .. } => interrupted = true,
                _ => {}
            }
        }
        assert!(interrupted, "{revision}");
        server.tools_changed();
        let event = next().await;
        assert!(
            matches!(event, SubscriptionEvent::ToolListChanged),
            "{event:?}"
        );
    }
}
