//! [`UpstreamFault`]: why an upstream cannot be used, in words that its clients may read.

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;

use mcp_client::{CallError, ConnectError, HttpError, RefusalKind, TransportError};

/// Why an upstream cannot be used, or has not answered. Displayed as what the upstream does:
/// "requires a login (HTTP status 401)".
///
/// It contains nothing that the upstream sent, no addresses and no secrets, so that clients may read
/// it: they receive it in the error of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamFault {
    /// The upstream requires a login: HTTP status 401, or an authorization that failed.
    #[error("requires a login (HTTP status 401)")]
    LoginRequired,
    /// The token of the gateway lacks scopes.
    #[error("requires a token with more scopes (HTTP status 403)")]
    MissingScopes,
    /// The gateway may not use the upstream: HTTP status 403.
    #[error("denies access (HTTP status 403)")]
    Forbidden,
    /// The upstream has too much to do: HTTP status 429 or 503, or an error that says so.
    #[error("accepts no more requests now{}: {}", status(*code), retry(*after))]
    Busy {
        /// The HTTP status, if there was one.
        code: Option<u16>,
        /// The time after which the upstream can be asked again, if it names one.
        after: Option<Duration>,
    },
    /// The upstream answered with another HTTP status.
    #[error("failed with the HTTP status {0}")]
    Status(u16),
    /// The upstream answered with a page for browsers instead of a message.
    #[error("answered with a web page instead of a message, as for a login")]
    Page,
    /// The upstream redirects to an address that is not followed.
    #[error("redirects to another address, as for a login (HTTP status {0})")]
    Redirect(u16),
    /// The program of the upstream does not exist.
    #[error("cannot be started: its program was not found")]
    NoProgram,
    /// The folder in which the program of the upstream should run does not exist.
    #[error("cannot be started: its working directory (`cwd`) was not found")]
    NoFolder,
    /// The program of the upstream cannot be started.
    #[error("cannot be started")]
    NotStarted,
    /// The program of the upstream has exited.
    #[error("has exited")]
    Exited,
    /// A message of the upstream is too large.
    #[error("sent a message that is too large: more than {limit} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// The upstream cannot be reached over the network.
    #[error("cannot be reached")]
    Unreachable,
    /// The connection ended before the answer.
    #[error("ended the connection")]
    Closed,
    /// The upstream did not answer in time.
    #[error("did not answer in time")]
    Slow,
    /// The upstream sent something else than a valid answer.
    #[error("sent an invalid answer")]
    Invalid,
    /// The upstream supports no revision that the gateway does.
    #[error("supports no protocol version of the gateway")]
    Revision,
    /// The definition of the upstream cannot be used. Contains the reason.
    #[error("is left out: {0}")]
    Unusable(String),
    /// The upstream refused the request by which the gateway connects.
    #[error("refused to connect")]
    Refused,
    /// Something else.
    #[error("failed")]
    Other,
}

impl UpstreamFault {
    /// Returns the cause of a failed call. `None` if the upstream has answered with an error, or the
    /// call was refused here.
    pub(crate) fn of_call(error: &CallError) -> Option<Self> {
        let response = match error {
            CallError::Refused { transport, .. } => transport.as_deref(),
            CallError::Lost { source, .. } => Some(&**source),
            _ => None,
        };
        match error.kind() {
            Some(RefusalKind::LoginRequired) => return Some(Self::LoginRequired),
            Some(RefusalKind::MissingScopes(_)) => return Some(Self::MissingScopes),
            Some(RefusalKind::Forbidden) => return Some(Self::Forbidden),
            Some(RefusalKind::Busy(after)) => {
                let code = response.and_then(http_status);
                return Some(Self::Busy { code, after });
            }
            _ => {}
        }
        Some(match (error, response) {
            (CallError::Timeout { .. }, _) => Self::Slow,
            (CallError::Refused { .. } | CallError::Client { .. }, _) => return None,
            (_, Some(error)) => Self::of_transport(error),
            (CallError::Message { .. } | CallError::Answer { .. }, _) => Self::Invalid,
            _ => Self::Other,
        })
    }

    /// Returns why a connection cannot be made.
    pub(crate) fn of_connect(error: &ConnectError) -> Self {
        match error {
            ConnectError::Transport(error) => Self::of_transport(error),
            ConnectError::Call(error) => Self::of_call(error).unwrap_or(Self::Refused),
            ConnectError::Revision { .. } => Self::Revision,
            ConnectError::Decode(_) => Self::Invalid,
            _ => Self::Other,
        }
    }

    fn of_transport(error: &TransportError) -> Self {
        match error {
            TransportError::Http(error) => Self::of_http(error),
            TransportError::Spawn { source, .. } if source.kind() == ErrorKind::NotFound => {
                Self::NoProgram
            }
            TransportError::Spawn { source, .. } if source.kind() == ErrorKind::NotADirectory => {
                Self::NoFolder
            }
            TransportError::Spawn { .. } => Self::NotStarted,
            TransportError::Exited { .. } => Self::Exited,
            TransportError::TooLong { limit } => Self::TooLarge { limit: *limit },
            TransportError::Session { source } => Self::of_connect(source),
            TransportError::Restarted { source } => Self::of_connect(source),
            TransportError::Closed | TransportError::Io(_) => Self::Closed,
            _ => Self::Other,
        }
    }

    fn of_http(error: &HttpError) -> Self {
        match error {
            HttpError::Unauthorized { status, .. } if status.as_u16() == 403 => Self::Forbidden,
            HttpError::Unauthorized { .. } | HttpError::Authorize(_) => Self::LoginRequired,
            HttpError::Status {
                status,
                retry_after,
                ..
            } => match status.as_u16() {
                401 => Self::LoginRequired,
                403 => Self::Forbidden,
                code @ (429 | 503) => Self::Busy {
                    code: Some(code),
                    after: *retry_after,
                },
                code => Self::Status(code),
            },
            HttpError::Redirect { status, .. } => Self::Redirect(status.as_u16()),
            HttpError::ContentType(kind) if kind.starts_with("text/html") => Self::Page,
            HttpError::Connect { .. } => Self::Unreachable,
            HttpError::Exchange(_) | HttpError::NoAnswer => Self::Closed,
            HttpError::ContentType(_) | HttpError::Message(_) | HttpError::Event(_) => {
                Self::Invalid
            }
            _ => Self::Other,
        }
    }
}

/// Returns the HTTP status of a response that refuses a request.
fn http_status(error: &TransportError) -> Option<u16> {
    match error {
        TransportError::Http(HttpError::Status { status, .. }) => Some(status.as_u16()),
        _ => None,
    }
}

fn status(code: Option<u16>) -> String {
    code.map(|code| format!(" (HTTP status {code})"))
        .unwrap_or_default()
}

fn retry(after: Option<Duration>) -> String {
    match after {
        Some(after) => format!("retry after {} s", after.as_secs().max(1)),
        None => "retry later".to_owned(),
    }
}

/// What the operator of a gateway should know of an upstream. See
/// [`GatewayBuilder::on_report`](crate::GatewayBuilder::on_report).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum UpstreamReport<'a> {
    /// The upstream cannot be used, or has not answered.
    #[non_exhaustive]
    Failed {
        /// The name of the upstream.
        upstream: &'a str,
        /// What clients read.
        fault: &'a UpstreamFault,
        /// The error itself, if there is one. Its text may contain addresses, and what the upstream
        /// sent.
        error: Option<&'a (dyn Error + Send + Sync)>,
    },
    /// The upstream can be used again.
    #[non_exhaustive]
    Recovered {
        /// The name of the upstream.
        upstream: &'a str,
    },
    /// The upstream has no tools of some names, which its [`Presentation`](crate::config::Presentation)
    /// allows or denies.
    #[non_exhaustive]
    NoTools {
        /// The name of the upstream.
        upstream: &'a str,
        /// The names of the tools that it does not have.
        names: &'a [String],
    },
}

/// Shows the upstream, the fault, and the error.
impl fmt::Display for UpstreamReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed {
                upstream,
                fault,
                error,
            } => {
                write!(f, "the server `{upstream}` {fault}")?;
                match error {
                    Some(error) => write!(f, " ({error})"),
                    None => Ok(()),
                }
            }
            Self::Recovered { upstream } => {
                write!(f, "the server `{upstream}` can be used again")
            }
            Self::NoTools { upstream, names } => {
                let names = names.join("`, `");
                write!(
                    f,
                    "the server `{upstream}` has no tool `{names}`, which `tools` names"
                )
            }
        }
    }
}

/// Called with each report.
pub(crate) type OnReport = std::sync::Arc<dyn Fn(&UpstreamReport<'_>) + Send + Sync>;
