//! [`ErrorDetail`]: what the peer is told of an error that a handler did not expect, and what goes
//! to the log.

use std::error::Error as StdError;
use std::fmt;

use mcp_types::peer_text::{PeerDisplay, PeerText};

use super::error::{Chain, WithSources};
use crate::protocol::context::{Context, Principal};

/// How much of an unexpected error the peer is told: one that a handler returned by `?`, such as
/// the error of a database. In a tool this is the text that the model reads, in other handlers the
/// message of the protocol's error -32603.
///
/// The whole error is always in the log, at the level `WARN`: its own text as `error`, the texts of
/// its [sources](std::error::Error::source) as `causes`, with the method, the tool, the request's
/// id and the [`Principal`]. Errors that a handler makes with the constructors of
/// [`HandlerError`](crate::HandlerError) are sent as they are, whatever is set here. A program sets
/// it with [`ServerBuilder::error_detail`](crate::ServerBuilder::error_detail).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorDetail {
    /// Nothing: the peer only learns that the handler failed.
    Hidden,
    /// The error's own text, its `Display`, without those of its sources. This is the default.
    #[default]
    Message,
    /// The error's own text and those of all its sources, separated by colons. Sources often name
    /// tables, files and hosts: this is meant for development, and for servers whose peers may
    /// know all of that.
    Causes,
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
    match cx.server().inner.error_detail {
        ErrorDetail::Hidden if tool.is_some() => "the tool failed".to_owned(),
        ErrorDetail::Hidden => "internal error".to_owned(),
        ErrorDetail::Message => error.to_string(),
        ErrorDetail::Causes => WithSources(error).to_string(),
    }
}

/// An error for the log, its sources included.
pub(crate) fn logged(error: &super::error::HandlerError) -> impl fmt::Display + '_ {
    PeerDisplay(Whole(error))
}

struct Whole<'a>(&'a super::error::HandlerError);

impl fmt::Display for Whole<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}
