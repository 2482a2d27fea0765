//! The proposal `sep-2093`: annotations of embedded resources are members of the resource.

use mcp_types::{ContentBlock, Proposal};

use crate::features::inspect::KnownResult;
use crate::features::proposals::ResourceProposals;
use crate::protocol::connection::Connection;

/// Where the annotations of embedded resources are.
pub(crate) struct Annotations;

impl ResourceProposals for Annotations {
    fn adapt_result(&self, result: KnownResult<'_>, connection: &Connection) {
        if connection.proposals.contains(&Proposal::Sep2093) {
            copy_annotations(result);
        }
    }
}

/// Copies the annotations of embedded resources in a result to the place where other servers send
/// them, beside the resource. Existing annotations are kept.
fn copy_annotations(result: KnownResult<'_>) {
    match result {
        KnownResult::CallTool(result) => result.content.iter_mut().for_each(copy_block),
        KnownResult::GetPrompt(result) => result
            .messages
            .iter_mut()
            .for_each(|message| copy_block(&mut message.content)),
        KnownResult::ListTools(_) | KnownResult::Other => {}
    }
}

fn copy_block(content: &mut ContentBlock) {
    if let ContentBlock::Resource(embedded) = content
        && embedded.annotations.is_none()
    {
        embedded.annotations = embedded.effective_annotations().cloned();
    }
}
