//! Requests of the proposals about resources.

mod metadata;
mod versions;

use mcp_types::Proposal;

use crate::client::handle::Client;
use crate::protocol::error::CallError;

impl Client {
    /// Fails unless both sides announced a proposal that a request needs.
    fn require_proposal(&self, proposal: Proposal, method: &'static str) -> Result<(), CallError> {
        if self.negotiated(proposal) {
            return Ok(());
        }
        Err(CallError::NotNegotiated { method, proposal })
    }
}
