//! The names of deprecated capabilities, and the revisions that have what they declare.
//!
//! A newer revision may have no fields for them, so they are read and written by their names.

pub(crate) use mcp_types::connection::capability::{
    LOGGING, ROOTS, SAMPLING, declare, is_declared,
};
use mcp_types::{
    CreateMessageRequest, ListRootsRequest, LoggingMessageNotification, Notification, Request,
    Revision,
};

/// Returns `true` if a revision has what a member of the client's capabilities declares.
pub(crate) fn has_capability(revision: Revision, name: &str) -> bool {
    match name {
        ROOTS => has_message(revision, ListRootsRequest::METHOD),
        SAMPLING => has_message(revision, CreateMessageRequest::METHOD),
        _ => true,
    }
}

/// Returns `true` if servers of a revision can send log messages.
pub(crate) fn has_log_messages(revision: Revision) -> bool {
    has_message(revision, LoggingMessageNotification::METHOD)
}

fn has_message(revision: Revision, method: &str) -> bool {
    let mut messages = revision.messages().iter();
    messages.any(|message| message.method == method)
}
