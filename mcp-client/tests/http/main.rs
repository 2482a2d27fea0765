//! Streamable HTTP, and the HTTP+SSE of 2024-11-05, over real sockets.

mod auth;
mod eras;
mod fake;
mod faults;
mod headers;
mod responses;
mod served;
mod sessions;
mod silence;
#[path = "../faults/table.rs"]
mod table;
mod trust;
