//! [`ModelToolsError`]: what is wrong with a response of a model.

use mcp_types::error::DecodeError;
use mcp_types::peer_text::PeerText;

/// What is wrong with a response of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelToolsError {
    /// The response does not have the form of the interface. It may be an error of the interface, or
    /// the response of another one.
    #[error("the response of the model has no {expected} at `{path}`")]
    Response {
        /// The place, as a JSON pointer within the response or the call.
        path: &'static str,
        /// What was expected there.
        expected: &'static str,
    },
    /// The model calls a tool that it was not offered.
    #[error("there is no tool `{}`", PeerText(name))]
    UnknownTool {
        /// The name that the model used.
        name: String,
    },
    /// The model calls a tool with something else than an object.
    #[error(
        "the arguments of `{}` are not a JSON object: {source}",
        PeerText(name)
    )]
    Arguments {
        /// The name that the model used.
        name: String,
        /// What is wrong, and where.
        source: DecodeError,
    },
}
