//! [`Caller`]: a client that knows tasks.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::cluster::http::Client;

/// The pause between two polls.
const PAUSE: Duration = Duration::from_millis(250);

/// A client that knows tasks.
pub(super) struct Caller(Client);

impl Caller {
    pub(super) fn new(url: &str) -> Self {
        Self(Client::modern(url))
    }

    /// Creates a client whose tasks are counted apart from those of others.
    pub(super) fn with_address(url: &str, address: &str) -> Self {
        Self(Client::modern(url).with_address(address.to_owned()))
    }

    fn result(&self, method: &str, params: Value) -> Result<Value> {
        self.0.request(1, method, params)?.result(1)
    }

    /// Starts a task. Returns its id.
    pub(super) fn start(&self, tool: &str, arguments: &Value) -> Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let created = self.result("tools/call", params)?;
        let id = created["taskId"].as_str();
        Ok(id
            .with_context(|| format!("no task: {created}"))?
            .to_owned())
    }

    pub(super) fn get(&self, id: &str) -> Result<Value> {
        self.result("tasks/get", json!({"taskId": id}))
    }

    /// Accepts a question with this content.
    pub(super) fn answer(&self, id: &str, key: &str, content: &Value) -> Result<()> {
        let answer = json!({key: {"action": "accept", "content": content}});
        self.result(
            "tasks/update",
            json!({"taskId": id, "inputResponses": answer}),
        )?;
        Ok(())
    }

    pub(super) fn cancel(&self, id: &str) -> Result<()> {
        self.result("tasks/cancel", json!({"taskId": id}))
            .map(|_| ())
    }

    /// Polls a task until something holds. Errors are tried again, since processes fail.
    pub(super) fn until(
        &self,
        id: &str,
        time: Duration,
        holds: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let end = Instant::now() + time;
        let mut last = Value::Null;
        loop {
            match self.get(id) {
                Ok(task) if holds(&task) => return Ok(task),
                Ok(task) => last = task,
                Err(error) => ensure!(Instant::now() < end, "{error:#}, before: {last}"),
            }
            if Instant::now() > end {
                bail!("{last}");
            }
            sleep(PAUSE);
        }
    }

    /// Waits until a task has ended.
    pub(super) fn ended(&self, id: &str, time: Duration) -> Result<Value> {
        self.until(id, time, has_ended)
    }
}

fn has_ended(task: &Value) -> bool {
    let status = task["status"].as_str().unwrap_or_default();
    matches!(status, "completed" | "failed" | "cancelled")
}

/// Returns the text of the result of a completed task.
pub(super) fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}
