//! Streamable HTTP, for the peers of both eras on one endpoint.
//!
//! A request goes through these files in order: `service` takes it, `guard` refuses what the
//! endpoint does not serve, `request_body` reads the body, the engine asks `headers` whether they
//! agree with the body, and `answer` makes the response, to whose `body` a handler writes through
//! its `line`. `refused` logs requests with a wrong name, and `shared` warns of stores that
//! processes share without sharing keys.
//!
//! `serve` is a server with a socket of its own. It keeps a `peer_table` of connections; each
//! `connection` has an `activity` and a `write_timeout`; the streams of HTTP/2 run on a
//! `stream_executor`.
//!
//! Requests of pages in browsers go through `cors` first. `proxy` finds the address of the client,
//! by the `network`s of trusted proxies. `operations` answers health, readiness and metrics.
//!
//! Requests of sessions turn off at `legacy`: `sessions` finds the session, here as an `entry` or
//! in the `store` of all processes, which talk to each other in `elsewhere`; `jobs` are its
//! requests, and what these say is a `stream`: through its `window` a `worker` takes it to `events`,
//! and the `reader` that a connection is writes it, `numbered`. How sessions end is in `ending`,
//! which waits for `writes` to the stores. `ids` knows the form of the ids that the server issues.
//! The transport before all this is in `channel`.

pub(crate) mod activity;
pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod config;
pub(crate) mod connection;
pub(crate) mod cors;
pub(crate) mod endpoint;
pub(crate) mod event_stream;
pub(crate) mod header_names;
pub(crate) mod headers;
pub(crate) mod http_sse;
pub(crate) mod http_sse_channels;
pub(crate) mod ids;

pub(crate) mod network;
pub(crate) mod open_connection;
pub(crate) mod opening;
pub(crate) mod operation_paths;
pub(crate) mod operations;
pub(crate) mod peer_table;
#[cfg(feature = "https-url")]
pub(crate) mod pieces;
pub(crate) mod protocol;
pub(crate) mod proxy;
pub(crate) mod refusal;
pub(crate) mod refused_log;
pub(crate) mod request_body;
pub(crate) mod response_future;
pub(crate) mod serve;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod sessionless;
#[cfg(feature = "seal")]
pub(crate) mod shared;
pub(crate) mod sse_comment;
pub(crate) mod sse_queue;
pub(crate) mod status;
pub(crate) mod stopping;
pub(crate) mod stream_executor;
pub(crate) mod until;
pub(crate) mod write_timeout;
