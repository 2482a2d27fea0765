//! [`Follower`]: a task that keeps a subscription at an upstream.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::{Client, SubscriptionEvent};
use mcp_server::Change;
use mcp_server::types::SubscriptionFilter;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::connection::Lease;
use super::traffic::OnChange;

/// The notification with the state of a task.
pub(crate) const STATE: &str = "notifications/tasks";

/// If an upstream takes longer to confirm a subscription, the client may have missed a change: it was
/// told before that it is subscribed.
const PROMPT: Duration = Duration::from_millis(500);

/// Called when announcements of changed lists were missed.
pub(crate) type OnMissed = Arc<dyn Fn() + Send + Sync>;

/// A task that keeps a subscription at an upstream. It ends when this is dropped, or when the sender
/// of `open` is.
pub(crate) struct Follower(AbortHandle);

impl Follower {
    /// Follows the changes of a filter. If it has missed some, it announces that the resources may have
    /// changed, and calls `on_missed` for the lists. `lease` is what keeps the connection open. `is_again` is whether changes were missed
    /// since an earlier subscription.
    pub(crate) fn of_changes(
        client: &Client,
        filter: SubscriptionFilter,
        on_change: OnChange,
        on_missed: OnMissed,
        lease: Option<Lease>,
        open: watch::Receiver<()>,
        mut is_again: bool,
    ) -> Self {
        let has_lists = filter.tools_list_changed == Some(true)
            || filter.prompts_list_changed == Some(true)
            || filter.resources_list_changed == Some(true);
        let uris = filter.resource_subscriptions.clone().unwrap_or_default();
        let begun = Instant::now();
        let mut subscription = client.listen(filter);
        let following = async move {
            let _lease = lease;
            while let Some(event) = subscription.next().await {
                match event {
                    Ok(SubscriptionEvent::Listening(_))
                        if !is_again && begun.elapsed() < PROMPT =>
                    {
                        is_again = true;
                    }
                    Ok(SubscriptionEvent::Listening(_) | SubscriptionEvent::Missed) => {
                        if has_lists {
                            on_missed();
                        }
                        for uri in &uris {
                            on_change(Change::Resource(uri.clone()), None);
                        }
                    }
                    // The middleware of the connection passes notifications on, with their params.
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!(%error, "changes of an upstream are not followed any more");
                        return;
                    }
                }
            }
        };
        Self::spawn(following, open)
    }

    /// Follows the tasks of a filter, and sends their states on. Ends if it missed one: an upstream
    /// sends all states at the beginning of a subscription.
    pub(crate) fn of_tasks<S: Send + 'static>(
        client: &Client,
        filter: SubscriptionFilter,
        lease: Lease,
        open: watch::Receiver<()>,
        states: mpsc::Sender<S>,
        present: impl Fn(&RawValue) -> Option<S> + Send + Sync + 'static,
    ) -> Self {
        let mut subscription = client.listen(filter);
        let following = async move {
            let _lease = lease;
            while let Some(event) = subscription.next().await {
                match event {
                    Ok(SubscriptionEvent::Other { method, params }) if method == STATE => {
                        if let Some(state) = params.as_deref().and_then(&present)
                            && states.send(state).await.is_err()
                        {
                            return;
                        }
                    }
                    Ok(SubscriptionEvent::Missed) => return,
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!(%error, "tasks of an upstream are not followed any more");
                        return;
                    }
                }
            }
        };
        Self::spawn(following, open)
    }

    fn spawn(
        following: impl Future<Output = ()> + Send + 'static,
        mut open: watch::Receiver<()>,
    ) -> Self {
        let following = async move {
            tokio::select! {
                () = following => {}
                _ = open.changed() => {}
            }
        };
        Self(tokio::spawn(following).abort_handle())
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.is_finished()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.abort();
    }
}
