//! `order`: a task that counts its effects, for tests of several processes.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcp_server::{Context, HandlerError, ServerBuilder, TaskOptions, ToolDef};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

/// Adds the tools, which write to this folder.
pub(crate) fn add(builder: ServerBuilder, folder: PathBuf) -> ServerBuilder {
    let folder: Arc<Path> = folder.into();
    let again = Arc::clone(&folder);
    let order_again = move |delays, cx| order(delays, cx, Arc::clone(&again));
    let order_once = move |delays, cx| order(delays, cx, Arc::clone(&folder));
    let options = TaskOptions::new().required();
    builder
        .add_tool(
            ToolDef::new("order")
                .description("Orders something once, whatever happens to the process")
                .handler(order_again)
                .as_task(options.run_again(3)),
        )
        .add_tool(
            ToolDef::new("order_or_fail")
                .description("Orders something, and fails if the process ends")
                .handler(order_once)
                .as_task(options),
        )
}

/// Numbers of seconds.
#[derive(Deserialize, JsonSchema)]
struct Delays {
    /// How long the order itself takes
    during: u32,
    /// How long the rest takes
    after: u32,
}

async fn order(delays: Delays, cx: Context, folder: Arc<Path>) -> Result<String, HandlerError> {
    let key = cx.idempotency_key("order").unwrap_or_default();
    let key = key.replace(':', "-");
    let placed = async {
        let attempt = place(&folder, &key)?;
        sleep(Duration::from_secs(delays.during.into())).await;
        Ok(attempt)
    };
    let attempt = cx.once("order", placed).await?;
    cx.progress(1, Some(2.0), "ordered").await?;
    sleep(Duration::from_secs(delays.after.into())).await;
    Ok(format!("order {attempt}"))
}

/// Creates a file for the key unless it exists, and returns the number of the attempt.
fn place(folder: &Path, key: &str) -> std::io::Result<usize> {
    let attempts = folder.join(format!("{key}.attempts"));
    let mut file = File::options().create(true).append(true).open(&attempts)?;
    file.write_all(b"attempt\n")?;
    match File::create_new(folder.join(format!("{key}.effect"))) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    Ok(std::fs::read_to_string(attempts)?.lines().count())
}
