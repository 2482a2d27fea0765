//! Annotations of embedded resources, which SEP-2093 moves into the resource.

use std::any::Any;

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult};

/// Copies the annotations of embedded resources in a result to where other servers put them, beside
/// the resource. Annotations that are already there stay.
pub(crate) fn copy_annotations(result: &mut dyn Any) {
    if let Some(result) = result.downcast_mut::<CallToolResult>() {
        result.content.iter_mut().for_each(block);
    } else if let Some(result) = result.downcast_mut::<GetPromptResult>() {
        let contents = result.messages.iter_mut();
        contents.for_each(|message| block(&mut message.content));
    }
}

fn block(content: &mut ContentBlock) {
    if let ContentBlock::Resource(embedded) = content
        && embedded.annotations.is_none()
    {
        embedded.annotations = embedded.effective_annotations().cloned();
    }
}
