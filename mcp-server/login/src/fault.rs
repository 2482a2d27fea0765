//! [`Fault`]: what fails on the side of this server.

use mcp_oauth::NoRandom;
use mcp_server::{SealError, StoreError};

/// What fails on the side of this server. The texts are for the log, and contain no secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the store of the server failed")]
    Store(#[from] StoreError),
    #[error("a value cannot be sealed")]
    Seal(#[from] SealError),
    #[error(transparent)]
    Random(#[from] NoRandom),
    #[error("a value cannot be encoded")]
    Encode(#[source] serde_json::Error),
    #[error("a value is too large for a cookie")]
    Cookie,
    #[error("a user has too many logins that are not finished")]
    TooManyLogins,
    #[error("a session changes too often")]
    Contended,
}
