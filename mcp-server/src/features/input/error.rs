//! [`InputError`]: why the client could not be asked, or did not answer.

use mcp_types::rpc::ErrorObject;

/// Why a question to the client has no answer. In a handler `?` makes it a
/// [`HandlerError`](crate::HandlerError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Since revision 2026-07-28 only `tools/call`, `prompts/get` and `resources/read` may ask.
    #[error("the method `{0}` may not ask the client for input")]
    Method(String),
    /// Two questions, or two pieces of work done [once](crate::Context::once), have one key.
    #[error("the key `{0}` is used twice in one request")]
    Key(String),
    /// A field of a form is not of a form that the protocol has.
    #[error("form field `{field}`: {reason}")]
    Field {
        /// The field; empty where the form as a whole is at fault.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The client answered with an error, for example because the user refused.
    #[error("the client refused `{method}`")]
    Refused {
        /// What was asked.
        method: &'static str,
        /// The client's error.
        source: ClientError,
    },
    /// The client's answer is not what was asked for.
    #[error("the client's answer to `{method}`: {reason}")]
    Answer {
        /// What was asked.
        method: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// The question is of a kind that this version of the crate does not know.
    #[error("the question is of an unknown kind")]
    Unknown,
    /// The request has ended, or the client is gone; or its input has ended, over which it would
    /// answer.
    #[error("nobody is there to answer any more")]
    Ended,
}

/// The error that a client answered a question with. It is not passed on as the error of the
/// request, as that of another server is: it is the client's own.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct ClientError(pub ErrorObject);
