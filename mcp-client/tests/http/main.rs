//! Streamable HTTP, and the HTTP+SSE of 2024-11-05, over real sockets.

mod auth;
mod eras;
mod fake;
mod faults;
mod headers;
#[cfg(target_os = "linux")]
mod keepalive;
#[cfg(target_os = "linux")]
#[path = "../subject/keepalive.rs"]
mod kernel;
mod responses;
mod served;
mod session_streams;
mod sessions;
mod silence;
#[path = "../faults/table.rs"]
mod table;
mod tool_headers;
mod trust;
