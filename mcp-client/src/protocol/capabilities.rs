//! Reads and writes members of capabilities by their names.
//!
//! Roots, sampling and logging are deprecated. A revision that removes them has no such fields in
//! its types any more, but servers of older revisions still use them. Conversions between revisions
//! keep such members in `extra`. These functions find a member in both places. They convert the
//! whole object, so they are for what happens once for a connection.

use mcp_types::json::{self, Object};
use mcp_types::{
    ClientCapabilities, CreateMessageRequest, ListRootsRequest, LoggingMessageNotification,
    Notification, Request, Revision,
};
use serde::Serialize;

/// The client answers `roots/list`.
pub(crate) const ROOTS: &str = "roots";
/// The client answers `sampling/createMessage`.
pub(crate) const SAMPLING: &str = "sampling";
/// The server sends log messages.
pub(crate) const LOGGING: &str = "logging";

/// Returns `true` if capabilities have the member `name`.
pub(crate) fn is_declared(capabilities: &impl Serialize, name: &str) -> bool {
    json::to_value(capabilities).is_ok_and(|value| value.get(name).is_some())
}

/// Adds the member `name` to capabilities, unless they have it.
pub(crate) fn declare(capabilities: &mut ClientCapabilities, name: &str) {
    let Ok(mut value) = json::to_value(capabilities) else {
        return;
    };
    let Some(members) = value.as_object_mut() else {
        return;
    };
    if members.contains_key(name) {
        return;
    }
    members.insert(name, Object::new());
    if let Ok(changed) = json::from_value(value) {
        *capabilities = changed;
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_members_are_found_whether_or_not_the_type_has_them() {
        let text = r#"{"sampling":{"tools":{}},"com.example":{}}"#;
        let capabilities: ClientCapabilities = json::from_str(text).unwrap();
        assert!(is_declared(&capabilities, SAMPLING));
        assert!(is_declared(&capabilities, "com.example"));
        assert!(!is_declared(&capabilities, ROOTS));
    }

    #[test]
    fn declaring_keeps_what_is_declared_already() {
        let text = r#"{"sampling":{"tools":{}}}"#;
        let mut capabilities: ClientCapabilities = json::from_str(text).unwrap();
        for name in [SAMPLING, "com.example"] {
            declare(&mut capabilities, name);
        }
        let text = json::to_string(&capabilities).unwrap();
        assert_eq!(text, r#"{"sampling":{"tools":{}},"com.example":{}}"#);
    }

    #[test]
    fn the_first_modern_revision_has_all_deprecated_parts() {
        let revision = Revision::V2026_07_28;
        assert!(has_capability(revision, ROOTS));
        assert!(has_capability(revision, SAMPLING));
        assert!(has_log_messages(revision));
    }
}
