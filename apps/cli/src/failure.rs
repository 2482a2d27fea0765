//! [`Failure`]: why a command failed, and its exit code.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use mcp_client::types::json::Value;
use mcp_client::{
    CallError, ConnectError, FetchError, FetchFailed, HttpError, ReadError, RefusalKind, TaskError,
    TransportError,
};
use mcp_client_oauth::{OAuthError, OAuthFault};
use mcp_gateway::config::ConfigError;
use mcp_host::skills::SkillError;

use crate::edit::EditError;
use crate::output;
use crate::recording_error::RecordingError;

/// The exit code for a wrong command line.
pub(crate) const USAGE: u8 = 2;

/// The exit code if the server requires authorization.
const AUTHORIZATION: u8 = 7;

/// The exit code if a resource still has the version that the user knows.
const UNMODIFIED: u8 = 8;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The tool reported a failure. Its result is printed.
    #[error("the tool failed")]
    Tool,
    /// A check found errors. They are printed.
    #[error("the check found faults")]
    Faulty,
    #[error("{0}")]
    Usage(String),
    #[error("cannot read or write the file `{}`: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Config { path: PathBuf, source: ConfigError },
    #[error("cannot change the file `{}`: {source}", path.display())]
    Edit { path: PathBuf, source: EditError },
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The program of the server cannot be started, probably because of a wrong command line.
    #[error("{source}\nhint: {hint}")]
    Unstarted {
        source: ConnectError,
        hint: Box<str>,
    },
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Fetch(#[from] FetchFailed),
    #[error("invalid result of `{method}`: {source}")]
    Answer {
        method: &'static str,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error(transparent)]
    Authorization(#[from] OAuthError),
    /// Skills are not as the server lists them. The reasons are printed.
    #[error("not all skills are as the server lists them")]
    Unverified,
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The server does not have what was asked for.
    #[error("{0}")]
    Absent(String),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error("cannot listen at {address}: {source}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    /// The results differ from those of the recording. The differences are printed.
    #[error("the results differ from the recording")]
    Different,
    /// The program that was recorded exited with this code.
    #[error("the server exited with the code {0}")]
    Exited(u8),
    /// The resource has the version that the user knows.
    #[error("not modified")]
    Unmodified,
    #[error("interrupted")]
    Interrupted,
    /// A failure that was printed before.
    #[error("{0}")]
    Reported(Box<Failure>),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Self::Tool | Self::Different | Self::Faulty => 1,
            Self::Exited(code) => *code,
            Self::Recording(RecordingError::Start { .. }) | Self::Listen { .. } => 3,
            Self::Usage(_)
            | Self::File { .. }
            | Self::Config { .. }
            | Self::Edit { .. }
            | Self::Recording(_) => USAGE,
            Self::Connect(ConnectError::Call(error)) | Self::Call(error) => of_call(error),
            Self::Connect(ConnectError::Transport(error)) => of_transport(error),
            Self::Connect(ConnectError::Decode(_))
            | Self::Answer { .. }
            | Self::Unverified
            | Self::Skill(_) => 6,
            Self::Connect(_) | Self::Unstarted { .. } | Self::Io(_) => 3,
            Self::Authorization(error) => of_authorization(error),
            Self::Absent(_) => 4,
            Self::Fetch(failed) => of_fetch(failed),
            Self::Unmodified => UNMODIFIED,
            Self::Interrupted => 130,
            Self::Reported(failure) => failure.code(),
        }
    }

    /// Prints the error, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            // The reader of the output has closed the pipe.
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::SUCCESS;
            }
            Self::Tool
            | Self::Interrupted
            | Self::Different
            | Self::Exited(_)
            | Self::Faulty
            | Self::Unmodified
            | Self::Reported(_) => {}
            failure => {
                output::print_error(&failure.to_string());
                if let Some(hint) = hint(failure) {
                    output::print_message(&format!("hint: {hint}"));
                }
            }
        }
        ExitCode::from(self.code())
    }
}

fn of_fetch(failed: &FetchFailed) -> u8 {
    match failed {
        FetchFailed::Read { source, .. } => match source {
            ReadError::Call(error) => of_call(error),
            ReadError::Base64(_) => 6,
            _ => 4,
        },
        FetchFailed::TooLarge { .. } => 4,
        FetchFailed::Write { .. } => USAGE,
        _ => 3,
    }
}

/// Returns `true` if a server refuses to read a resource because its URL has the content.
pub(crate) fn refers_to_url(error: &CallError) -> bool {
    let CallError::Refused { source, .. } = error else {
        return false;
    };
    let instead = source.data.as_ref().and_then(|data| data.get("instead"));
    instead.and_then(Value::as_str) == Some("httpUrl")
}

fn needs_login(error: &CallError) -> bool {
    let kind = error.kind();
    matches!(
        kind,
        Some(RefusalKind::LoginRequired | RefusalKind::MissingScopes(_) | RefusalKind::Forbidden)
    )
}

fn of_authorization(error: &OAuthError) -> u8 {
    match &error.fault {
        OAuthFault::Fetch(error) => match error.as_ref() {
            FetchError::Connect { .. }
            | FetchError::Resolve { .. }
            | FetchError::Proxy(_)
            | FetchError::Certificate(_)
            | FetchError::Header { .. }
            | FetchError::Exchange(_) => 3,
            FetchError::Time { .. } | FetchError::TotalTime { .. } => 5,
            _ => AUTHORIZATION,
        },
        OAuthFault::Store(_) => USAGE,
        _ => AUTHORIZATION,
    }
}

fn of_transport(error: &TransportError) -> u8 {
    match error {
        TransportError::Http(HttpError::Authorize(error)) => {
            error.downcast_ref().map_or(AUTHORIZATION, of_authorization)
        }
        TransportError::Http(HttpError::Unauthorized { .. }) => AUTHORIZATION,
        TransportError::Http(HttpError::Status { status, .. })
            if matches!(status.as_u16(), 401 | 403 | 407) =>
        {
            AUTHORIZATION
        }
        _ => 3,
    }
}

fn of_call(error: &CallError) -> u8 {
    match error {
        CallError::Refused { .. } if needs_login(error) => AUTHORIZATION,
        CallError::Timeout { .. } => 5,
        CallError::Task(TaskError::Questions { .. }) => 6,
        CallError::Refused { .. } | CallError::Task(_) => 4,
        CallError::Lost { source, .. } => of_transport(source),
        CallError::Params { .. } => USAGE,
        _ => 6,
    }
}

/// Returns what the user can try.
fn hint(failure: &Failure) -> Option<&'static str> {
    let error = match failure {
        Failure::Authorization(error) => return of_oauth(error),
        Failure::Connect(ConnectError::Call(error)) | Failure::Call(error) => error,
        _ => return None,
    };
    if refers_to_url(error) {
        return Some("`mcp fetch` gets the content by its URL");
    }
    let CallError::Lost { source, .. } = error else {
        return None;
    };
    match source.as_ref() {
        TransportError::Http(HttpError::Unauthorized { .. }) => {
            Some("the server may reject the value of `--header` or `--token-env`")
        }
        TransportError::Http(HttpError::Authorize(error)) => of_oauth(error.downcast_ref()?),
        _ => None,
    }
}

fn of_oauth(error: &OAuthError) -> Option<&'static str> {
    Some(match &error.fault {
        OAuthFault::NotFound(_) => {
            "if the server expects a key or a token, pass it with `--header 'NAME: VALUE'` or \
             `--token-env NAME`; if it supports OAuth without metadata, add `--legacy-oauth`"
        }
        OAuthFault::NoClient(_) | OAuthFault::ClientOfOther { .. } => {
            "name a client that is registered at this authorization server with `--client-id`"
        }
        OAuthFault::Pkce => {
            "if the authorization server supports PKCE, name it with `--assume-pkce`"
        }
        OAuthFault::Fetch(error) => match error.as_ref() {
            FetchError::Address { .. } => "if the host is trusted, add `--allow-private`",
            FetchError::Resolve { .. } => "if only the proxy resolves names, add `--allow-private`",
            _ => return None,
        },
        _ => return None,
    })
}
