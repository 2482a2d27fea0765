//! [`Link`]: how messages get to a server.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mcp_types::Revision;

use crate::protocol::connection::Core;
use crate::protocol::error::TransportError;

/// A future in a box, so that links can be trait objects.
pub(crate) type Sending<'a> = Pin<Box<dyn Future<Output = Result<(), TransportError>> + Send + 'a>>;

/// The way to a server. What comes back is handed to the [core](Core).
pub(crate) trait Link: Send + Sync {
    /// Sends a request. A link on which the answer comes by the way of the request (HTTP) goes on
    /// to hand over what comes until the answer is among it; on any other link this ends when
    /// the request is on its way. Dropping the future gives up what it does.
    ///
    /// # Errors
    ///
    /// What keeps the answer from coming.
    fn request<'a>(&'a self, core: &'a Arc<Core>, request: Outgoing<'a>) -> Sending<'a>;

    /// Sends a notification. Waits where the server does not read.
    fn notify<'a>(&'a self, core: &'a Arc<Core>, message: Vec<u8>) -> Sending<'a>;

    /// Sends a message that must not wait: the news that a call was given up. There are no more of
    /// them than requests.
    fn send_now(&self, message: Vec<u8>);

    /// Answers a request of the server, without waiting, in the session in which it was asked,
    /// if that is still there: the next one has requests with the same ids.
    fn answer(&self, message: Vec<u8>, session: u64) {
        let _ = session;
        self.send_now(message);
    }

    /// Whether dropping the future of [`request`](Self::request) already tells the server that
    /// nobody waits for the answer.
    fn ends_by_closing(&self, core: &Core) -> bool;

    /// Whether the server is known to begin with a handshake, from an earlier connection.
    fn begins_with_handshake(&self) -> bool {
        false
    }

    /// The URL of the server, where it has one.
    fn url(&self) -> Option<String> {
        None
    }

    /// Takes note of the revision that the server turned out to speak, or that what was known of
    /// it is wrong.
    fn found(&self, revision: Option<Revision>) {
        let _ = revision;
    }
}

/// A request, as it is sent.
pub(crate) struct Outgoing<'a> {
    #[cfg(feature = "http")]
    pub(crate) id: i64,
    #[cfg(feature = "http")]
    pub(crate) method: &'static str,
    /// The whole message.
    pub(crate) message: Vec<u8>,
    /// Set by the link: whether the server may have heard of it.
    pub(crate) sent: &'a AtomicBool,
}
