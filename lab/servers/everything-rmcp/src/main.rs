//! rmcp over HTTP/1.1 and HTTP/2, with its default settings, as `cargo xtask attack --peer rmcp`
//! attacks it. It has the tools of the example `everything` of `mcp-server` that attacks call. Its
//! first line of output names the URL. Connections are served as `axum::serve` serves them.

use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ProgressNotificationParam, RequestMetaObject};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, Peer, RoleServer, elicit_safe, schemars, tool, tool_router};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

const STEP: Duration = Duration::from_millis(50);

#[derive(Deserialize, schemars::JsonSchema)]
struct Terms {
    a: f64,
    b: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Message {
    /// The message to show the user
    message: String,
}

/// The value that the user is asked to enter.
#[derive(Deserialize, Serialize, schemars::JsonSchema)]
struct User {
    username: String,
    email: String,
}

elicit_safe!(User);

#[derive(Clone)]
struct Everything;

fn internal(error: &impl ToString) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

#[tool_router(server_handler)]
impl Everything {
    #[tool(description = "Answers with text")]
    async fn test_simple_text(&self) -> String {
        "This is a simple text response for testing.".to_owned()
    }

    #[tool(description = "Adds two numbers")]
    async fn test_structured_content(
        &self,
        Parameters(Terms { a, b }): Parameters<Terms>,
    ) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Reports progress")]
    async fn test_tool_with_progress(
        &self,
        meta: RequestMetaObject,
        peer: Peer<RoleServer>,
    ) -> Result<String, ErrorData> {
        for step in [0.0, 50.0, 100.0] {
            if let Some(token) = meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, step).with_total(100.0);
                let sent = peer.notify_progress(progress).await;
                sent.map_err(|error| internal(&error))?;
            }
            tokio::time::sleep(STEP).await;
        }
        Ok("progress reported".to_owned())
    }

    #[tool(description = "Works for a while")]
    async fn test_tool_with_logging(&self) -> String {
        tokio::time::sleep(3 * STEP).await;
        "Tool with logging executed successfully".to_owned()
    }

    #[tool(description = "Asks the user")]
    async fn test_elicitation(
        &self,
        peer: Peer<RoleServer>,
        Parameters(Message { message }): Parameters<Message>,
    ) -> Result<String, ErrorData> {
        let user = peer.elicit::<User>(message).await;
        let user = user.map_err(|error| internal(&error))?;
        Ok(user.map_or_else(String::new, |user| user.username))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve())
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let service = StreamableHttpService::new(
        || Ok(Everything),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let service = TowerToHyperService::new(service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    loop {
        // For example, no file descriptors are left; another connection may close meanwhile.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            // An error of a connection concerns only its client.
            let _ = stream.set_nodelay(true);
            let builder = Builder::new(TokioExecutor::new());
            let _ = builder
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
