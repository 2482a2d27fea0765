//! The error codes of JSON-RPC.

/// The text is not valid JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is not a valid message.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist or is not available.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The params are not valid for the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed to process the request.
pub const INTERNAL_ERROR: i64 = -32603;
