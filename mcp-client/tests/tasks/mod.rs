//! The extension `io.modelcontextprotocol/tasks`.

mod endless;
mod hostile;
mod retries;
mod served;

use mcp_client::{Client, ClientBuilder, Tasks};

use crate::support::script::Script;

/// The capabilities of a server with tasks.
const TASKS: &str = r#"{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").extension(Tasks::new())
}

/// Returns the members of a task with a status.
fn task(status: &str, more: &str) -> String {
    let times = r#""createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z""#;
    format!(r#""taskId":"t1","status":"{status}",{times},"ttlMs":null,"pollIntervalMs":100{more}"#)
}

/// Returns the response that announces a task.
fn announced() -> String {
    format!(r#"{{"resultType":"task",{}}}"#, task("working", ""))
}

/// Returns a result of `tasks/get`.
fn state(status: &str, more: &str) -> String {
    format!(r#"{{"resultType":"complete",{}}}"#, task(status, more))
}

/// Returns the state of a task that has completed with a text.
fn completed(text: &str) -> String {
    let result = format!(r#","result":{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
    state("completed", &result)
}

/// Announces a task for the next call.
async fn announce(script: &mut Script) {
    let asked = script.receive_request("tools/call").await;
    script.answer(&asked, &announced()).await;
}
