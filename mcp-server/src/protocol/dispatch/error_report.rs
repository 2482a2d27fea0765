//! What the client receives of a handler's error, and what goes to the log.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use mcp_types::peer_text::{Chain, PeerDisplay, PeerText, WithSources};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{CallToolResult, ContentBlock};

use crate::protocol::caller::Principal;
use crate::protocol::core::Context;
use crate::protocol::error::ErrorDetail;
use crate::protocol::error::handler_error::{
    ErrorKind, HandlerError, RESOURCE_NOT_FOUND, missing_capability,
};
use crate::protocol::error::rejection::{RETRY_SOON, Rejection};
use crate::protocol::handler::access_token::{ScopePolicy, completed};
use crate::protocol::store::retry_text;

/// Converts an error of the program's own by the conversion for its type, if there is one, and
/// writes the text to the log that the error asks for.
pub(crate) fn resolve(error: HandlerError, cx: &Context) -> HandlerError {
    let mut error = match error.kind {
        ErrorKind::Other(other) => {
            let mut converted = cx.core().errors.convert(other);
            if let ErrorKind::Other(other) = &converted.kind {
                converted.is_temporary |= retry_text(&**other).is_some();
            }
            HandlerError {
                kind: converted.kind,
                rejection: converted.rejection.or(error.rejection),
                log: converted.log.or(error.log),
                is_temporary: converted.is_temporary || error.is_temporary,
            }
        }
        _ => error,
    };
    if let Some(text) = error.log.take() {
        let principal = cx.extension::<Principal>();
        tracing::warn!(
            method = %PeerText(cx.method()),
            request.id = cx.request_id().map(|id| display(PeerDisplay(id))),
            principal = principal.map(|principal| display(PeerText(&principal.0))),
            error = %PeerText(&text),
            "handler failed"
        );
    }
    error
}

/// Returns the error that the client of a request receives, in the form of its revision, and how a
/// transport with status codes answers. An unexpected error is written to the log.
pub(crate) fn failure(error: HandlerError, cx: &Context) -> (ErrorObject, Option<Rejection>) {
    let error = resolve(error, cx);
    let mut object = error_object(error.kind, cx);
    let busy = object.retry_time().map(Rejection::Busy);
    let rejection = error.rejection.or(busy).or(match object.code {
        mcp_types::MISSING_REQUIRED_CLIENT_CAPABILITY => Some(Rejection::Malformed),
        mcp_types::HEADER_MISMATCH => Some(Rejection::Mismatch),
        rpc::METHOD_NOT_FOUND => Some(Rejection::NoMethod),
        _ => None,
    });
    if error.is_temporary && object.data.is_none() {
        object = object.retry_after(RETRY_SOON);
    }
    let rejection = rejection.map(|rejection| challenged(rejection, cx));
    (object, rejection)
}

/// Completes a challenge for the endpoint of the request.
fn challenged(rejection: Rejection, cx: &Context) -> Rejection {
    let Rejection::Forbidden(Some(challenge)) = rejection else {
        return rejection;
    };
    let policy = cx.extension::<Arc<dyn ScopePolicy>>();
    let challenge = completed(*challenge, policy.map(|policy| &**policy), cx.extension());
    Rejection::Forbidden(Some(Box::new(challenge)))
}

fn error_object(kind: ErrorKind, cx: &Context) -> ErrorObject {
    let revision = cx.revision();
    match kind {
        ErrorKind::Protocol(error) if error.code == RESOURCE_NOT_FOUND => {
            let code = if revision.is_modern() {
                rpc::INVALID_PARAMS
            } else {
                RESOURCE_NOT_FOUND
            };
            let mut error = error;
            error.code = code;
            error
        }
        ErrorKind::Protocol(error) => error,
        ErrorKind::MissingCapability(required) => {
            let code = if revision.is_modern() {
                mcp_types::MISSING_REQUIRED_CLIENT_CAPABILITY
            } else {
                rpc::INVALID_PARAMS
            };
            let error = ErrorObject::new(code, missing_capability(&required));
            let data = mcp_types::MissingRequiredClientCapabilityErrorData::new(*required);
            match mcp_types::json::to_value(&data) {
                Ok(data) => error.data(data),
                Err(_) => error,
            }
        }
        ErrorKind::Tool(result) => ErrorObject::internal_error(tool_error_text(&result)),
        ErrorKind::Other(error) => match upstream_error(&*error) {
            Some(relayed) => relayed.clone(),
            None => ErrorObject::internal_error(report(&*error, None, cx)),
        },
    }
}

/// Returns the protocol's error among an error's sources: that of another server, which the handler
/// called as a client. It is passed on unchanged.
fn upstream_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a ErrorObject> {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    chain.find_map(|error| error.downcast_ref())
}

/// Returns the text of a tool's failure, for handlers whose result has no `isError`.
fn tool_error_text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    if texts.is_empty() {
        return "the handler failed".to_owned();
    }
    texts.join("\n")
}

/// Writes an unexpected error of a handler to the log, and returns the text for the client.
pub(crate) fn report(error: &(dyn StdError + 'static), tool: Option<&str>, cx: &Context) -> String {
    let principal = cx.extension::<Principal>();
    tracing::warn!(
        method = %PeerText(cx.method()),
        tool = tool.map(|tool| display(PeerText(tool))),
        request.id = cx.request_id().map(|id| display(PeerDisplay(id))),
        principal = principal.map(|principal| display(PeerText(&principal.0))),
        error = %PeerDisplay(error),
        causes = error.source().map(|source| display(Chain(source))),
        "handler failed"
    );
    if cx.core().error_detail == ErrorDetail::Hidden
        && let Some(text) = retry_text(error)
    {
        return text;
    }
    match cx.core().error_detail {
        ErrorDetail::Hidden if tool.is_some() => "the tool failed".to_owned(),
        ErrorDetail::Hidden => "internal error".to_owned(),
        ErrorDetail::Message => error.to_string(),
        ErrorDetail::Causes => WithSources(error).to_string(),
    }
}

/// An error for the log, its sources included.
pub(crate) fn for_log(error: &HandlerError) -> impl fmt::Display + '_ {
    PeerDisplay(LoggedError(error))
}

struct LoggedError<'a>(&'a HandlerError);

impl fmt::Display for LoggedError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}
