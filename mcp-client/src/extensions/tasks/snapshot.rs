//! [`Snapshot`]: the state of a task, as far as the client follows it.

use std::time::Duration;

use mcp_types::json::{self, Number};
use mcp_types::revision::VersionError;
use mcp_types::{GetTaskRequest, ProgressNotificationParams, Request, Revision, TaskStatus};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::features::calls::result_type;
use crate::features::shared_connection::SharedConnection;
use crate::protocol::error::CallError;
use crate::protocol::lenient;

/// The identifier of the extension.
pub(super) const IDENTIFIER: &str = "io.modelcontextprotocol/tasks";

/// The `resultType` of a response that announces a task.
const TASK: &str = "task";

/// The maximum size of the id of a task, which is repeated in a header.
const ID_BYTES: usize = 1024;

/// The bounds of the interval at which the client polls.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The interval if the server names none.
const PAUSE: Duration = Duration::from_secs(1);

/// The id of a task.
pub(super) struct TaskId(pub(super) String);

impl<'de> Deserialize<'de> for TaskId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        if id.is_empty() || id.len() > ID_BYTES {
            let fault = format!(
                "the id of a task has {} bytes, expected 1 to {ID_BYTES}",
                id.len()
            );
            return Err(D::Error::custom(fault));
        }
        Ok(Self(id))
    }
}

/// The response that announces a task.
#[derive(Deserialize)]
pub(super) struct Announcement {
    #[serde(rename = "taskId")]
    pub(super) task_id: TaskId,
    #[serde(skip)]
    pub(super) state: Snapshot,
}

/// A state of a task.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Snapshot {
    #[serde(default)]
    result_type: Option<String>,
    #[serde(deserialize_with = "status")]
    pub(super) status: Option<TaskStatus>,
    #[serde(default)]
    pub(super) status_message: Option<String>,
    #[serde(default)]
    ttl_ms: Option<f64>,
    #[serde(default)]
    poll_interval_ms: Option<f64>,
    #[serde(default)]
    pub(super) input_requests: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) result: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) error: Option<Box<RawValue>>,
    #[serde(default, rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

/// The metadata of a state, as servers of `mcp-server` send it.
#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "mcp-server/progress")]
    progress: Report,
}

/// The last report of progress of a task.
#[derive(Deserialize)]
struct Report {
    progress: Number,
    #[serde(default)]
    total: Option<Number>,
    #[serde(default)]
    message: Option<String>,
}

fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TaskStatus>, D::Error> {
    TaskStatus::deserialize(deserializer).map(Some)
}

/// Returns `true` for a response that announces a task, from a server with the extension.
pub(super) fn is_task(connection: &SharedConnection, text: &str) -> bool {
    result_type(text).as_deref() == Some(TASK)
        && connection.connection().negotiated().is_some_and(|server| {
            let extensions = server.capabilities.extensions.as_ref();
            server.revision.is_modern()
                && extensions.is_some_and(|extensions| extensions.contains_key(IDENTIFIER))
        })
}

impl Announcement {
    pub(super) fn read(revision: Revision, text: &str) -> Result<Self, CallError> {
        let method = mcp_types::CallToolRequest::METHOD;
        let read = |_, text: &str| {
            let announced: Self = serde_json::from_str(text)?;
            let state = serde_json::from_str(text)?;
            Ok(Self { state, ..announced })
        };
        lenient::read(revision, method, text, read)
            .map_err(|source: VersionError| CallError::Answer { method, source })
    }
}

impl Snapshot {
    /// Reads the result of `tasks/get`.
    pub(super) fn read(revision: Revision, text: &str) -> Result<Self, CallError> {
        let method = GetTaskRequest::METHOD;
        let read = |_, text: &str| serde_json::from_str(text).map_err(VersionError::from);
        let read: Result<Self, VersionError> = lenient::read(revision, method, text, read);
        let state = read.map_err(|source| CallError::Answer { method, source })?;
        match state.result_type.as_deref() {
            // The published examples have `task`.
            None | Some("complete" | TASK) => Ok(state),
            Some(other) => Err(CallError::ResultType {
                method,
                result_type: other.chars().take(200).collect(),
            }),
        }
    }

    /// Returns the error for a state without a member that it has to have.
    pub(super) fn lacks(member: &'static str) -> CallError {
        let source = serde_json::Error::missing_field(member).into();
        let method = GetTaskRequest::METHOD;
        CallError::Answer { method, source }
    }

    /// Returns the last report of progress. A server that sends none has the text of the state
    /// only, and `count` becomes its number.
    pub(super) fn progress(&self, id: &str, count: i64) -> Option<ProgressNotificationParams> {
        let meta = self.meta.as_deref().map(RawValue::get);
        // Metadata of another form is that of another server.
        let report = meta.and_then(|meta| json::from_str::<Meta>(meta).ok());
        let Some(Meta { progress: report }) = report else {
            let message = self.status_message.clone()?;
            return Some(ProgressNotificationParams::new(id, count).message(message));
        };
        let mut params = ProgressNotificationParams::new(id, report.progress);
        (params.total, params.message) = (report.total, report.message);
        Some(params)
    }

    /// Returns for how long the server keeps the task; `None` for ever.
    pub(super) fn ttl(&self) -> Option<Duration> {
        self.ttl_ms.map(milliseconds)
    }

    /// Returns the time until the next poll.
    pub(super) fn pause(&self) -> Duration {
        let pause = self.poll_interval_ms.map_or(PAUSE, milliseconds);
        pause.clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
    }
}

/// Converts a number of the server. Negative ones mean 0.
fn milliseconds(number: f64) -> Duration {
    Duration::try_from_secs_f64(number.max(0.0) / 1000.0).unwrap_or(Duration::MAX)
}
