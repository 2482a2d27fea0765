//! [`Inbound`]: the origin of a message, as the transport knows it.

use std::sync::Arc;

use crate::protocol::caller::Extensions;
use crate::protocol::message::MessageSink;
use crate::protocol::session::Session;

/// The origin of a message, as known to the transport.
#[derive(Clone)]
pub(crate) struct Inbound {
    /// Sends the messages that belong to the request.
    pub(crate) sink: Arc<dyn MessageSink>,
    /// The session, after its handshake: that of the connection, or that of `Mcp-Session-Id`.
    pub(crate) session: Option<Arc<Session>>,
    /// The id for a session that this message initializes. Absent over byte streams.
    pub(crate) session_id: Option<Box<str>>,
    /// Values that the transport or a middleware attached.
    pub(crate) extensions: Arc<Extensions>,
    /// Attributes of the transport for the spans of requests.
    pub(crate) transport: TransportInfo,
}

/// Attributes of a transport for the spans of requests, by OpenTelemetry's conventions. Empty for
/// byte streams, because those can be anything.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransportInfo {
    /// The attribute `network.transport`.
    pub(crate) network: Option<&'static str>,
    /// The attributes `network.protocol.name` and `network.protocol.version`.
    pub(crate) protocol: Option<(&'static str, Option<&'static str>)>,
}
