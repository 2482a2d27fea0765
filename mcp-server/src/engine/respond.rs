//! Response messages in the form of the peer's revision.

use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{RequestId, Revision};

use super::Via;
use super::sign::Signed;
use crate::context::Context;
use crate::error::HandlerError;
use crate::route::Sendable;
use crate::session::Response;

/// The response with a handler's result.
pub(crate) fn result<T: Sendable>(cx: &Context, result: T) -> Result<Vec<u8>, HandlerError> {
    let Some(id) = cx.request_id() else {
        return Err(HandlerError::internal("a notification has no response"));
    };
    let mut message = Vec::with_capacity(512);
    let revision = cx.revision();
    if revision == Revision::LATEST {
        let signed = Signed::new(&result, cx.server().info());
        rpc::write_result(&mut message, id, &signed)?;
    } else {
        let text = revision.encode(result)?;
        rpc::write_result_text(&mut message, id, &text)?;
    }
    Ok(message)
}

/// The response with an error.
pub(crate) fn error(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    let mut message = Vec::with_capacity(128);
    if rpc::write_error(&mut message, id, error).is_err() {
        // Only data that is no JSON can fail, and the error says enough without.
        let plain = ErrorObject::new(error.code, error.message.clone());
        message.clear();
        let _ = rpc::write_error(&mut message, id, &plain);
    }
    message
}

/// Hands a legacy peer's answer to the handler that waits for it.
pub(super) fn route(via: &Via, id: &RequestId, response: Response) {
    let known = via
        .session
        .as_ref()
        .is_some_and(|session| session.calls.answer(id, response));
    if !known {
        tracing::warn!(%id, "answer to a request that was not sent");
    }
}
