//! Calls a tool with turbomcp: see `asking`. It requests progress only where it is counted.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use asking::{ARGUMENT, Fault, Server, TEXT, Task};
use turbomcp_client::handlers::{HandlerResult, ProgressHandler, ProgressNotification};
use turbomcp_client::{CallToolResponse, Client, Transport};
use turbomcp_transport::child_process::{ChildProcessConfig, ChildProcessTransport};

#[derive(Debug, Default)]
struct Heard(AtomicU64);

impl ProgressHandler for Heard {
    fn handle_progress(
        &self,
        _: ProgressNotification,
    ) -> Pin<Box<dyn Future<Output = HandlerResult<()>> + Send + '_>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Ok(()) })
    }
}

fn main() -> Result<(), Fault> {
    asking::main(client)
}

async fn client(task: Task) -> Result<(), Fault> {
    if task.revision != "2025-11-25" {
        return Err("turbomcp 3 has only revisions up to 2025-11-25".into());
    }
    match &task.server {
        Server::Http(url) => {
            // It adds the path itself.
            let base = url.trim_end_matches("/mcp");
            calls(&task, Client::connect_http(base).await?).await
        }
        Server::Stdio(program, arguments) => {
            let transport = ChildProcessTransport::new(ChildProcessConfig {
                command: program.clone(),
                args: arguments.clone(),
                ..ChildProcessConfig::default()
            });
            let client = Client::new(transport);
            client.initialize().await?;
            calls(&task, client).await
        }
    }
}

async fn calls<T: Transport + 'static>(task: &Task, client: Client<T>) -> Result<(), Fault> {
    let heard = Arc::new(Heard::default());
    client.set_progress_handler(heard.clone());
    let tokens = Arc::new(AtomicU64::new(0));
    let (name, value) = ARGUMENT;
    let arguments = HashMap::from([(name.to_owned(), value.into())]);
    let (caller, tool, reports) = (client.clone(), task.tool.clone(), task.reports);
    let call = move || {
        let (caller, tool, arguments) = (caller.clone(), tool.clone(), arguments.clone());
        let token = reports.then(|| tokens.fetch_add(1, Ordering::Relaxed).to_string().into());
        async move {
            let result = caller
                .call_tool_response_with_progress(&tool, Some(arguments), None, token)
                .await?;
            let CallToolResponse::Result(result) = result else {
                return Ok(false);
            };
            Ok(result.first_text() == Some(TEXT))
        }
    };
    task.run(call, || heard.0.load(Ordering::Relaxed)).await?;
    client.shutdown().await?;
    Ok(())
}
