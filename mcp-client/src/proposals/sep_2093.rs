//! The proposal `sep-2093`: annotations of embedded resources are members of the resource.

use std::any::Any;

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult};

/// Copies the annotations of embedded resources in a result to the place where other servers send
/// them, beside the resource. Existing annotations are kept.
pub(crate) fn copy_annotations(result: &mut dyn Any) {
    if let Some(result) = result.downcast_mut::<CallToolResult>() {
        result.content.iter_mut().for_each(copy_block);
    } else if let Some(result) = result.downcast_mut::<GetPromptResult>() {
        let contents = result.messages.iter_mut();
        contents.for_each(|message| copy_block(&mut message.content));
    }
}

fn copy_block(content: &mut ContentBlock) {
    if let ContentBlock::Resource(embedded) = content
        && embedded.annotations.is_none()
    {
        embedded.annotations = embedded.effective_annotations().cloned();
    }
}
