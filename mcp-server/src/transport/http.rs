//! Streamable HTTP: one endpoint for clients of both eras.
//!
//! A request passes these files in order: `service` checks its head, `request::body` reads the body,
//! and `sessionless` or `session::post` dispatches the message, after `request::headers` has compared
//! it with the headers. `response::answer` creates the response.
//!
//! `listener` is the server's own listener. A `peer_table` has the connections or sessions of each
//! peer. Requests of pages in browsers pass `cors` first. `oauth` verifies access tokens. `operations`
//! serves health, readiness and metrics, and `stopping` decides what a server that shuts down still
//! accepts. `ids` generates and validates ids. `http_sse` is the deprecated transport HTTP+SSE.
//!
//! In `session`, `requests` finds the session: in the `table` of this process, or in the
//! `session_store` that all processes share. `post_batch` runs the requests of one POST, whose
//! messages form a `stream`. A `stream_pump` moves them from the `stream_buffer` to the
//! `event_store`, and a `stream_reader` sends them to the client. `cluster` handles messages of
//! other processes, and `ending` removes sessions.

pub(crate) mod config;
pub(crate) mod cors;
pub(crate) mod endpoint;
pub(crate) mod http_sse;
pub(crate) mod ids;
pub(crate) mod listener;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;
pub(crate) mod operations;
pub(crate) mod peer_table;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod sessionless;
pub(crate) mod stopping;
