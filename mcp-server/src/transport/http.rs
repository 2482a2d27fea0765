//! Streamable HTTP: one endpoint for clients of both eras.
//!
//! A request passes these files in order: `service` checks its head, `request_body` reads the body,
//! and `sessionless` or `session::post` dispatches the message, after `headers` has compared it
//! with the headers. `accept` reads which forms of a response the client accepts, `answer` creates
//! the response, `body` is its body, and handlers write messages to an `sse_queue`. `refusal` lists
//! the reasons for rejecting a request, `status` all status codes, and `refused_log` logs requests
//! with a wrong `Host` or `Origin`.
//!
//! `serve` is a server with its own socket. It keeps a `peer_table` of connections. Each
//! `connection` has an `activity` and a `write_timeout`, and `unread_body` closes it after a
//! response to a request whose body was not read; the streams of HTTP/2 run on a `stream_executor`.
//!
//! Requests of pages in browsers pass `cors` first. `proxy` finds the address of the client behind
//! trusted proxies. `oauth` verifies access tokens. `operations` serves health, readiness and
//! metrics. `ids` generates and validates ids. `http_sse` is the deprecated transport HTTP+SSE.
//!
//! In `session`, `requests` finds the session: in the `table` of this process, or in the
//! `session_store` that all processes share. `post_batch` runs the requests of one POST, whose
//! messages form a `stream`. A `stream_pump` moves them from the `stream_buffer` to the
//! `event_store`, and a `stream_reader` sends them to the client. `cluster` handles messages of
//! other processes, and `ending` removes sessions.

pub(crate) mod accept;
pub(crate) mod activity;
pub(crate) mod answer;
pub(crate) mod body;
#[cfg(feature = "https-url")]
pub(crate) mod chunks;
pub(crate) mod config;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod endpoint;
pub(crate) mod event_stream;
pub(crate) mod headers;
pub(crate) mod http_connection;
pub(crate) mod http_sse;
pub(crate) mod http_sse_channels;
pub(crate) mod ids;

pub(crate) mod network;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;
pub(crate) mod open_connection;
pub(crate) mod opening;
pub(crate) mod operation_paths;
pub(crate) mod operations;
pub(crate) mod peer_table;
pub(crate) mod proxy;
#[cfg(feature = "_seal")]
pub(crate) mod random_keys;
pub(crate) mod refusal;
pub(crate) mod refused_log;
pub(crate) mod request_body;
pub(crate) mod response_future;
pub(crate) mod serve;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod sessionless;
pub(crate) mod sse_comment;
pub(crate) mod sse_queue;
pub(crate) mod status;
pub(crate) mod stopping;
pub(crate) mod stream_executor;
pub(crate) mod unread_body;
pub(crate) mod until;
mod watched_body;
pub(crate) mod write_timeout;
