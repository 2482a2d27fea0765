//! [`Subscription`]: notifications of changes on the server.

pub(crate) mod backoff;
mod legacy;
mod listen;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use mcp_types::SubscriptionFilter;
use tokio::task::JoinHandle;

use super::inboxes::{Inbox, SubscriptionEvent};
use super::shared_connection::SharedConnection;
use crate::protocol::error::CallError;

/// A subscription to changes, created by [`Client::listen`](crate::Client::listen). Dropping it
/// ends the subscription on the server.
///
/// Events are queued until the program receives them with [`next`](Self::next) or as a [`Stream`].
/// A change that is announced again while its event is queued is one event.
#[must_use = "dropping a subscription ends it"]
pub struct Subscription {
    inbox: Arc<Inbox>,
    /// The future of the next event. Kept if the future of `next` is dropped.
    waiting: Option<NextEvent>,
    task: JoinHandle<()>,
    /// Keeps the connection open.
    _connection: SharedConnection,
}

type Event = Result<SubscriptionEvent, CallError>;
type NextEvent = Pin<Box<dyn Future<Output = Option<Event>> + Send>>;

impl Subscription {
    pub(crate) fn new(connection: SharedConnection, filter: SubscriptionFilter) -> Self {
        let limits = &connection.connection().limits;
        let inbox = Arc::new(Inbox::new(filter, limits));
        // The task must not keep the connection open.
        let (shared, features) = connection.parts();
        let task = tokio::spawn(listen::run(shared, features, Arc::clone(&inbox)));
        Self {
            inbox,
            waiting: None,
            task,
            _connection: connection,
        }
    }

    /// Returns the next event; `None` after the error that ended the subscription.
    ///
    /// If the server ends the subscription, for example because it is restarted, the event is
    /// [`Interrupted`](SubscriptionEvent::Interrupted) with [`CallError::Ended`], and the
    /// subscription is opened again. A program that does not want this drops the subscription.
    ///
    /// Dropping the future loses no event.
    ///
    /// # Errors
    ///
    /// The reason why the subscription ended: the server refused it, or the connection is closed.
    /// No event follows.
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
