//! [`WatchedTasks`]: tasks of upstreams that a client subscribed to, with `taskIds` of
//! `subscriptions/listen`. The upstreams send their states with `notifications/tasks`.

use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Weak};

use mcp_server::middleware::{Direction, Notification};
use mcp_server::types::SubscriptionFilter;
use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::types::meta::SUBSCRIPTION_ID;
use mcp_server::{Context, HandlerError};
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc};

use super::caller::Caller;
use super::tasks;
use crate::announcements::META;
use crate::shared::{Behind, Shared};
use crate::upstream::follower::STATE;

/// The maximum number of tasks that a subscription names.
const WATCHED: usize = 100;

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

/// The params of a notification with the state of a task.
pub(crate) type State = Map<Box<RawValue>>;

/// The tasks that a subscription names and that belong to its client.
pub(crate) struct WatchedTasks {
    tasks: Vec<Watched>,
    /// The id of the subscription.
    subscription: Box<RawValue>,
    /// Notified when the subscription is acknowledged.
    acknowledged: Notify,
    pub(crate) states: mpsc::Sender<State>,
}

/// A task that a subscription names.
struct Watched {
    /// The id that the client knows.
    presented: String,
    behind: Weak<Behind>,
    /// The id that the upstream knows.
    id: String,
}

impl WatchedTasks {
    /// Finds the tasks among the ids that a subscription names. Also returns what receives their
    /// states.
    pub(crate) fn new(
        shared: &Shared,
        named: Vec<String>,
        cx: &Context,
    ) -> Result<(Arc<Self>, mpsc::Receiver<State>), HandlerError> {
        let caller = Caller::of(cx)?;
        if !caller.accepts_tasks() && tasks::are_offered(shared) {
            return Err(HandlerError::missing_capability(tasks::capability()));
        }
        if named.len() > WATCHED {
            return Err(HandlerError::invalid_params(format!(
                "$.notifications.taskIds has {} ids, the limit is {WATCHED}",
                named.len()
            )));
        }
        let mut tasks: Vec<Watched> = Vec::new();
        for presented in named {
            if let Some((behind, id)) = tasks::found(shared, cx, &presented)
                && tasks.iter().all(|known| known.presented != presented)
            {
                tasks.push(Watched {
                    presented,
                    behind: Arc::downgrade(&behind),
                    id,
                });
            }
        }
        // One state: the upstreams wait while the client reads slowly.
        let (states, received) = mpsc::channel(1);
        let watched = Self {
            tasks,
            subscription: json::to_raw(&cx.request_id())?,
            acknowledged: Notify::new(),
            states,
        };
        Ok((Arc::new(watched), received))
    }

    /// Returns the upstreams of the tasks, each with its part of the subscription.
    pub(crate) fn parts(&self, shared: &Shared) -> Vec<(Arc<Behind>, SubscriptionFilter)> {
        let mut parts: Vec<(Arc<Behind>, Vec<String>)> = Vec::new();
        let upstreams = shared.upstreams();
        for task in &self.tasks {
            // An upstream that was removed has no tasks.
            let mut upstreams = upstreams.iter();
            let Some(behind) = upstreams.find(|it| Arc::as_ptr(it) == task.behind.as_ptr()) else {
                continue;
            };
            let known = parts
                .iter_mut()
                .find(|(known, _)| Arc::ptr_eq(known, behind));
            match known {
                Some((_, ids)) => ids.push(task.id.clone()),
                None => parts.push((Arc::clone(behind), vec![task.id.clone()])),
            }
        }
        let parts = parts.into_iter();
        let parts = parts.map(|(behind, ids)| (behind, SubscriptionFilter::new().task_ids(ids)));
        parts.collect()
    }

    /// Returns the state that an upstream sent, in the form for the client. `None` if it is that of
    /// another task.
    pub(crate) fn present(&self, behind: &Weak<Behind>, params: &RawValue) -> Option<State> {
        let known = behind.upgrade()?;
        let presented = || {
            let id = tasks::id_of(&known, params)?;
            let mut tasks = self.tasks.iter();
            let task = tasks.find(|task| task.id == id && task.behind.ptr_eq(behind));
            let Some(task) = task else {
                return Ok(None);
            };
            let state = tasks::presented(&known, &task.presented, params)?;
            self.addressed(state).map(Some)
        };
        let upstream = &*known.pool.upstream.name;
        let note = |error: &HandlerError| {
            tracing::debug!(upstream, %error, "the state of a task is dropped");
        };
        presented().inspect_err(note).ok()?
    }

    fn addressed(&self, mut state: State) -> Result<State, HandlerError> {
        let mut meta: Map<Box<RawValue>> = match state.get(META) {
            Some(meta) => json::from_str(meta.get())?,
            None => Map::new(),
        };
        meta.insert(SUBSCRIPTION_ID, self.subscription.clone());
        state.insert(META, json::to_raw(&meta)?);
        Ok(state)
    }

    /// Sends the states to the client, after the acknowledgement. Never ends.
    pub(crate) async fn send(&self, mut states: mpsc::Receiver<State>, cx: &Context) -> Infallible {
        self.acknowledged.notified().await;
        while let Some(state) = states.recv().await {
            if let Err(error) = cx.notify_json(STATE, Some(&state)).await {
                tracing::debug!(%error, "the state of a task cannot be passed on");
            }
        }
        // Not reached: `self` has a sender.
        pending().await
    }
}

/// Adds the tasks to the acknowledgement of a subscription.
pub(crate) fn complete_acknowledgement(notification: Notification) -> Option<Notification> {
    if notification.direction() == Direction::ToServer || notification.method() != ACKNOWLEDGED {
        return Some(notification);
    }
    let watched = notification.context().extension::<Arc<WatchedTasks>>();
    let Some(watched) = watched.cloned() else {
        return Some(notification);
    };
    let params = notification.params().map(RawValue::get);
    let params = params.and_then(|params| json::from_str::<Object>(params).ok());
    let completed = params.and_then(|mut params| {
        let accepted = params.get_mut("notifications")?.as_object_mut()?;
        let ids = watched
            .tasks
            .iter()
            .map(|task| Value::from(&*task.presented));
        accepted.insert("taskIds", Value::Array(ids.collect()));
        Some(params)
    })?;
    watched.acknowledged.notify_one();
    notification.with_params(&completed).ok()
}
