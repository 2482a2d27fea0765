//! [`Follower`]: a task that passes on the changes of an upstream.

use mcp_client::{Subscription, SubscriptionEvent};
use mcp_server::Change;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::connection::Lease;
use super::traffic::OnChange;

/// A task that passes on the changes of an upstream. It ends when this is dropped.
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
                    Ok(event) => changes(event)
                        .into_iter()
                        .for_each(|change| on_change(change)),
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

/// Returns what may have changed.
fn changes(event: SubscriptionEvent) -> Vec<Change> {
    match event {
        SubscriptionEvent::ToolListChanged => vec![Change::Tools],
        SubscriptionEvent::PromptListChanged => vec![Change::Prompts],
        SubscriptionEvent::ResourceListChanged => vec![Change::Resources],
        SubscriptionEvent::ResourceUpdated(params) => vec![Change::Resource(params.uri)],
        SubscriptionEvent::Missed | SubscriptionEvent::Interrupted { .. } => {
            vec![Change::Tools, Change::Prompts, Change::Resources]
        }
        _ => Vec::new(),
    }
}
