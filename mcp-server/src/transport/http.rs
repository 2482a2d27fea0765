//! Streamable HTTP: one endpoint for clients of both eras.
//!
//! `endpoint` handles requests: in this order, `endpoint::service` checks the head of a request,
//! `request::body` reads the body, and `endpoint::sessionless` or `endpoint::session::post` dispatches
//! the message, after `request::headers` has compared it with the headers. `response::answer` creates
//! the response. `refusal` lists the reasons for rejecting a request, with their status.
//!
//! `session` has the sessions of legacy revisions.
//! `authenticate` decides which requests are accepted. `proxy` finds the address of the client behind
//! trusted proxies. `own_routes` requires access tokens for the own routes of an application in axum.
//! `ids` generates and validates ids.
//!
//! `listener` is the server's own listener. `activity` is what a connection is doing, the streams of
//! HTTP/2 run on a `stream_executor`, and a `peer_table` has the connections or sessions of each peer.

pub(crate) mod activity;
pub(crate) mod authenticate;
pub(crate) mod config;
pub(crate) mod endpoint;
pub(crate) mod ids;
pub(crate) mod listener;
#[cfg(feature = "axum")]
pub(crate) mod own_routes;
pub(crate) mod peer_table;
pub(crate) mod proxy;
pub(crate) mod refusal;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod session;
pub(crate) mod stream_executor;
