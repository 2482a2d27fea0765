//! [`TaskRecord`]: a task as it is stored, and as clients see it.

use std::sync::Mutex;
use std::time::Duration;

use mcp_types::error::DecodeError;
use mcp_types::json::{Object, Value};
use mcp_types::rpc::{ErrorObject, Message};
use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams, json, rpc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::features::input::state::RawValues;
use crate::protocol::message::{MessageSink, TrySend};
use crate::util::lock::lock;
use crate::util::{millis, rfc3339};

/// The member of `_meta` with the last report of progress: `progress`, `total`, `message`. The
/// extension itself has only a text for it.
const PROGRESS: &str = "mcp-server/progress";

/// The version of the format. A new member that older releases may ignore keeps the version.
pub(super) const VERSION: u32 = 1;

/// The length of an id: 128 random bits in hexadecimal digits.
pub(super) const ID_LENGTH: usize = 32;

/// A task as it is stored. Members without a value are left out.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct TaskRecord {
    pub(super) version: u32,
    pub(super) id: String,
    /// The name of the principal that the task belongs to.
    pub(super) principal: Option<String>,
    /// The group of keys that the task is counted in.
    pub(super) group: String,
    /// The params of `tools/call`.
    pub(super) params: Box<RawValue>,
    /// What the client declared in `_meta`.
    pub(super) client: Box<RawValue>,
    /// The process that runs the task.
    pub(super) owner: String,
    /// How often the handler was started, and how often it may be.
    pub(super) runs: u32,
    pub(super) most_runs: u32,
    /// The maximum size of the record.
    pub(super) most_bytes: usize,
    /// Milliseconds since 1970.
    pub(super) created: u64,
    pub(super) updated: u64,
    /// When the task has failed if it has not ended, in milliseconds since 1970.
    pub(super) deadline: u64,
    /// How long the result is kept, in milliseconds.
    pub(super) kept: u64,
    pub(super) poll: u64,
    pub(super) message: Option<String>,
    /// The last report of progress, with its numbers.
    #[serde(default)]
    pub(super) progress: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) is_cancelling: bool,
    /// The questions that wait for a response.
    #[serde(default)]
    pub(super) open: RawValues,
    /// Responses of the client that the handler has not read.
    #[serde(default)]
    pub(super) responses: RawValues,
    /// Responses that the handler has read.
    #[serde(default)]
    pub(super) accepted: RawValues,
    /// Values of operations that are not repeated.
    #[serde(default)]
    pub(super) once: RawValues,
    /// How the task ended.
    pub(super) end: Option<TaskEnd>,
}

/// How a task ended.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum TaskEnd {
    Completed(Box<RawValue>),
    Failed(Box<RawValue>),
    Cancelled,
}

impl TaskEnd {
    pub(super) fn failed(error: &ErrorObject) -> Self {
        // Only data that is not JSON can fail. The error is useful without it.
        let plain = || json::to_raw(&ErrorObject::new(error.code, error.message.clone()));
        json::to_raw(error)
            .or_else(|_| plain())
            .map_or(Self::Cancelled, Self::Failed)
    }

    /// Returns how a task ends that may not run again.
    pub(super) fn process_ended() -> Self {
        let error = "the process that ran the task has ended";
        Self::failed(&ErrorObject::internal_error(error))
    }
}

impl TaskRecord {
    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Returns `true` if the handler may be started again after its process has ended.
    pub(super) fn may_run_again(&self) -> bool {
        self.runs < self.most_runs
    }

    /// Returns `true` if another process may go on with the task after a shutdown, which does not
    /// count as a failed run.
    pub(super) fn may_be_handed_over(&self) -> bool {
        self.most_runs > 1
    }

    /// Ends the task.
    pub(super) fn finish(&mut self, end: TaskEnd) {
        if let TaskEnd::Failed(_) = end {
            // A report of progress does not say why the task failed.
            (self.message, self.progress) = (None, None);
        }
        self.open.clear();
        self.responses.clear();
        self.accepted.clear();
        self.once.clear();
        // A task that has ended does not need these, and they may be large.
        self.params = RawValue::NULL.to_owned();
        self.client = RawValue::NULL.to_owned();
        self.deadline = millis::now();
        self.end = Some(end);
    }

    /// Returns when the task is forgotten, in milliseconds since 1970.
    fn expires(&self) -> u64 {
        self.deadline.saturating_add(self.kept)
    }

    /// Returns the time after which the store forgets the task: a second at least.
    pub(super) fn time_to_live(&self) -> Duration {
        Duration::from_millis(self.expires().saturating_sub(millis::now()).max(1_000))
    }

    /// Moves the responses to open questions out of `responses`. Ignores all others, which the
    /// specification allows. Returns `true` if there was one.
    pub(super) fn answer(&mut self, responses: RawValues) -> bool {
        let before = self.responses.len();
        for (key, response) in responses {
            if self.open.remove(&key).is_some() {
                self.responses.insert(key, response);
            }
        }
        self.responses.len() > before
    }

    /// Returns the name of the status.
    fn status(&self) -> &'static str {
        match &self.end {
            Some(TaskEnd::Completed(_)) => "completed",
            Some(TaskEnd::Failed(_)) => "failed",
            Some(TaskEnd::Cancelled) => "cancelled",
            None if !self.open.is_empty() => "input_required",
            None => "working",
        }
    }

    /// Replaces the message and the numbers by those of a report of progress.
    pub(super) fn report(&mut self, report: ProgressReport) {
        self.message = Some(report.message);
        self.progress = report.progress;
    }

    /// Returns the members of the task that the response to `tools/call` has.
    pub(super) fn summary(&self) -> Object {
        let time = |millis: u64| rfc3339::format(millis / 1_000).unwrap_or_default();
        let mut task = Object::with_capacity(8);
        task.push("taskId", Value::from(&*self.id));
        task.push("status", Value::from(self.status()));
        if let Some(message) = &self.message {
            task.push("statusMessage", Value::from(&**message));
        }
        task.push("createdAt", Value::from(time(self.created)));
        task.push("lastUpdatedAt", Value::from(time(self.updated)));
        let ttl = self.expires().saturating_sub(self.created);
        task.push("ttlMs", Value::from(ttl.min(MAX_INTEGER)));
        task.push("pollIntervalMs", Value::from(self.poll.min(MAX_INTEGER)));
        if let Some(progress) = self.progress.as_deref().and_then(|text| value(text).ok()) {
            task.push("_meta", Object::from([(PROGRESS, progress)]).into());
        }
        task
    }

    /// Returns the members of the task with its questions, its result or its error.
    pub(super) fn details(&self) -> Result<Object, DecodeError> {
        let mut task = self.summary();
        match &self.end {
            Some(TaskEnd::Completed(result)) => task.push("result", value(result)?),
            Some(TaskEnd::Failed(error)) => task.push("error", value(error)?),
            None if !self.open.is_empty() => {
                let mut requests = Object::with_capacity(self.open.len());
                for (key, request) in &self.open {
                    requests.push(key, value(request)?);
                }
                task.push("inputRequests", requests.into());
            }
            Some(TaskEnd::Cancelled) | None => {}
        }
        Ok(task)
    }
}

/// The largest integer that every JSON parser represents exactly.
const MAX_INTEGER: u64 = (1 << 53) - 1;

fn value(text: &RawValue) -> Result<Value, DecodeError> {
    json::from_str(text.get())
}

/// The maximum length of a message in characters, so that reports of progress cannot fill the record.
const MESSAGE_LENGTH: usize = 300;

/// A report of progress, as it is stored.
#[derive(Clone)]
pub(super) struct ProgressReport {
    /// The `statusMessage` of the task.
    pub(super) message: String,
    /// The members `progress`, `total` and `message`.
    pub(super) progress: Option<Box<RawValue>>,
}

/// Receives the notifications of a handler.
#[derive(Default)]
pub(super) struct TaskSink {
    last: Mutex<Option<ProgressReport>>,
    pub(super) changed: Notify,
}

impl TaskSink {
    /// Returns the last report of progress.
    pub(super) fn last(&self) -> Option<ProgressReport> {
        lock(&self.last).clone()
    }
}

impl MessageSink for TaskSink {
    fn try_send(&self, message: &[u8]) -> TrySend {
        if let Ok(Message::Notification {
            method,
            params: Some(params),
            ..
        }) = rpc::parse(message)
            && method == ProgressNotification::METHOD
            && let Ok(progress) = json::from_str(params.get())
        {
            let report = Some(report(progress));
            *lock(&self.last) = report;
            self.changed.notify_one();
        }
        TrySend::Queued
    }
}

/// Returns a report of progress. Its text is the message, or else the numbers.
fn report(params: ProgressNotificationParams) -> ProgressReport {
    let message = params.message.map(|message| {
        let kept = message.chars().take(MESSAGE_LENGTH);
        kept.collect::<String>()
    });
    let numbers = match &params.total {
        Some(total) => format!("{} of {total}", params.progress),
        None => params.progress.to_string(),
    };
    let mut members = Object::from([("progress", Value::Number(params.progress))]);
    if let Some(total) = params.total {
        members.push("total", Value::Number(total));
    }
    if let Some(message) = &message {
        members.push("message", Value::from(&**message));
    }
    ProgressReport {
        message: message.unwrap_or(numbers),
        // Only numbers that are not finite cannot be encoded.
        progress: json::to_raw(&members).ok(),
    }
}
