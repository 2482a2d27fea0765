//! Our client and our server, at every revision.

use std::net::SocketAddr;

use mcp_client::types::Revision;
use mcp_client::types::json::Object;
use mcp_client::{Client, EraCache, Http};
use mcp_server::{Context, HandlerError, HttpConfig, Server};
use tokio::sync::mpsc;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

pub(crate) fn serve() -> SocketAddr {
    let server = Server::builder("adder", "1.0.0")
        .tool("add", "Adds", |args: Add, cx: Context| async move {
            cx.progress(0.5, 1.0, "half").await?;
            Ok(args.a + args.b)
        })
        .tool("ask", "Asks", |(), cx: Context| async move {
            Ok(cx.roots().await?.len())
        })
        .tool("never", "Never ends", |(), _: Context| {
            std::future::pending::<Result<(), HandlerError>>()
        })
        .build()
        .expect("the definition is valid");
    let http = server.serve_http_with("127.0.0.1:0", HttpConfig::new().http_sse("/sse"));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

async fn lists_and_calls(client: &Client) {
    let tools = client.list_tools().await.expect("a list");
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
}

#[tokio::test]
async fn every_revision_lists_and_calls() {
    let address = serve();
    let revisions = Revision::ALL.iter().copied().map(Some);
    for revision in revisions.chain([None]) {
        let mut builder = Client::builder("test", "1.0.0");
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
async fn a_server_of_http_and_sse_alone_is_found_and_remembered() {
    let address = serve();
    let eras = EraCache::new();
    for _ in 0..2 {
        let server = Http::new(format!("http://{address}/sse")).era_cache(eras.clone());
        let client = Client::builder("test", "1.0.0").connect(server).await;
        let client = client.expect("the server answers");
        lists_and_calls(&client).await;
    }
}
