//! [`Inbound`]: handles the messages that a server sends on its own.

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::revision::VersionError;
use mcp_types::{RequestId, Revision};
use serde_json::value::RawValue;

/// Handles the messages that a server sends on its own: notifications and requests.
///
/// The connection itself handles responses to the client's requests and reports of their progress.
pub(crate) trait Inbound: Send + Sync {
    /// Handles a notification. Returns `false` if no feature has use for it.
    fn notification(&self, revision: Revision, method: &str, params: Option<&RawValue>) -> bool;

    /// Starts to answer a request without waiting for the answer. Servers of revisions with
    /// sessions send requests.
    fn request(&self, request: &InboundRequest<'_>);

    /// Stops the work on all requests of the server. They are not answered.
    fn abort_requests(&self);

    /// Lists the tools until `has_changed` returns `true`, because the server rejected the headers
    /// that repeat arguments of a tool. Returns `false` if it never does.
    #[cfg(feature = "http")]
    fn refresh_tools<'a>(
        &'a self,
        connection: &'a std::sync::Arc<super::Connection>,
        revision: Revision,
        has_changed: &'a (dyn Fn() -> bool + Send + Sync),
    ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

/// A request of a server.
pub(crate) struct InboundRequest<'a> {
    /// The number of the session in which it was sent; 0 for transports without sessions.
    pub(crate) session: u64,
    /// The revision in which the answer has to be written.
    pub(crate) revision: Revision,
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a RawValue>,
}

/// Logs that a notification of the server is malformed.
#[cold]
pub(crate) fn log_malformed(method: &str, error: &VersionError) {
    let (method, error) = (PeerText(method), PeerDisplay(error));
    tracing::warn!(%method, %error, "malformed notification");
}
