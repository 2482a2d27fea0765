//! What the peer receives of a handler's error, and what goes to the log.

use std::error::Error as StdError;
use std::fmt;

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{CallToolResult, ContentBlock, Revision};

use crate::protocol::core::Context;
use crate::protocol::error::{
    Cause, Chain, ErrorDetail, HandlerError, RESOURCE_NOT_FOUND, WithSources,
};
use crate::protocol::extensions::Principal;

/// The error that the peer of a request gets, in the form of its revision. An unexpected error
/// is written to the log.
pub(crate) fn error_object(error: HandlerError, cx: &Context) -> ErrorObject {
    let revision = cx.revision();
    match error.cause {
        Cause::Protocol(error) if error.code == RESOURCE_NOT_FOUND => {
            let code = if revision == Revision::LATEST {
                rpc::INVALID_PARAMS
            } else {
                RESOURCE_NOT_FOUND
            };
            let mut error = error;
            error.code = code;
            error
        }
        Cause::Protocol(error) => error,
        Cause::MissingCapability(required) => {
            let code = if revision == Revision::LATEST {
                mcp_types::MISSING_REQUIRED_CLIENT_CAPABILITY
            } else {
                rpc::INVALID_PARAMS
            };
            let data = mcp_types::MissingRequiredClientCapabilityErrorData::new(*required);
            let error = ErrorObject::new(code, "the client did not declare a capability");
            match mcp_types::json::to_value(&data) {
                Ok(data) => error.with_data(data),
                Err(_) => error,
            }
        }
        Cause::Tool(result) => ErrorObject::internal_error(text_of(&result)),
        Cause::Other(error) => ErrorObject::internal_error(report(&*error, None, cx)),
    }
}

/// The text of a tool's failure, for handlers that answer no such result.
fn text_of(result: &CallToolResult) -> String {
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

/// Writes an unexpected error of a handler to the log, and returns the text that the peer gets.
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
    match cx.core().error_detail {
        ErrorDetail::Hidden if tool.is_some() => "the tool failed".to_owned(),
        ErrorDetail::Hidden => "internal error".to_owned(),
        ErrorDetail::Message => error.to_string(),
        ErrorDetail::Causes => WithSources(error).to_string(),
    }
}

/// An error for the log, its sources included.
pub(crate) fn logged(error: &HandlerError) -> impl fmt::Display + '_ {
    PeerDisplay(Whole(error))
}

struct Whole<'a>(&'a HandlerError);

impl fmt::Display for Whole<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}
