//! [`Follower`]: a task that keeps a subscription at an upstream.

use mcp_client::{Subscription, SubscriptionEvent};
use mcp_server::Change;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::connection::Lease;
use super::traffic::OnChange;

/// A task that keeps a subscription at an upstream, and announces that everything may have changed if
/// it missed something. It ends when this is dropped.
pub(crate) struct Follower(AbortHandle);

impl Follower {
    /// Follows a subscription, until the sender of `open` is dropped. `lease` is what keeps its
    /// connection open.
    pub(crate) fn spawn(
        mut subscription: Subscription,
        on_change: OnChange,
        lease: Option<Lease>,
        mut open: watch::Receiver<()>,
    ) -> Self {
        let following = async move {
            let _lease = lease;
            while let Some(event) = subscription.next().await {
                match event {
                    Ok(SubscriptionEvent::Missed | SubscriptionEvent::Interrupted { .. }) => {
                        for change in [Change::Tools, Change::Prompts, Change::Resources] {
                            on_change(change, None);
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
