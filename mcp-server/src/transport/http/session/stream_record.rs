//! [`StreamRecord`]: what a stored stream is for, so that another process can continue it.

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;
use serde::{Deserialize, Serialize};

use crate::protocol::error::rejection::Rejection;
use crate::protocol::message::Answer;

/// What a stream is for, as JSON text. Other members are ignored.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StreamRecord {
    /// The requests that the stream will answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requests: Vec<RequestId>,
    /// Whether it is the stream for notifications of a session (of GET).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_for_announcements: bool,
}

impl StreamRecord {
    pub(crate) fn of_requests(requests: Vec<RequestId>) -> Self {
        Self {
            requests,
            is_for_announcements: false,
        }
    }

    pub(crate) fn of_announcements() -> Self {
        Self {
            is_for_announcements: true,
            ..Self::default()
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Encoding ids and a flag does not fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Decodes a record. One of another release that cannot be read is for nothing that is known.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// Returns the message that answers the requests of a stream whose process has ended; `None` if
    /// the stream answers none.
    pub(crate) fn lost(&self) -> Option<Vec<u8>> {
        let error = ErrorObject::internal_error("the process that served the request has ended");
        let answer = |id| Answer::error(Some(id), &error, Rejection::Malformed).message;
        match &self.requests[..] {
            [] => None,
            [id] => Some(answer(id)),
            ids => {
                let answers: Vec<_> = ids.iter().map(answer).collect();
                Some([&b"["[..], &answers.join(&b','), b"]"].concat())
            }
        }
    }
}
