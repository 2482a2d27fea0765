//! What both ends of a connection need at run time, independent of the transport.
//!
//! Shared by `mcp-server` and `mcp-client`; not intended for other crates.

pub mod capability;
pub mod identifier;
mod line_input;
mod pending_requests;
mod seq_vec;
mod task_table;
mod write_queue;

pub use line_input::LineInput;
pub use pending_requests::{PendingRequest, PendingRequests};
pub use seq_vec::SeqVec;
pub use task_table::{RunningTask, TaskTable};
pub use write_queue::{TrySend, WriteQueue};
