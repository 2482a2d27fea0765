//! The members of `_meta` by which requests without a handshake describe the client.

use mcp_types::error::DecodeError;
use mcp_types::json::{self, Map};
use mcp_types::revision::VersionError;
use mcp_types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageNotification, Notification,
    Revision,
};
use serde::Serialize;
use serde_json::value::RawValue;

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The members of `_meta`, encoded once for all requests.
pub(crate) type RequestMeta = Map<Box<RawValue>>;

/// Encodes the members for each modern revision, newest first.
///
/// # Errors
///
/// A revision cannot express the capabilities.
pub(crate) fn request_metas(
    info: &Implementation,
    capabilities: &ClientCapabilities,
    log_level: Option<LoggingLevel>,
) -> Result<Vec<(Revision, RequestMeta)>, VersionError> {
    let mut metas = Vec::new();
    for revision in Revision::modern() {
        let mut meta = Map::new();
        meta.push(PROTOCOL_VERSION, raw(revision.as_str())?);
        meta.push(CLIENT_INFO, raw(info)?);
        meta.push(CLIENT_CAPABILITIES, revision.encode(capabilities.clone())?);
        // Logging is deprecated, so a newer revision may not have it.
        let mut messages = revision.messages().iter();
        let logs = messages.any(|message| message.method == LoggingMessageNotification::METHOD);
        if let Some(level) = log_level.filter(|_| logs) {
            meta.push(LOG_LEVEL, raw(&level)?);
        }
        metas.push((revision, meta));
    }
    Ok(metas)
}

fn raw(value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>, VersionError> {
    Ok(json::to_raw(value).map_err(DecodeError::from)?)
}
