//! [`TaskSink`]: what the handler of a task sends. Progress becomes the message of the task and a
//! member of its `_meta`; other notifications are not part of the extension.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;

use mcp_types::json::{self, Object, Value};
use mcp_types::rpc::{self, Message};
use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::protocol::message::message_sink::{MessageSink, TrySend};
use crate::util::lock::lock;

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

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
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
