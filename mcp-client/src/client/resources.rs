//! Requests of the proposals about resources.

#[cfg(feature = "sep-2093")]
mod metadata;
#[cfg(feature = "versioned-resources")]
mod versions;

use mcp_types::Proposal;

use crate::client::handle::Client;
use crate::protocol::error::CallError;

impl Client {
    /// Fails where a proposal is not spoken that a request needs to mean what it says.
    fn needs(&self, proposal: Proposal, method: &'static str) -> Result<(), CallError> {
        if self.negotiated(proposal) {
            return Ok(());
        }
        Err(CallError::NotNegotiated { method, proposal })
    }
}
