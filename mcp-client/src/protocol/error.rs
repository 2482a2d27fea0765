//! Errors of calls and of connections.

mod extension;
#[cfg(feature = "http")]
mod http;
mod kind;
mod list;
#[cfg(feature = "json-schema")]
mod output;
pub(crate) mod server_output;
mod task;
mod transient;

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::Revision;
use mcp_types::error::DecodeError;
use mcp_types::peer_text::PeerText;
use mcp_types::revision::VersionError;
use mcp_types::rpc::{EnvelopeError, ErrorObject};

pub use extension::ExtensionError;
#[cfg(feature = "http")]
pub use http::{AuthorizeError, HttpError};
pub use kind::RefusalKind;
pub use list::{DroppedMember, ElementError, ListError};
#[cfg(feature = "json-schema")]
pub use output::{BrokenOutput, OutputError};
pub use server_output::ServerOutput;
use server_output::last_lines;
pub use task::TaskError;

/// The error of a handler that answers questions of the server.
///
/// A server of an older revision receives an [`ErrorObject`] unchanged, and any other error as
/// -32603 with its text. A server without sessions receives nothing: the call fails with
/// [`CallError::Input`](crate::CallError).
pub type InputError = Box<dyn Error + Send + Sync>;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server answered with an error, over every transport. [`kind`](Self::kind) classifies it.
    #[error("the server refused `{}`: {source}", PeerText(method))]
    Refused {
        /// The method.
        method: Cow<'static, str>,
        /// The error object of the server.
        source: ErrorObject,
        /// The HTTP response that contained the error, if its status was not 200.
        transport: Option<Arc<TransportError>>,
    },
    /// The server ended a subscription, for example because it is restarted.
    #[error("the server ended the `{method}`")]
    Ended {
        /// The method.
        method: &'static str,
    },
    /// The params cannot be encoded, or the negotiated revision cannot express the request.
    #[error("cannot encode the params of `{}`: {source}", PeerText(method))]
    Params {
        /// The method.
        method: Cow<'static, str>,
        /// Why.
        source: VersionError,
    },
    /// The result cannot be decoded. The source contains the path of the invalid value.
    #[error("invalid result of `{method}`: {source}")]
    Answer {
        /// The method.
        method: &'static str,
        /// What is wrong, and where.
        source: VersionError,
    },
    /// The response is malformed.
    #[error("malformed response to `{}`: {source}", PeerText(method))]
    Message {
        /// The method.
        method: Cow<'static, str>,
        /// What is wrong with it.
        source: EnvelopeError,
    },
    /// The result is of a type that this client does not know.
    #[error("the result of `{method}` has the unknown type `{result_type}`")]
    ResultType {
        /// The method.
        method: &'static str,
        /// The `resultType` of the server, at most 200 characters of it.
        result_type: String,
    },
    /// A question of the server could not be answered, so the call cannot continue.
    #[error("cannot answer a question of the server during `{method}`: {source}")]
    Input {
        /// The method.
        method: &'static str,
        /// Why.
        source: InputError,
    },
    /// The server answered with questions more than [`Limits::rounds`](crate::Limits) times.
    #[error("the server answered `{method}` with questions {rounds} times, which is the limit")]
    Rounds {
        /// The method.
        method: &'static str,
        /// The number of rounds.
        rounds: usize,
    },
    /// The server answered with more questions at once than
    /// [`Limits::server_requests`](crate::Limits). No handler has seen them.
    #[error(
        "the server answered `{method}` with {count} questions at once, but at most {limit} are allowed"
    )]
    Questions {
        /// The method.
        method: &'static str,
        /// The number of questions.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// An element of a list is malformed. The list continues after it.
    #[error("malformed element in the result of `{method}`: {source}")]
    Element {
        /// The method.
        method: &'static str,
        /// The position of the element, and what is wrong with it.
        source: Box<ElementError>,
    },
    /// A list has more pages than the client requests.
    #[error("the list of `{method}` does not end: {source}")]
    List {
        /// The method.
        method: &'static str,
        /// Why.
        source: ListError,
    },
    /// The structured result of a tool does not match the tool's `outputSchema`. Results are
    /// checked if the tool was listed on this connection.
    #[cfg(feature = "json-schema")]
    #[error("invalid structured result of the tool {source}")]
    Output {
        /// Why, and the result.
        source: Box<BrokenOutput>,
    },
    /// A task of the server has no result. A task that failed is a [`Refused`](Self::Refused), as
    /// the call would be without a task.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The request needs a proposal that not both sides [announced](crate::Client::negotiated).
    #[cfg(feature = "proposals")]
    #[error("`{method}` requires that both sides support the proposal `{}`", proposal.as_str())]
    NotNegotiated {
        /// The method.
        method: &'static str,
        /// The proposal.
        proposal: mcp_types::Proposal,
    },
    /// The server did not respond to a request, or did not accept a notification, in time. A request
    /// that was sent was cancelled on the server, except for the handshake, which cannot be cancelled.
    #[error("`{}` timed out after {:?}{}", PeerText(method), rounded(*after), last_lines(&output.stderr, &output.other))]
    Timeout {
        /// The method.
        method: Cow<'static, str>,
        /// How long the client waited, without the time that a login took.
        after: Duration,
        /// What the server wrote beside its messages, which may be the reason.
        output: ServerOutput,
    },
    /// A [middleware](crate::middleware) refused the request, or the handler of this client did, if
    /// the server had sent the request.
    #[error("the client refused a request: {source}")]
    Client {
        /// Why.
        source: InputError,
    },
    /// The connection failed before the response arrived.
    #[error("no response to `{}`: {source}", PeerText(method))]
    Lost {
        /// The method.
        method: Cow<'static, str>,
        /// What happened to the connection.
        source: Arc<TransportError>,
    },
}

impl CallError {
    /// Returns the code of the error with which the server answered; `None` if it did not answer
    /// with an error.
    ///
    /// ```
    /// use mcp_client::CallError;
    /// use mcp_client::types::rpc::INVALID_PARAMS;
    ///
    /// fn is_our_fault(error: &CallError) -> bool {
    ///     error.code() == Some(INVALID_PARAMS)
    /// }
    /// ```
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        match self {
            Self::Refused { source, .. } => Some(source.code),
            _ => None,
        }
    }

    /// Returns why the server refused the request; `None` if it did not answer. The same refusal
    /// has the same kind over every transport.
    ///
    /// ```
    /// use mcp_client::{CallError, RefusalKind};
    ///
    /// fn advice(error: &CallError) -> Option<&'static str> {
    ///     match error.kind()? {
    ///         RefusalKind::LoginRequired => Some("log in"),
    ///         RefusalKind::MissingScopes(_) => Some("log in again, with more scopes"),
    ///         RefusalKind::Busy(_) => Some("try again later"),
    ///         _ => None,
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn kind(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused {
                source, transport, ..
            } => {
                let response = transport.as_ref().and_then(|response| response.kind());
                let busy = || {
                    source
                        .retry_time()
                        .map(|time| RefusalKind::Busy(Some(time)))
                };
                let kind = kind::scopes(source).or(response).or_else(busy);
                Some(kind.unwrap_or_else(|| kind::of_code(source.code)))
            }
            Self::Lost { source, .. } => source.kind(),
            _ => None,
        }
    }
}

/// Why a connection cannot be made, or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// Reading or writing failed.
    #[error("cannot read from or write to the server: {0}")]
    Io(#[from] std::io::Error),
    /// The connection was closed, by the server or by [`Client::close`](crate::Client::close).
    #[error("the connection is closed")]
    Closed,
    /// A message is longer than [`Limits::message_bytes`](crate::Limits).
    #[error("the server sent a message of more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// An HTTP request failed.
    #[cfg(feature = "http")]
    #[error(transparent)]
    Http(#[from] HttpError),
    /// The program of the server cannot be started.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The program, as the application named it.
        program: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The process of the server exited unexpectedly.
    #[error("the server process exited ({status}){}", last_lines(stderr, other))]
    Exited {
        /// The exit status.
        status: std::process::ExitStatus,
        /// The last lines of its standard error, at most 4 KiB; empty if it is not captured.
        stderr: String,
        /// Its last output that is no message, such as a usage text: at most 4 KiB.
        other: String,
    },
    /// The session with the server has ended, and a new one could not be started.
    #[cfg(feature = "http")]
    #[error("the session has ended, and a new one could not be started: {source}")]
    Session {
        /// Why not.
        source: Arc<ConnectError>,
    },
    /// The server was restarted, but the negotiation with it failed.
    #[error("the server process was restarted, but the negotiation with it failed: {source}")]
    Restarted {
        /// Why not.
        source: Box<ConnectError>,
    },
}

impl TransportError {
    /// Returns `true` if a single message was lost and the connection continues. It may have been
    /// the response to any request.
    pub(crate) fn loses_one_message(&self) -> bool {
        match self {
            Self::TooLong { .. } => true,
            #[cfg(feature = "http")]
            Self::Http(HttpError::Event(_)) => true,
            _ => false,
        }
    }

    /// Returns why the server refused a request, as far as the response tells without its body.
    fn kind(&self) -> Option<RefusalKind> {
        match self {
            #[cfg(feature = "http")]
            Self::Http(error) => kind::of_http(error),
            _ => None,
        }
    }

    /// Returns the error with which the server refused a request, if the response contained one.
    pub(crate) fn refusal(&self) -> Option<&ErrorObject> {
        match self {
            #[cfg(feature = "http")]
            Self::Http(error) => error.refusal(),
            _ => None,
        }
    }

    /// Returns `true` if the cause may be a server of an older era.
    pub(crate) fn may_be_legacy(&self) -> bool {
        match self {
            #[cfg(feature = "http")]
            Self::Http(error) => error.may_be_legacy(),
            // Some older servers exit when they receive an unknown method.
            Self::Exited { .. } => true,
            _ => false,
        }
    }
}

/// Rounds a time down, for errors.
fn rounded(time: Duration) -> Duration {
    let unit = if time.as_secs() == 0 { 1 } else { 100 };
    let rounded = time.as_millis() / unit * unit;
    u64::try_from(rounded).map_or(time, Duration::from_millis)
}

fn revisions(revisions: &[Revision]) -> String {
    let names: Vec<_> = revisions.iter().map(|revision| revision.as_str()).collect();
    names.join(", ")
}

fn names(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}

/// Returns the revisions of a server in the form in which an error repeats them.
pub(crate) fn offered(names: &[String]) -> Vec<String> {
    let names = names.iter().take(32);
    names.map(|name| PeerText(name).to_string()).collect()
}

/// Why there is no connection to a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The transport failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A request of the negotiation failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// No revision is supported by both sides.
    #[error(
        "no common protocol version: the client accepts {}, the server supports {}",
        revisions(ours),
        names(theirs)
    )]
    Revision {
        /// The revisions that the client accepts.
        ours: Vec<Revision>,
        /// The revisions of the server: at most 32 names, and 200 characters of each.
        theirs: Vec<String>,
    },
    /// An icon of the client is invalid.
    #[error(transparent)]
    Icon(#[from] mcp_types::InvalidIcon),
    /// An extension of the client is invalid.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
    /// The description of the server cannot be decoded.
    #[error("invalid description of the server: {0}")]
    Decode(#[from] DecodeError),
}
