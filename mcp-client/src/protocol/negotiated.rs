//! [`Negotiated`]: the result of the negotiation with a server.

use mcp_types::{Implementation, Revision, ServerCapabilities};

/// The revision that both sides use, and the server's description of itself.
#[derive(Clone, Debug)]
pub(crate) struct Negotiated {
    pub(crate) revision: Revision,
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
}
