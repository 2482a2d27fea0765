//! [`TaskError`]: errors of tasks.

use std::time::Duration;

use mcp_types::peer_text::PeerText;
use mcp_types::rpc::ErrorObject;

/// Why a task has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The task was cancelled, by this client or by another party.
    #[error("the task was cancelled{}", reason(message.as_deref()))]
    Cancelled {
        /// The message of the server.
        message: Option<String>,
    },
    /// The server does not have the task, or not any more: -32602.
    #[error("the server does not have the task: {source}")]
    Unknown {
        /// The error of the server.
        source: ErrorObject,
    },
    /// The task did not end within the time for which the server keeps it.
    #[error("the task did not end within {ttl:?}, for which the server keeps it")]
    Expired {
        /// The time.
        ttl: Duration,
    },
    /// The task asked more questions than the client answers in one.
    #[error("the task asked more than {limit} questions, or with too long keys")]
    Questions {
        /// The limit on their number.
        limit: usize,
    },
}

fn reason(message: Option<&str>) -> String {
    message.map_or_else(String::new, |message| format!(": {}", PeerText(message)))
}
