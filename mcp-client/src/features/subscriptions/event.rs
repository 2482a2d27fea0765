//! [`SubscriptionEvent`]: what a subscription reports.

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
    /// A resource has changed, and is like this now: in place of
    /// [`ResourceUpdated`](Self::ResourceUpdated), where both sides announced
    /// `versioned-resources`.
    #[cfg(feature = "versioned-resources")]
    ResourceContentChanged(mcp_types::Resource),
    /// Another notification that belongs to the subscription.
    Other {
        /// Its method.
        method: String,
        /// Its params as the server sent them.
        params: Option<Box<RawValue>>,
    },
    /// The queue was full, because the program does not take events; see
    /// [`pending_events`](crate::Limits::pending_events) and
    /// [`pending_bytes`](crate::Limits::pending_bytes): anything may have changed.
    Missed,
    /// The connection broke, or the server did not answer. The subscription is tried again.
    Interrupted {
        /// What happened.
        error: Arc<CallError>,
        /// The pause before the next attempt.
        again: Duration,
    },
}

impl SubscriptionEvent {
    /// Returns `true` if this event replaces an older one that it [equals](Self::says).
    pub(super) fn replaces(&self) -> bool {
        match self {
            Self::ResourceUpdated(_) => true,
            #[cfg(feature = "versioned-resources")]
            Self::ResourceContentChanged(_) => true,
            _ => false,
        }
    }

    /// Returns `true` if both events report the same change, so that one of them suffices.
    pub(super) fn says(&self, event: &Self) -> bool {
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
