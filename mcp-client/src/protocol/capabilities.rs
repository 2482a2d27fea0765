//! The names of deprecated capabilities, and the revisions that have what they declare.
//!
//! A newer revision may have no fields for them, so they are read and written by their names.

use mcp_types::{
    CreateMessageRequest, ListRootsRequest, LoggingMessageNotification, Notification, Request,
    Revision,
};
pub(crate) use mcp_wire::capability::{LOGGING, ROOTS, SAMPLING, declare, is_declared};

/// Returns `true` if a revision has what a member of the client's capabilities declares.
pub(crate) fn has_capability(revision: Revision, name: &str) -> bool {
    match name {
        ROOTS => revision.has_method(ListRootsRequest::METHOD),
        SAMPLING => revision.has_method(CreateMessageRequest::METHOD),
        _ => true,
    }
}

/// Returns `true` if servers of a revision can send log messages.
pub(crate) fn has_log_messages(revision: Revision) -> bool {
    revision.has_method(LoggingMessageNotification::METHOD)
}
