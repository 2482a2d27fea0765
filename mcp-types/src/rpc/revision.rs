//! [`revision_of`]: the revision that a message states.

use std::borrow::Cow;

use super::message::Message;
use crate::json::text::Lookahead;
use crate::message::Sender;
use crate::meta;
use crate::revision::UnknownRevision;
use crate::revisions::Revision;

/// The request and the member of its params and result with which peers of
/// [legacy](Revision::is_modern) revisions agree on one.
const INITIALIZE: &str = "initialize";
const VERSION: &str = "protocolVersion";

/// Returns the revision that a message of `sender` states. `answered` is the method of the request
/// that a response answers, if it is known.
///
/// * A request or notification of a modern client states its revision in `_meta`, as
///   [`meta::PROTOCOL_VERSION`]. In a message of a server, this key has no meaning.
/// * The request `initialize` of a client states the newest revision that the client wants to use,
///   and the result of the server the one that it has chosen for the session. For the result,
///   `answered` has to be `initialize`.
/// * Other messages state none: they follow the revision of their request or of their session, which
///   a [`Tracker`](super::Tracker) knows. Over HTTP, requests state it in the header
///   [`MCP-Protocol-Version`](crate::headers::PROTOCOL_VERSION), whose value
///   `Revision::from_str` parses.
///
/// ```
/// use mcp_types::{Revision, Sender, rpc};
///
/// let text = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
/// let message = rpc::parse_str(text)?;
/// let stated = rpc::revision_of(Sender::Client, &message, None);
/// assert_eq!(stated, Some(Ok(Revision::V2025_06_18)));
/// // A server does not send this request.
/// assert_eq!(rpc::revision_of(Sender::Server, &message, None), None);
/// # Ok::<(), rpc::EnvelopeError>(())
/// ```
///
/// # Errors
///
/// Returns an error if the message states a revision that this crate does not know.
#[must_use]
pub fn revision_of(
    sender: Sender,
    message: &Message<'_>,
    answered: Option<&str>,
) -> Option<Result<Revision, UnknownRevision>> {
    let stated = match (sender, message) {
        (
            Sender::Client,
            Message::Request { params, .. } | Message::Notification { params, .. },
        ) => {
            let params = params.as_ref()?.get();
            let meta = member(params, "_meta");
            let stated = meta.and_then(|meta| string(meta, meta::PROTOCOL_VERSION));
            let wanted = || string(params, VERSION).filter(|_| is_handshake(message));
            stated.or_else(wanted)
        }
        (Sender::Server, Message::Result { result, .. }) if answered == Some(INITIALIZE) => {
            string(result.get(), VERSION)
        }
        _ => None,
    };
    stated.map(|stated| stated.parse())
}

/// Returns `true` for the request `initialize`.
pub(super) fn is_handshake(message: &Message<'_>) -> bool {
    matches!(message, Message::Request { method, .. } if method == INITIALIZE)
}

/// Returns the text of a member of an object.
fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut members = Lookahead::new(object);
    while members.name().ok()?? != name {
        members.value().ok()?;
    }
    members.value().ok()
}

/// Returns the string that is a member of an object.
fn string<'a>(object: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut members = Lookahead::new(object);
    while members.name().ok()?? != name {
        members.value().ok()?;
    }
    members.string().ok()?
}
