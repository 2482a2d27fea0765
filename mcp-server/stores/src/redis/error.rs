//! [`RedisError`]: why no connection to Redis was made.

use std::error::Error;

use mcp_server::StoreError;
use mcp_server::types::peer_text::{PeerDisplay, PeerText};
use redis::ErrorKind;

/// The error of [`Redis::connect`](super::Redis::connect). It never contains the password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedisError {
    /// The URL cannot be used. It is not shown, because it may contain a password.
    #[error(
        "invalid URL of a Redis server: expected \
         `redis://[[user]:password@]host[:port][/database]`, or `rediss://` with the feature \
         `redis-tls`"
    )]
    Url,
    /// The prefix of the keys cannot be used.
    #[error("invalid prefix of keys: expected at most 128 bytes, found {0}")]
    Prefix(usize),
    /// The server rejected the user name or the password, or requires them.
    #[error("the Redis server rejected the user name or the password")]
    Authentication,
    /// The server is a part of a cluster. A store needs one server, because an operation changes
    /// several keys at once.
    #[error("the Redis server runs in cluster mode, which is not supported: use a single primary")]
    Cluster,
    /// The server is a replica, which does not accept writes.
    #[error("the Redis server is a replica: use the primary")]
    Replica,
    /// The server is too old.
    #[error("the Redis server is too old: expected version 6.2 or newer")]
    Version,
    /// The server cannot be reached, or reports an error.
    #[error("cannot connect to the Redis server")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

/// The text of a client's error without what the server says, which may contain values and
/// passwords.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Reason(String);

impl Reason {
    pub(super) fn of(error: &redis::RedisError) -> Self {
        // Codes, and certificates in errors of TLS, are texts of the server.
        Self(match (error.kind(), error.code()) {
            (ErrorKind::Io, _) => format!("cannot reach the Redis server: {}", PeerDisplay(error)),
            (_, Some(code)) => format!("the Redis server returned the error {}", PeerText(code)),
            _ => format!("the Redis client failed: {}", error.category()),
        })
    }
}

/// Converts the error of an operation.
pub(super) fn store_error(error: &redis::RedisError) -> StoreError {
    StoreError::failed(Reason::of(error))
}

impl From<redis::RedisError> for RedisError {
    fn from(error: redis::RedisError) -> Self {
        match (error.kind(), error.code()) {
            (ErrorKind::AuthenticationFailed, _) | (_, Some("WRONGPASS" | "NOAUTH")) => {
                Self::Authentication
            }
            (ErrorKind::RESP3NotSupported, _) => Self::Version,
            (ErrorKind::InvalidClientConfig, _) => Self::Url,
            _ => Self::Failed(Reason::of(&error).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_the_server_is_escaped_and_short() {
        let code = format!("\u{1b}[2J{}", "x".repeat(10_000));
        let error = redis::make_extension_error(code, None);
        let shown = Reason::of(&error).to_string();
        assert!(!shown.contains('\u{1b}') && shown.len() < 1_000, "{shown}");
    }
}
