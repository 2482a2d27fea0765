//! [`SubscriptionEvent`]: what a subscription reports.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{ResourceUpdatedNotificationParams, SubscriptionFilter};
use serde_json::value::RawValue;

use crate::protocol::error::CallError;

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
    pub(super) fn replaces(&self) -> bool {
        match self {
            Self::ResourceUpdated(_) => true,
            #[cfg(feature = "versioned-resources")]
            Self::ResourceContentChanged(_) => true,
            _ => false,
        }
    }

    /// Whether it says nothing new beside an event that waits. Only what is not about a moment
    /// can be.
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
