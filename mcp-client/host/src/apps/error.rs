//! [`AppError`]: why an app cannot be shown, or may not call a tool.

use mcp_extensions::apps::{DomainError, MIME_TYPE};
use mcp_types::error::DecodeError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use thiserror::Error;

use mcp_client::CallError;

/// An app cannot be shown, or may not call a tool.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AppError {
    /// A request failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server has no such tool.
    #[error("the server has no tool `{}`", PeerText(tool))]
    UnknownTool {
        /// The name.
        tool: String,
    },
    /// Only apps may call the tool.
    #[error("only apps may call the tool `{}`", PeerText(tool))]
    NotForModel {
        /// The name of the tool.
        tool: String,
    },
    /// The metadata of the tool is malformed.
    #[error(
        "the metadata `ui` of the tool `{}` is malformed: {}",
        PeerText(tool),
        PeerDisplay(source)
    )]
    ToolMeta {
        /// The name of the tool.
        tool: String,
        /// What is wrong, and where.
        source: DecodeError,
    },
    /// The tool has no app that shows its results.
    #[error("the tool `{}` has no app", PeerText(tool))]
    NoApp {
        /// The name of the tool.
        tool: String,
    },
    /// The tool names something else than an app: its URI does not begin with `ui://`.
    #[error("the URI `{}` of an app does not begin with `ui://`", PeerText(uri))]
    Scheme {
        /// The URI.
        uri: String,
    },
    /// The server sent several contents, none, or those of another resource.
    #[error("the server did not send the document of `{}`", PeerText(uri))]
    Contents {
        /// The URI of the app.
        uri: String,
    },
    /// The document has another media type.
    #[error(
        "the app `{}` has the media type `{}`, expected `{MIME_TYPE}`",
        PeerText(uri),
        PeerText(found)
    )]
    MediaType {
        /// The URI of the app.
        uri: String,
        /// The media type of the resource, or an empty string if the server gave none.
        found: String,
    },
    /// The document is too large.
    #[error(
        "the app `{}` has {found} bytes, at most {limit} are allowed",
        PeerText(uri)
    )]
    TooLarge {
        /// The URI of the app.
        uri: String,
        /// The limit, see [`AppsHost::max_bytes`](super::AppsHost::max_bytes).
        limit: usize,
        /// The size of the document.
        found: usize,
    },
    /// The metadata of the app is malformed.
    #[error(
        "the metadata `ui` of the app `{}` is malformed: {}",
        PeerText(uri),
        PeerDisplay(source)
    )]
    Meta {
        /// The URI of the app.
        uri: String,
        /// What is wrong, and where.
        source: DecodeError,
    },
    /// The app names an invalid domain.
    #[error("the app `{}`: {source}", PeerText(uri))]
    Domain {
        /// The URI of the app.
        uri: String,
        /// The domain.
        source: DomainError,
    },
    /// The app belongs to another server.
    #[error("the app `{}` belongs to another server", PeerText(uri))]
    OtherServer {
        /// The URI of the app.
        uri: String,
    },
    /// Apps may not call the tool.
    #[error("apps may not call the tool `{}`", PeerText(tool))]
    NotForApps {
        /// The name of the tool.
        tool: String,
    },
}
