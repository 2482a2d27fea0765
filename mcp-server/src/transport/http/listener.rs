//! The server's own listener around hyper. A program that mounts the service in axum does not use it.
//!
//! `serve` is a server with its own socket, which runs until it is shut down. Each `connection` reads
//! and writes a `client_stream` with a time limit; `opening` reads its first bytes, and `watched_body`
//! tracks the bodies that are read. `http_connection` is what HTTP/1.1 and HTTP/2 have in common.

pub(crate) mod client_stream;
pub(crate) mod connection;
pub(crate) mod http_connection;
pub(crate) mod opening;
pub(crate) mod serve;
mod watched_body;
