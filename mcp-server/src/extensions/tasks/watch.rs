//! Subscriptions to tasks: `taskIds` of `subscriptions/listen`, and `notifications/tasks`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::json::{self, Object, Value};
use mcp_types::{
    Notification as _, SubscriptionFilter, SubscriptionsAcknowledgedNotification,
    TaskStatusNotification, rpc,
};
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::extensions::tasks::settings::IDENTIFIER;
use crate::extensions::tasks::state::{TaskState, Watcher};
use crate::extensions::tasks::{methods, storage};
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::middleware::{Direction, Next, Notification, Outcome, Request};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::missing_extension;

/// How long a change that was not announced may remain unnoticed.
const POLL_TIME: Duration = Duration::from_secs(10);

/// The tasks of a subscription that the client may see.
struct WatchedTasks {
    ids: Vec<String>,
    /// Notified when the subscription was acknowledged.
    acknowledged: Notify,
}

/// Serves `subscriptions/listen`, and notifies the client of the tasks that it names.
pub(super) async fn listen(state: &Arc<TaskState>, request: Request, next: Next) -> Outcome {
    let filter: Option<SubscriptionFilter> = request.param("notifications")?;
    let mut requested = filter
        .and_then(|filter| filter.task_ids)
        .unwrap_or_default();
    if requested.is_empty() {
        return next.run(request).await;
    }
    let cx = request.context().clone();
    if cx.extension_settings(IDENTIFIER).is_none() {
        return Err(missing_extension(IDENTIFIER));
    }
    let most = state.settings.watched;
    if requested.len() > most {
        let place = "$.notifications.taskIds";
        let error = format!("{place} has {} ids, the limit is {most}", requested.len());
        return Err(HandlerError::invalid_params(error));
    }
    // Ids of any other form would be kept for nothing.
    requested.retain(|id| storage::is_id(id));
    // Only a few requests at a time may read many tasks.
    let reading = state.lookups.acquire().await;
    // Before the tasks are read, so that no change in between is missed.
    let watching = Watching {
        state,
        changed: state.watch(&requested),
        ids: requested,
    };
    let mut ids = Vec::new();
    for id in &watching.ids {
        if !ids.contains(id) && methods::find(&cx, id).await.is_ok() {
            ids.push(id.clone());
        }
    }
    drop(reading);
    let watched = Arc::new(WatchedTasks {
        ids,
        acknowledged: Notify::new(),
    });
    let request = request.with_value(Arc::clone(&watched));
    tokio::select! {
        biased;
        outcome = next.run(request) => outcome,
        outcome = notify(&cx, &watched, &watching.changed) => outcome,
    }
}

/// Ends a subscription when it is dropped.
struct Watching<'a> {
    state: &'a TaskState,
    ids: Vec<String>,
    changed: Arc<Watcher>,
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.state.unwatch(&self.ids, &self.changed);
    }
}

/// Adds the tasks to the acknowledgement of a subscription.
pub(super) fn complete_acknowledgement(notification: Notification) -> Option<Notification> {
    if notification.direction() == Direction::ToServer
        || notification.method() != SubscriptionsAcknowledgedNotification::METHOD
    {
        return Some(notification);
    }
    let Some(watched) = notification.context().value::<Arc<WatchedTasks>>().cloned() else {
        return Some(notification);
    };
    let params = notification.params().map(RawValue::get);
    let params = params.and_then(|params| json::from_str::<Object>(params).ok());
    let completed = params.and_then(|mut params| {
        let accepted = params.get_mut("notifications")?.as_object_mut()?;
        let ids = watched.ids.iter().map(|id| Value::from(&**id));
        accepted.insert("taskIds", Value::Array(ids.collect()));
        Some(params)
    })?;
    watched.acknowledged.notify_one();
    notification.with_params(&completed).ok()
}

/// Sends the state of each task, first as it is, and then whenever it changes, until it has ended.
/// Never finishes.
async fn notify(cx: &Context, watched: &WatchedTasks, news: &Watcher) -> Outcome {
    watched.acknowledged.notified().await;
    let mut open: Vec<(&String, Option<Object>)> = Vec::new();
    open.extend(watched.ids.iter().map(|id| (id, None)));
    // All tasks at first, and when something may have been missed.
    let mut changed: Option<HashSet<String>> = None;
    loop {
        let mut still_open = Vec::with_capacity(open.len());
        for (id, known) in open {
            if changed
                .as_ref()
                .is_some_and(|changed| !changed.contains(id))
            {
                still_open.push((id, known));
                continue;
            }
            let record = match methods::find(cx, id).await {
                Ok(record) => record,
                Err(error) if error.is_temporary => {
                    still_open.push((id, known));
                    continue;
                }
                // The task has expired.
                Err(_) => continue,
            };
            let details = record.details()?;
            if known.as_ref() != Some(&details) {
                send(cx, details.clone()).await;
            }
            if !record.has_ended() {
                still_open.push((id, Some(details)));
            }
        }
        open = still_open;
        // A change may not be announced if the store fails, or if there is no bus.
        let notified = timeout(POLL_TIME, news.changed.notified()).await;
        changed = notified.is_ok().then(|| news.take());
    }
}

async fn send(cx: &Context, mut params: Object) {
    let Some(id) = cx.request_id() else { return };
    let id = json::to_value(id).unwrap_or_default();
    let key = mcp_types::meta::SUBSCRIPTION_ID;
    match params.get_mut("_meta").and_then(Value::as_object_mut) {
        Some(meta) => drop(meta.insert(key, id)),
        None => drop(params.insert("_meta", Object::from([(key, id)]))),
    }
    let mut message = Vec::with_capacity(512);
    let method = TaskStatusNotification::METHOD;
    if let Err(error) = rpc::write_notification(&mut message, method, Some(&params)) {
        let error = for_log(&error.into()).to_string();
        tracing::error!(error, "the state of a task cannot be encoded");
        return;
    }
    if let Some(message) = cx.pass_outbound(message) {
        cx.send_message(message).await;
    }
}
