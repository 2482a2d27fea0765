//! [`TaskSink`]: what the handler of a task sends. Progress becomes the message of the task; other
//! notifications are not part of the extension.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use mcp_types::rpc::{self, Message};
use mcp_types::{Notification, ProgressNotification, ProgressNotificationParams, json};
use tokio::sync::Notify;

use crate::protocol::message::message_sink::{MessageSink, TrySend};

/// The maximum length of a message in characters, so that reports of progress cannot fill the record.
const MESSAGE_LENGTH: usize = 300;

/// Receives the notifications of a handler.
#[derive(Default)]
pub(super) struct TaskSink {
    message: Mutex<Option<String>>,
    pub(super) changed: Notify,
}

impl TaskSink {
    /// Returns the text of the last report of progress.
    pub(super) fn message(&self) -> Option<String> {
        let message = self.message.lock();
        message.unwrap_or_else(PoisonError::into_inner).clone()
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
            let text = Some(describe(&progress));
            *self.message.lock().unwrap_or_else(PoisonError::into_inner) = text;
            self.changed.notify_one();
        }
        TrySend::Queued
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

/// Returns the text of a report of progress: its message, or else its numbers.
fn describe(progress: &ProgressNotificationParams) -> String {
    match (&progress.message, &progress.total) {
        (Some(message), _) => message.chars().take(MESSAGE_LENGTH).collect(),
        (None, Some(total)) => format!("{} of {total}", progress.progress),
        (None, None) => progress.progress.to_string(),
    }
}
