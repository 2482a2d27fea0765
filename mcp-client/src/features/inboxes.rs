//! The subscriptions of a connection, as notifications reach them: events in inboxes.

mod dispatch;
mod event;
mod inbox;

pub(crate) use dispatch::{deliver, dispatch};
pub use event::SubscriptionEvent;
pub(crate) use inbox::{Inbox, Inboxes, WatchCounts};
