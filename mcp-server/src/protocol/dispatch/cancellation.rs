//! [`Cancellation`]: what `notifications/cancelled` says.

use mcp_types::RequestId;
use mcp_types::error::DecodeError;

use crate::protocol::message::raw_object::{FromMembers, RawObject};

/// The maximum size of the reason of a cancellation in bytes. The rest is cut off.
const REASON_BYTES: usize = 1024;

/// The cancellation of a request by the client.
#[derive(Clone)]
pub(crate) struct Cancellation {
    pub(crate) id: RequestId,
    /// The reason that the client gave, of at most [`REASON_BYTES`].
    pub(crate) reason: Option<String>,
}

impl FromMembers for Cancellation {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        let mut reason: Option<String> = members.optional("reason")?;
        if let Some(reason) = &mut reason {
            let mut ends = (0..=REASON_BYTES.min(reason.len())).rev();
            let end = ends.find(|end| reason.is_char_boundary(*end));
            reason.truncate(end.unwrap_or_default());
            reason.shrink_to_fit();
        }
        Ok(Self {
            id: members.required("requestId")?,
            reason,
        })
    }
}
