//! [`Endpoint`]: the state of an HTTP endpoint. Other files implement how it handles requests.

use std::sync::Arc;

use crate::protocol::core::Core;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::http_sse::channels::Channels;
use crate::transport::http::session::table::Sessions;

/// The state that the clones of an [`HttpService`](crate::HttpService) share.
pub(crate) struct Endpoint {
    pub(crate) server: Arc<Core>,
    pub(crate) config: HttpConfig,
    pub(crate) channels: Arc<Channels>,
    pub(crate) sessions: Arc<Sessions>,
}
