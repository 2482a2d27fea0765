#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod capability;
#[cfg(feature = "http")]
pub mod challenge;
#[cfg(feature = "http")]
pub mod http_headers;
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
