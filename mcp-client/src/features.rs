//! What a client does with a connection: calls, lists, subscriptions, answers to the server.

pub(crate) mod background;
pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod extension;
pub(crate) mod inboxes;
pub(crate) mod inspect;
pub(crate) mod lists;
pub(crate) mod notifications;
#[cfg(feature = "json-schema")]
pub(crate) mod output_schemas;
pub(crate) mod proposals;
#[cfg(feature = "http")]
mod refresh_tools;
pub(crate) mod server_requests;
pub(crate) mod shared_connection;
pub(crate) mod state;
pub(crate) mod subscriptions;
