//! What both ends of a connection need at run time, independent of the transport.
//!
//! Shared by `mcp-server` and `mcp-client`; not intended for other crates.

mod pending_requests;
mod write_queue;

pub use pending_requests::{PendingRequest, PendingRequests};
pub use write_queue::{TrySend, WriteQueue};
