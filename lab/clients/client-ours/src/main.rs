//! Calls a tool with `mcp-client`: see `asking`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use asking::{ARGUMENT, Fault, Server, TEXT, Task};
use mcp_client::types::ContentBlock;
use mcp_client::types::json::Object;
use mcp_client::{ChildProcess, Client, Http};

fn main() -> Result<(), Fault> {
    asking::main(client)
}

async fn client(task: Task) -> Result<(), Fault> {
    let builder = Client::builder("bench", "1.0.0").revision(task.revision.parse()?);
    let client = match &task.server {
        Server::Http(url) => builder.connect(Http::new(url)).await?,
        Server::Stdio(program, arguments) => {
            let process = ChildProcess::new(program).args(arguments);
            builder.connect(process).await?
        }
    };
    let heard = Arc::new(AtomicU64::new(0));
    let (caller, tool, reports) = (client.clone(), task.tool.clone(), task.reports);
    let count = Arc::clone(&heard);
    let arguments = Object::from([ARGUMENT]);
    let call = move || {
        let mut call = caller.call_tool(&tool).arguments(arguments.clone());
        if reports {
            let count = Arc::clone(&count);
            call = call.on_progress(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        }
        async move {
            let result = call.await?;
            let said = result.content.first();
            let right = matches!(said, Some(ContentBlock::Text(said)) if said.text == TEXT);
            Ok(right)
        }
    };
    task.run(call, || heard.load(Ordering::Relaxed)).await?;
    client.close().await;
    Ok(())
}
