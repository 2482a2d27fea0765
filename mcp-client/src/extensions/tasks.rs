//! The extension `io.modelcontextprotocol/tasks`: calls of tools that take longer than a client
//! waits.
//!
//! A response that announces a task (`snapshot.rs`) is followed until the task ends (`run.rs`), and
//! its questions are answered meanwhile (`questions.rs`): by a call, or by a [`TaskHandle`].

mod handle;
mod questions;
mod run;
mod snapshot;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::Object;
use mcp_types::{CallToolRequest, Request};

use self::run::{TaskConnection, TaskRun};
use self::snapshot::{Announcement, IDENTIFIER};
use crate::features::extension::ClientExtension;
use crate::features::shared_connection::{CallResponse, Deferred, LaterResult};
use crate::protocol::roundtrip::{CallTimeout, until_elapsed};

pub use handle::{StartedCall, TaskHandle};

/// The official extension `io.modelcontextprotocol/tasks` (repository ext-tasks), for
/// [`ClientBuilder::extension`](crate::ClientBuilder::extension). Servers of revision 2026-07-28 may
/// then answer the call of a tool with a task.
///
/// [`call_tool`](crate::Client::call_tool) waits for the end of the task as if it were a plain call.
/// [`start_task`](crate::Call::start_task) returns a [`TaskHandle`] instead. See the
/// [guide](crate::guide::tasks).
#[derive(Clone, Debug, Default)]
#[must_use = "the extension does nothing until it is added to a client"]
pub struct Tasks {
    time_limit: Option<Duration>,
}

impl Tasks {
    /// Creates the extension. The timeout of a call includes its task.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long calls wait for a task, in place of their own timeout. `Duration::MAX` means as
    /// long as the server keeps the task.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }
}

impl From<Tasks> for ClientExtension {
    fn from(tasks: Tasks) -> Self {
        let mut extension = Self::new(IDENTIFIER).settings(&Object::new());
        extension.deferred = Some(Arc::new(tasks));
        extension
    }
}

impl Deferred for Tasks {
    fn later(&self, response: &CallResponse<'_>) -> Option<LaterResult> {
        let method = CallToolRequest::METHOD;
        if response.method != method || !snapshot::is_task(response.connection, response.text) {
            return None;
        }
        let mut timeout = response.timeout.clone();
        let progress = timeout.progress.clone();
        if let Some(limit) = self.time_limit {
            timeout = CallTimeout::new(limit);
        }
        let connection = response.connection.clone();
        let revision = connection.connection().revision();
        let announced = Announcement::read(revision, response.text);
        Some(Box::pin(async move {
            let announced = announced?;
            let shared = Arc::clone(connection.connection());
            let task = TaskConnection {
                connection,
                id: announced.task_id.0,
                permit_time: timeout.time,
            };
            let run = TaskRun::new(task, Some(announced.state), progress).cancel_on_drop();
            let mut run = pin!(run.finish());
            until_elapsed(&shared, method.into(), &mut timeout, run.as_mut()).await
        }))
    }
}
