//! What a message becomes: reading and dispatching it, the state that all requests share, and what a
//! handler sees of its request. Knows no feature and no transport.

pub(crate) mod changes;
pub(crate) mod context;
pub(crate) mod core;
pub(crate) mod dispatch;
pub(crate) mod error;
pub(crate) mod error_report;
pub(crate) mod handshake;
pub(crate) mod lifecycle;
pub(crate) mod limits;
pub(crate) mod message_sink;
#[cfg(feature = "http")]
pub(crate) mod metrics;
pub(crate) mod params_view;
pub(crate) mod peer;
pub(crate) mod progress;
pub(crate) mod quota;
pub(crate) mod raw_object;
pub(crate) mod request_task;
pub(crate) mod respond;
pub(crate) mod retained;
pub(crate) mod route;
#[cfg(feature = "seal")]
pub(crate) mod seal;
pub(crate) mod session;
pub(crate) mod sizes;
pub(crate) mod trace;
pub(crate) mod uri_limit;
