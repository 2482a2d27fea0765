//! A server with one resource, which is read if its URL fails.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_client::Client;

use crate::support::serve;
use mcp_testkit::soon;

/// A server that counts the reads of its resource.
pub(crate) struct Mcp {
    pub(crate) client: Client,
    reads: Arc<AtomicUsize>,
}

pub(crate) const URI: &str = "demo://data";
/// The content that a read returns.
pub(crate) const READ: &[u8] = b"by the connection";

impl Mcp {
    pub(crate) async fn start() -> Self {
        let reads = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&reads);
        let data = mcp_server::ResourceDef::new(URI, "data")
            .mime_type("text/plain")
            .handler(move || {
                counter.fetch_add(1, Ordering::SeqCst);
                ready(String::from_utf8_lossy(READ).into_owned())
            });
        let server = mcp_server::Server::builder("demo", "1.0.0").add_resource(data);
        let server = server.build().expect("the definition is valid");
        let builder = Client::builder("test", "1.0.0");
        let client = soon(builder.connect(serve(&server))).await;
        Self {
            client: client.expect("connected"),
            reads,
        }
    }

    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

/// Returns the resource, with a URL that does not expire.
pub(crate) fn resource() -> mcp_client::types::Resource {
    mcp_client::types::Resource::new(URI, "data")
        .mime_type("text/plain")
        .http_url("https://files.example/data?token=secret")
}
