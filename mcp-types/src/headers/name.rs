//! The names of the headers.

/// `MCP-Protocol-Version`, in lower case: the revision that a request uses.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// `Mcp-Method`, in lower case: the method of a request.
pub const METHOD: &str = "mcp-method";
/// `Mcp-Name`, in lower case: the tool, prompt or resource that a request refers to.
pub const NAME: &str = "mcp-name";
/// `Mcp-Param-`, in lower case: the prefix of the header names for parameters.
pub const PARAM_PREFIX: &str = "mcp-param-";
/// `Mcp-Session-Id`, in lower case: the session, in the revisions 2025-03-26 to 2025-11-25.
pub const SESSION_ID: &str = "mcp-session-id";
/// `Last-Event-ID`, in lower case: the event after which a stream is resumed, in the revisions
/// 2025-03-26 to 2025-11-25.
pub const LAST_EVENT_ID: &str = "last-event-id";
/// The keyword that marks a property of a schema as a header parameter: `x-mcp-header`.
pub const ANNOTATION: &str = "x-mcp-header";
