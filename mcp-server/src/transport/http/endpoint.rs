//! [`Endpoint`]: the state of an HTTP endpoint. The files below implement how it handles requests.
//!
//! `service` is the entry. Requests of pages in browsers pass `cors` first. `sessionless` and `session`
//! serve messages, and `http_sse` the deprecated transport HTTP+SSE, with its open `channels`.
//! `operations` serves health, readiness and metrics, and `stopping` decides what a server that shuts
//! down still accepts.

pub(crate) mod channels;
pub(crate) mod cors;
pub(crate) mod http_sse;
pub(crate) mod operations;
pub(crate) mod service;
pub(crate) mod session;
pub(crate) mod sessionless;
pub(crate) mod stopping;

use std::sync::Arc;

use crate::protocol::core::Core;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::channels::Channels;
use crate::transport::http::session::table::Sessions;

/// The state that the clones of an [`HttpService`](crate::HttpService) share.
pub(crate) struct Endpoint {
    pub(crate) server: Arc<Core>,
    pub(crate) config: HttpConfig,
    pub(crate) channels: Arc<Channels>,
    pub(crate) sessions: Arc<Sessions>,
}
