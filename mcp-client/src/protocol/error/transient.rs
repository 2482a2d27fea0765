//! Which errors may be gone when the same request is sent again.

use std::time::Duration;

#[cfg(feature = "http")]
use super::HttpError;
use super::{CallError, ConnectError, RefusalKind, TransportError};

impl CallError {
    /// Returns `true` if the same call may succeed later without any change: the server or the caller
    /// has [too much to do](RefusalKind::Busy), a proxy could not reach the server (HTTP status 502,
    /// 503 or 504), the connection failed, or the response did not arrive in time.
    ///
    /// The server may have executed the call nevertheless. Only a call whose repetition does no harm
    /// can be sent again.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_client::{CallError, Client, RefusalKind};
    ///
    /// async fn read(client: &Client) -> Result<String, CallError> {
    ///     for _ in 0..3 {
    ///         match client.read_resource("notes://today").await {
    ///             Ok(note) => return Ok(note.text()),
    ///             Err(error) if error.is_transient() => {
    ///                 let pause = match error.kind() {
    ///                     Some(RefusalKind::Busy(Some(time))) => time,
    ///                     _ => Duration::from_secs(1),
    ///                 };
    ///                 tokio::time::sleep(pause.min(Duration::from_secs(60))).await;
    ///             }
    ///             Err(error) => return Err(error),
    ///         }
    ///     }
    ///     Ok(client.read_resource("notes://today").await?.text())
    /// }
    /// ```
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::Ended { .. } => true,
            Self::Lost { source, .. } => source.is_transient(),
            Self::Refused { transport, .. } => {
                let response = transport.as_ref();
                matches!(self.kind(), Some(RefusalKind::Busy(_)))
                    || response.is_some_and(|response| response.is_transient())
            }
            _ => false,
        }
    }

    /// Returns the time after which the server can be asked again, if it names one.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self.kind()? {
            RefusalKind::Busy(time) => time,
            _ => None,
        }
    }
}

impl TransportError {
    /// Returns `true` if the same request may succeed later, perhaps on another connection.
    fn is_transient(&self) -> bool {
        match self {
            Self::Io(_) | Self::Exited { .. } => true,
            #[cfg(feature = "http")]
            Self::Http(error) => error.is_transient(),
            #[cfg(feature = "http")]
            Self::Session { source } => source.is_transient(),
            Self::Restarted { source } => source.is_transient(),
            _ => false,
        }
    }
}

impl ConnectError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Transport(error) => error.is_transient(),
            Self::Call(error) => error.is_transient(),
            _ => false,
        }
    }
}

#[cfg(feature = "http")]
impl HttpError {
    /// Returns `true` if the same request may succeed later. 502 and 504 are the answers of a proxy
    /// that did not get one from the server.
    fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status.as_u16(), 429 | 502 | 503 | 504),
            Self::NoAnswer => true,
            _ => self.is_connection_failure(),
        }
    }
}
