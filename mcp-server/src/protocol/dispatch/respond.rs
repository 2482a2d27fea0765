//! Response messages in the form of the client's revision.

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::revision::Versioned;
use mcp_types::rpc::{self, EnvelopeError, ErrorObject, Message};
use mcp_types::{RequestId, json};
#[cfg(feature = "http")]
use serde_json::value::RawValue;

use crate::protocol::core::Context;
use crate::protocol::dispatch::sizes;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::Limits;
use crate::protocol::session::{PeerResponse, ResponseFailure, Session};

/// Returns the response with the result of a handler.
pub(crate) fn result<T: Versioned>(cx: &Context, result: T) -> Result<Vec<u8>, HandlerError> {
    let id = cx.request_id().ok_or_else(unasked)?;
    let mut message = Vec::with_capacity(512);
    let info = Some(&*cx.core().info_text);
    match rpc::write_result_at(&mut message, id, result, cx.revision(), info) {
        Ok(()) => Ok(message),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn unasked() -> HandlerError {
    HandlerError::internal("a notification has no response")
}

/// Returns the text of a response in a batch, which has no text of its own.
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
    // A value that was parsed from JSON can be encoded.
    text.unwrap_or_default()
}

/// What became of a message that may be the response to a request of the server.
pub(crate) enum ResponseDelivery {
    Delivered,
    /// No handler waits for this response.
    Unexpected,
    /// The message is not a response.
    NotAResponse,
}

impl ResponseDelivery {
    fn of(delivered: bool) -> Self {
        if delivered {
            Self::Delivered
        } else {
            Self::Unexpected
        }
    }
}

/// Passes the response of a legacy client to the handler that waits for it. A result is passed on
/// as text, an error is decoded.
pub(crate) fn deliver_response(
    session: Option<&Session>,
    message: &Message<'_>,
    limits: &Limits,
) -> ResponseDelivery {
    let (id, response) = match message {
        Message::Result { id, result, .. } => (id, Ok((*result).to_owned())),
        Message::Error { id, error, .. } => {
            let decoded: Result<ErrorObject, _> =
                sizes::check_values(Some(error), limits).and_then(|()| json::from_str(error.get()));
            let Some(id) = id else {
                let error = PeerText(error.get());
                tracing::warn!(%error, "the peer could not read a message");
                return ResponseDelivery::Delivered;
            };
            let failure = match decoded {
                Ok(error) => ResponseFailure::Refused(error),
                Err(error) => ResponseFailure::Malformed(format!("`error`: {error}")),
            };
            (id, Err(failure))
        }
        Message::Request { .. } | Message::Notification { .. } => {
            return ResponseDelivery::NotAResponse;
        }
    };
    ResponseDelivery::of(deliver(session, id, response))
}

/// Fails the request of the server that a malformed message responds to. Returns `false` if no
/// handler waited for it.
pub(crate) fn deliver_malformed(session: Option<&Session>, error: &EnvelopeError) -> bool {
    let failure = ResponseFailure::Malformed(error.to_string());
    error
        .id()
        .is_some_and(|id| deliver(session, id, Err(failure)))
}

fn deliver(session: Option<&Session>, id: &RequestId, response: PeerResponse) -> bool {
    if let Err(failure) = &response {
        tracing::debug!(error = %PeerDisplay(failure), "a request to the peer failed");
    }
    match (session, id) {
        // The server numbers its requests.
        (Some(session), RequestId::Number(id)) => session.pending.complete(*id, response),
        _ => false,
    }
}
