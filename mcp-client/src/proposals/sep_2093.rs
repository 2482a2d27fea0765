//! Annotations of embedded resources, which SEP-2093 moves into the resource.

use std::any::Any;

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult};

/// Shows annotations also where programs have looked for them so far: beside the resource. What
/// a server sent there stays.
pub(crate) fn settle(result: &mut dyn Any) {
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
