//! [`Subscription`]: what a server says of changes.

mod inbox;
mod legacy;
mod listen;
mod notice;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use mcp_types::{ResourceUpdatedNotificationParams, SubscriptionFilter};
use serde_json::value::RawValue;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::protocol::error::CallError;

use inbox::Inbox;
pub(crate) use inbox::Inboxes;
pub(crate) use legacy::Watched;
pub(crate) use notice::notice;

/// What is heard of a subscription.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SubscriptionEvent {
    /// The server listens from now on, and to this part of what was asked. Whatever changed
    /// before, or since the connection was [interrupted](Self::Interrupted), was not heard of.
    Listening(SubscriptionFilter),
    /// The list of tools has changed.
    ToolListChanged,
    /// The list of prompts has changed.
    PromptListChanged,
    /// The list of resources has changed.
    ResourceListChanged,
    /// A resource has changed.
    ResourceUpdated(ResourceUpdatedNotificationParams),
    /// A resource has changed, and is like this now: in place of
    /// [`ResourceUpdated`](Self::ResourceUpdated), where both sides announced
    /// `versioned-resources`.
    #[cfg(feature = "versioned-resources")]
    ResourceContentChanged(mcp_types::Resource),
    /// Another notification that belongs to the subscription.
    Other {
        /// Its method.
        method: String,
        /// Its params as they came.
        params: Option<Box<RawValue>>,
    },
    /// More was said than is kept for a program that does not listen, see
    /// [`pending_events`](crate::Limits::pending_events) and
    /// [`pending_bytes`](crate::Limits::pending_bytes): anything may have changed.
    Missed,
    /// The connection broke, or the server was silent. It is tried again.
    Interrupted {
        /// What happened.
        error: Arc<CallError>,
        /// After how long it is tried again.
        again: Duration,
    },
}

impl SubscriptionEvent {
    /// Whether it is the newer news where one waits that [says](Self::says) as much.
    fn replaces(&self) -> bool {
        match self {
            Self::ResourceUpdated(_) => true,
            #[cfg(feature = "versioned-resources")]
            Self::ResourceContentChanged(_) => true,
            _ => false,
        }
    }

    /// Whether it says nothing new beside an event that waits. Only what is not about a moment
    /// can be.
    fn says(&self, event: &Self) -> bool {
        match (self, event) {
            (Self::ToolListChanged, Self::ToolListChanged)
            | (Self::PromptListChanged, Self::PromptListChanged)
            | (Self::ResourceListChanged, Self::ResourceListChanged)
            | (Self::Missed, Self::Missed) => true,
            (Self::ResourceUpdated(one), Self::ResourceUpdated(other)) => one.uri == other.uri,
            #[cfg(feature = "versioned-resources")]
            (Self::ResourceContentChanged(one), Self::ResourceContentChanged(other)) => {
                one.uri == other.uri
            }
            _ => false,
        }
    }
}

/// A subscription to changes, made by [`Client::listen`]. Dropping it ends it, and the server is
/// told.
///
/// Events wait until they are taken; a change that is announced again while the news of it wait is
/// one event. They are taken by [`next`](Self::next), or by the combinators of a [`Stream`].
#[must_use = "dropping a subscription ends it"]
pub struct Subscription {
    inbox: Arc<Inbox>,
    /// Waits for the next event.
    waiting: Option<Waiting>,
    task: JoinHandle<()>,
    /// The connection lasts as long as the subscription.
    _client: Client,
}

type Event = Result<SubscriptionEvent, CallError>;
type Waiting = Pin<Box<dyn Future<Output = Option<Event>> + Send>>;

impl Subscription {
    pub(crate) fn new(client: Client, filter: SubscriptionFilter) -> Self {
        let core = Arc::clone(client.core());
        let inbox = Arc::new(Inbox::new(filter, &core.limits));
        let task = tokio::spawn(listen::run(core, Arc::clone(&inbox)));
        Self {
            inbox,
            waiting: None,
            task,
            _client: client,
        }
    }

    /// The next event; `None` once the server has ended the subscription in good order.
    ///
    /// Dropping the future loses no event.
    ///
    /// # Errors
    ///
    /// Why the subscription ended: the server refused it, or the connection is gone for good. It
    /// is the last thing that is heard.
    pub async fn next(&mut self) -> Option<Result<SubscriptionEvent, CallError>> {
        std::future::poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let waiting = self.waiting.get_or_insert_with(|| {
            let inbox = Arc::clone(&self.inbox);
            Box::pin(async move { inbox.next().await })
        });
        let event = waiting.as_mut().poll(cx);
        if event.is_ready() {
            self.waiting = None;
        }
        event
    }
}

impl Stream for Subscription {
    type Item = Result<SubscriptionEvent, CallError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription")
            .field("filter", &self.inbox.filter)
            .finish_non_exhaustive()
    }
}
