//! rmcp over HTTP, on hyper alone: `http-rmcp REVISION json|events|stream`. Prints its address in
//! the first line of its output.
//!
//! It uses the fastest settings for each case: no sessions if it should respond with JSON, because
//! in a session it always responds with events; and no empty event at the start of a stream, which
//! it sends by default.

use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ProgressNotificationParam, RequestMetaObject};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, Peer, RoleServer, schemars, tool, tool_router};
use serde::Deserialize;
use tokio::net::TcpListener;

#[derive(Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[derive(Clone)]
struct Bench;

async fn report(meta: &RequestMetaObject, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
    let token = meta
        .get_progress_token()
        .ok_or(ErrorData::invalid_params("no progress token", None))?;
    let progress = ProgressNotificationParam::new(token, 1.0).with_total(2.0);
    peer.notify_progress(progress)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

#[tool_router(server_handler)]
impl Bench {
    #[tool(description = "Greets somebody")]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("Hello, {name}!")
    }

    #[tool(description = "Reports first")]
    async fn report(
        &self,
        meta: RequestMetaObject,
        peer: Peer<RoleServer>,
        Parameters(Greet { name }): Parameters<Greet>,
    ) -> Result<String, ErrorData> {
        report(&meta, &peer).await?;
        Ok(format!("Hello, {name}!"))
    }

    #[tool(description = "Reports and waits")]
    async fn pause(
        &self,
        meta: RequestMetaObject,
        peer: Peer<RoleServer>,
        Parameters(Greet { name }): Parameters<Greet>,
    ) -> Result<String, ErrorData> {
        report(&meta, &peer).await?;
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
        Ok(format!("Hello, {name}!"))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = std::env::args()
        .nth(2)
        .is_some_and(|answer| answer == "json");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(json))
}

async fn serve(json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let config = StreamableHttpServerConfig::default()
        .with_json_response(json)
        .with_legacy_session_mode(!json)
        .with_sse_retry(None);
    let mut session_config = SessionConfig::default();
    session_config.sse_retry = None;
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = session_config;
    let service = StreamableHttpService::new(|| Ok(Bench), Arc::new(sessions), config);
    let service = TowerToHyperService::new(service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        tokio::spawn(async move {
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}
