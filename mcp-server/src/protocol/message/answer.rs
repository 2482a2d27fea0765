//! [`Answer`]: a response message.

use mcp_types::RequestId;
use mcp_types::rpc::{self, ErrorObject};

use crate::protocol::error::rejection::Rejection;

/// A response message and what it means for a transport with status codes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Vec<u8>,
    pub(crate) refused: Option<Rejection>,
}

impl Answer {
    pub(crate) fn error(id: Option<&RequestId>, error: &ErrorObject, refused: Rejection) -> Self {
        Self {
            message: error_message(id, error),
            refused: Some(refused),
        }
    }
}

/// Writes the response with an error.
pub(crate) fn error_message(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    let mut message = Vec::with_capacity(128);
    if rpc::write_error(&mut message, id, error).is_err() {
        // Only data that is not JSON can fail. The error is useful without it.
        let plain = ErrorObject::new(error.code, error.message.clone());
        message.clear();
        let _ = rpc::write_error(&mut message, id, &plain);
    }
    message
}
