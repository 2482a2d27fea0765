//! [`SubscriptionEvent`]: the events of a subscription.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{ResourceUpdatedNotificationParams, SubscriptionFilter};
use serde_json::value::RawValue;

use crate::protocol::error::CallError;

/// An event of a subscription.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SubscriptionEvent {
    /// The server reports changes from now on, for this part of the requested filter. Earlier
    /// changes, also those since an [interruption](Self::Interrupted), are not reported.
    Listening(SubscriptionFilter),
    /// The list of tools has changed.
    ToolListChanged,
    /// The list of prompts has changed.
    PromptListChanged,
    /// The list of resources has changed.
    ResourceListChanged,
    /// A resource has changed.
    ResourceUpdated(ResourceUpdatedNotificationParams),
    /// A resource has changed; this is its new state. Replaces
    /// [`ResourceUpdated`](Self::ResourceUpdated) if both sides announced `versioned-resources`.
    #[cfg(feature = "proposals")]
    ResourceContentChanged(mcp_types::Resource),
    /// Another notification that belongs to the subscription.
    Other {
        /// Its method.
        method: String,
        /// Its params as the server sent them.
        params: Option<Box<RawValue>>,
    },
    /// Events were dropped because the queue was full, so anything may have changed. See
    /// [`pending_events`](crate::Limits::pending_events) and
    /// [`pending_bytes`](crate::Limits::pending_bytes).
    Missed,
    /// The connection broke, the server did not answer, or it ended the subscription, for example
    /// because it is restarted. The subscription is opened again.
    Interrupted {
        /// What happened.
        error: Arc<CallError>,
        /// The pause before the next attempt.
        again: Duration,
    },
}

impl SubscriptionEvent {
    /// Returns `true` if this event replaces an older one for the [same
    /// change](Self::is_same_change).
    pub(super) fn replaces(&self) -> bool {
        self.changed_resource().is_some()
    }

    /// Returns the URI of the resource that has changed.
    fn changed_resource(&self) -> Option<&str> {
        match self {
            Self::ResourceUpdated(params) => Some(&params.uri),
            #[cfg(feature = "proposals")]
            Self::ResourceContentChanged(resource) => Some(&resource.uri),
            _ => None,
        }
    }

    /// Returns `true` if both events report the same change, so that one of them suffices.
    pub(super) fn is_same_change(&self, event: &Self) -> bool {
        match (self, event) {
            (Self::ToolListChanged, Self::ToolListChanged)
            | (Self::PromptListChanged, Self::PromptListChanged)
            | (Self::ResourceListChanged, Self::ResourceListChanged)
            | (Self::Missed, Self::Missed) => true,
            _ => {
                let changed = self.changed_resource();
                let is_same_kind = discriminant(self) == discriminant(event);
                is_same_kind && changed.is_some() && changed == event.changed_resource()
            }
        }
    }
}
