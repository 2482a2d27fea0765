//! [`InputError`]: why a question to the client has no answer.

use mcp_types::Revision;
use mcp_types::revision::VersionError;
use mcp_types::rpc::ErrorObject;

/// Why a question to the client has no answer. `?` converts it into a
/// [`HandlerError`](crate::HandlerError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Only `tools/call`, `prompts/get` and `resources/read` may ask the client since 2026-07-28.
    #[error("the method `{0}` may not ask the client for input")]
    Method(String),
    /// Two questions, or two operations of [`once`](crate::Context::once), have the same key.
    #[error("the key `{0}` is used twice in one request")]
    Key(String),
    /// A form cannot have such a field.
    #[error("form field `{field}`: {reason}")]
    Field {
        /// The field; empty if the form as a whole is wrong.
        field: String,
        /// What is wrong with the field.
        reason: String,
    },
    /// The client responded with an error, for example because the user refused.
    #[error("the client refused `{method}`")]
    Refused {
        /// The method of the question.
        method: &'static str,
        /// The client's error.
        source: ClientError,
    },
    /// The client's answer is malformed or does not fit the question.
    #[error("the client's answer to `{method}`: {reason}")]
    Answer {
        /// The method of the question.
        method: &'static str,
        /// What is wrong with the answer, and where.
        reason: String,
    },
    /// The client's revision of the protocol does not have the question.
    #[error("revision {revision} of the client has no request `{method}`")]
    Revision {
        /// The method of the question.
        method: &'static str,
        /// The revision of the client.
        revision: Revision,
    },
    /// The client's revision of the protocol has the request, but not all that this question needs.
    #[error(
        "the client uses revision {revision} of the protocol, which cannot express this `{method}`"
    )]
    Inexpressible {
        /// The method of the question.
        method: &'static str,
        /// The revision of the client.
        revision: Revision,
        /// What the revision does not have.
        source: VersionError,
    },
    /// The question is of a kind that this version of the crate does not know.
    #[error("the question is of an unknown kind")]
    Unknown,
    /// The request or the connection has ended, or the client has closed the input over which it
    /// would answer.
    #[error("the client can no longer answer")]
    Ended,
}

/// The error that a client answered a question with. Unlike the error of another server it is not
/// passed on as the error of the request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct ClientError(pub ErrorObject);
