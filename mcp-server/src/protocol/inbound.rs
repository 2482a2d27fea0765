//! [`Inbound`]: where a message came from.

use std::sync::Arc;

use crate::protocol::extensions::Extensions;
use crate::protocol::message_sink::MessageSink;
use crate::protocol::session::Session;

/// Where a message came from, as the transport knows it.
#[derive(Clone)]
pub(crate) struct Inbound {
    /// Where messages that belong to the request go.
    pub(crate) outlet: Arc<dyn MessageSink>,
    /// The session of the connection or of the session id, after its handshake.
    pub(crate) session: Option<Arc<Session>>,
    /// The id for a session that begins with this message; absent on a pair of byte streams.
    pub(crate) session_id: Option<Box<str>>,
    /// Values that the transport or a middleware attached.
    pub(crate) extensions: Arc<Extensions>,
    /// What the spans of its requests say about the transport.
    pub(crate) transport: TransportInfo,
}

/// What a transport says about itself in the spans of requests, by OpenTelemetry's conventions. A
/// pair of byte streams can be anything and says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransportInfo {
    /// `network.transport`
    pub(crate) network: Option<&'static str>,
    /// `network.protocol.name` and `network.protocol.version`
    pub(crate) protocol: Option<(&'static str, Option<&'static str>)>,
}
