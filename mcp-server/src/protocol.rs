//! Reads and dispatches messages. Contains the state that all requests share, and the view of a
//! request that handlers get. Knows no feature and no transport.

pub(crate) mod caller;
pub(crate) mod changes;
pub(crate) mod core;
pub(crate) mod detached;
pub(crate) mod dispatch;
pub(crate) mod error;
pub(crate) mod handler;
pub(crate) mod limits;
pub(crate) mod message;
pub(crate) mod metrics;
pub(crate) mod quota;
pub(crate) mod seal;
pub(crate) mod session;
pub(crate) mod store;
