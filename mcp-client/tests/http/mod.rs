//! Streamable HTTP, and the HTTP+SSE of 2024-11-05, over real sockets.

mod auth;
mod eras;
pub(crate) mod fake;
mod faults;
mod headers;
#[cfg(target_os = "linux")]
mod keepalive;
mod responses;
mod served;
mod session_streams;
mod sessions;
mod silence;
mod tool_headers;
mod trust;
