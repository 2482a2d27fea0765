//! [`ResourceParams`]: params with the URI of a resource.

use mcp_types::error::DecodeError;

use crate::protocol::raw_object::{FromMembers, RawObject};

/// The params of `resources/read` and of other requests with a URI.
pub(crate) struct ResourceParams(pub(crate) String);

impl FromMembers for ResourceParams {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        members.required("uri").map(Self)
    }
}
