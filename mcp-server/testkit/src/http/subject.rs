//! The server under test.

use std::net::SocketAddr;
use std::sync::Arc;

use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult, ContentBlock,
    TextContent,
};
use mcp_server::{
    Context, HandlerError, Http, HttpConfig, Limits, Params, PeerAddress, Server, ServerBuilder,
};
use tokio::sync::{Notify, mpsc};

pub use crate::http::raw::*;

/// The handles by which a test observes and controls handlers.
pub struct Probe {
    /// Lets the tools `wait` and `say_and_wait` continue.
    pub go: Arc<Notify>,
    /// Receives the names of handlers that were dropped before they ended.
    pub dropped: mpsc::UnboundedReceiver<String>,
    /// Receives the names of handlers that have begun to wait.
    pub waiting: mpsc::UnboundedReceiver<String>,
}

#[derive(Clone)]
struct Hands {
    go: Arc<Notify>,
    dropped: mpsc::UnboundedSender<String>,
    waiting: mpsc::UnboundedSender<String>,
}

struct Guard(Option<(String, mpsc::UnboundedSender<String>)>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some((name, dropped)) = self.0.take() {
            let _ = dropped.send(name);
        }
    }
}

impl Hands {
    async fn wait(&self, name: &str) {
        let mut guard = Guard(Some((name.to_owned(), self.dropped.clone())));
        let _ = self.waiting.send(name.to_owned());
        self.go.notified().await;
        guard.0 = None;
    }

    async fn call(
        self,
        params: CallToolRequestParams,
        cx: Context,
    ) -> Result<CallToolOutcome, HandlerError> {
        let text = match &*params.name {
            "echo" => "echo".to_owned(),
            "large" => "x".repeat(256 << 10),
            "say" => {
                cx.progress(1.0, 2.0, None).await?;
                cx.progress(2.0, 2.0, None).await?;
                "said".to_owned()
            }
            "wait" => {
                self.wait("wait").await;
                "waited".to_owned()
            }
            "say_and_wait" => {
                cx.progress(1.0, 2.0, None).await?;
                self.wait("say_and_wait").await;
                "said and waited".to_owned()
            }
            "ask" => {
                let roots = cx.roots().await?;
                format!("{} roots", roots.len())
            }
            "poll" => {
                cx.close_stream();
                self.wait("poll").await;
                "polled".to_owned()
            }
            "flood" => {
                for at in 1..=64 {
                    let text = "x".repeat(1 << 10);
                    let done = f64::from(at);
                    cx.progress(done, done, text.as_str()).await?;
                }
                "flooded".to_owned()
            }
            "torrent" => {
                let text = "x".repeat(256 << 10);
                let mut guard = Guard(Some(("torrent".to_owned(), self.dropped.clone())));
                for at in 1..=128 {
                    let done = f64::from(at);
                    cx.progress(done, done, text.as_str()).await?;
                }
                guard.0 = None;
                "spent".to_owned()
            }
            "parts" => {
                let parts = cx.extension::<http::request::Parts>();
                let path = parts.map(|parts| parts.uri.path().to_owned());
                let claim = cx.extension::<Claim>().map(|claim| claim.0);
                format!("{path:?} {claim:?}")
            }
            "peer" => {
                let peer = cx.extension::<PeerAddress>();
                peer.map_or_else(|| "nobody".to_owned(), |peer| peer.0.to_string())
            }
            "panic" => panic!("as asked"),
            other => return Err(HandlerError::invalid_params(format!("no tool `{other}`"))),
        };
        let text = ContentBlock::Text(TextContent::new(text));
        Ok(CallToolResult::new([text]).into())
    }
}

/// An extension that a middleware attaches.
#[derive(Clone)]
pub struct Claim(pub &'static str);

/// Returns a server with the tools of the tests.
pub fn server(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> (Server, Probe) {
    let (dropped, dropped_reader) = mpsc::unbounded_channel();
    let (waiting, waiting_reader) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let hands = Hands {
        go: Arc::clone(&go),
        dropped,
        waiting,
    };
    let builder = Server::builder("tested", "1").on(
        move |Params(params): Params<CallToolRequest>, cx: Context| {
            let hands = hands.clone();
            hands.call(params, cx)
        },
    );
    let builder = builder.capabilities(|has| {
        has.tools(mcp_server::types::ToolsCapability::new().list_changed(true))
    });
    let server = change(builder).build().expect("the definition is sound");
    let probe = Probe {
        go,
        dropped: dropped_reader,
        waiting: waiting_reader,
    };
    (server, probe)
}

/// Serves on a free port until the test ends.
pub fn serve(server: &Server) -> SocketAddr {
    serve_with(server, HttpConfig::default())
}

/// The same, with a configuration.
pub fn serve_with(server: &Server, config: HttpConfig) -> SocketAddr {
    let http = server
        .serve_http(Http::at("127.0.0.1:0").config(config))
        .expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

/// Changes the limits of a server.
pub fn limits(change: impl FnOnce(&mut Limits)) -> impl FnOnce(ServerBuilder) -> ServerBuilder {
    let mut limits = Limits::default();
    change(&mut limits);
    move |builder| builder.limits(limits)
}
