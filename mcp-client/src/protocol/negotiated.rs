//! [`Era`]: what server this is, and how to speak to it.

use mcp_types::{Implementation, Revision, ServerCapabilities};

/// What a server says of itself, and the revision in which it is spoken to.
#[derive(Clone, Debug)]
pub(crate) struct Era {
    pub(crate) revision: Revision,
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
}
