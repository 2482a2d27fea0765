//! Response messages in the form of the peer's revision.

use crate::protocol::limits::Limits;
use crate::protocol::sizes;
#[cfg(feature = "http")]
use mcp_types::RequestId;
use mcp_types::json;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::Versioned;
use mcp_types::rpc::{self, ErrorObject, Message};
#[cfg(feature = "http")]
use serde_json::value::RawValue;

use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::session::Session;

/// The response with a handler's result.
pub(crate) fn result<T: Versioned>(cx: &Context, result: T) -> Result<Vec<u8>, HandlerError> {
    let id = cx.request_id().ok_or_else(unasked)?;
    let mut message = Vec::with_capacity(512);
    let info = Some(cx.core().info());
    match rpc::write_result_at(&mut message, id, result, cx.revision(), info) {
        Ok(()) => Ok(message),
        Err(error) => Err(error.into()),
    }
}

fn unasked() -> HandlerError {
    HandlerError::internal("a notification has no response")
}

/// The text of a response that came in a batch, and so has none of its own.
#[cfg(feature = "http")]
pub(crate) fn text(response: &Message<'_>) -> Vec<u8> {
    #[derive(serde::Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RequestId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a RawValue>,
    }
    let (result, error) = match response {
        Message::Result { result, .. } => (Some(*result), None),
        Message::Error { error, .. } => (None, Some(*error)),
        Message::Request { .. } | Message::Notification { .. } => (None, None),
    };
    let text = serde_json::to_vec(&Response {
        jsonrpc: "2.0",
        id: response.id(),
        result,
        error,
    });
    // What was read as JSON can be written.
    text.unwrap_or_default()
}

/// Hands a legacy peer's answer to the handler that waits for it: whether there was one, `None`
/// where the message answers nothing.
///
/// A result is handed over as text, and an error decoded.
pub(crate) fn hand_over(
    session: Option<&Session>,
    message: &Message<'_>,
    limits: &Limits,
) -> Option<bool> {
    let (id, response) = match message {
        Message::Result { id, result, .. } => (id, Ok((*result).to_owned())),
        Message::Error { id, error, .. } => {
            let decoded =
                sizes::check_values(Some(error), limits).and_then(|()| json::from_str(error.get()));
            let error = decoded.unwrap_or_else(|error| {
                ErrorObject::internal_error(format!("the peer's error is not one: {error}"))
            });
            let Some(id) = id else {
                tracing::warn!(error = %PeerDisplay(&error), "the peer could not read a message");
                return Some(true);
            };
            (id, Err(error))
        }
        Message::Request { .. } | Message::Notification { .. } => return None,
    };
    Some(session.is_some_and(|session| session.pending.answer(id, response)))
}
