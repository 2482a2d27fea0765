//! Calls a tool with rmcp: see `asking`.
//!
//! Over HTTP it gets a pool of connections and as many concurrent calls as requested. By default,
//! rmcp opens a connection for each call and makes at most 16 calls at once. It always requests
//! progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use asking::{ARGUMENT, Fault, Server, TEXT, Task};
use rmcp::model::{
    CallToolRequestParams, ClientConfig, JsonObject, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, NotificationContext};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use tokio::process::Command;

/// More than the number of calls that are ever in flight.
const AT_ONCE: usize = 64;

struct Bench {
    config: ClientConfig,
    heard: Arc<AtomicU64>,
}

impl ClientHandler for Bench {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() -> Result<(), Fault> {
    asking::main(client)
}

async fn client(task: Task) -> Result<(), Fault> {
    let modern = task.revision == ProtocolVersion::V_2026_07_28.as_str();
    let lifecycle = if modern {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        ClientLifecycleMode::Discover { preferred_versions }
    } else {
        ClientLifecycleMode::Initialize
    };
    let heard = Arc::new(AtomicU64::new(0));
    let mut config = ClientConfig::default();
    config.protocol_version = serde_json::from_value(task.revision.clone().into())?;
    let bench = Bench {
        config,
        heard: Arc::clone(&heard),
    };
    let client = match &task.server {
        Server::Http(url) => {
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .max_concurrent_requests(AT_ONCE);
            let http = reqwest::Client::new();
            let transport = StreamableHttpClientTransport::with_client(http, config);
            bench.serve_with_lifecycle(transport, lifecycle).await?
        }
        Server::Stdio(program, arguments) => {
            let mut command = Command::new(program);
            command.args(arguments);
            let transport = TokioChildProcess::new(command)?;
            bench.serve_with_lifecycle(transport, lifecycle).await?
        }
    };
    let (peer, tool) = (client.peer().clone(), task.tool.clone());
    let (name, value) = ARGUMENT;
    let arguments = JsonObject::from_iter([(name.to_owned(), value.into())]);
    let call = move || {
        let params = CallToolRequestParams::new(tool.clone()).with_arguments(arguments.clone());
        let peer = peer.clone();
        async move {
            let result = peer.call_tool(params).await?;
            let said = result.content.first().and_then(|said| said.as_text());
            Ok(said.is_some_and(|said| said.text == TEXT))
        }
    };
    task.run(call, || heard.load(Ordering::Relaxed)).await?;
    client.cancel().await?;
    Ok(())
}
