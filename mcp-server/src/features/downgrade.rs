//! Rewrites results that a client's revision cannot express.

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult, Revision};

use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::core::Context;

/// Rewrites a tool's result for the client's revision, without what the client must not see.
/// Content of a kind that the revision does not have becomes text when the result is encoded.
pub(crate) async fn tool_result(
    mut result: CallToolResult,
    cx: &Context,
    resources: &ResourceCatalog,
) -> CallToolResult {
    if cx.revision() < Revision::V2026_07_28 {
        // Before this revision it had to be an object. The text content is equivalent.
        result.structured_content = result
            .structured_content
            .filter(|value| value.as_object().is_some());
    }
    finish_content(result.content.iter_mut().collect(), cx, resources).await;
    result
}

/// Completes a prompt, without what the client must not see.
pub(crate) async fn prompt(
    mut result: GetPromptResult,
    cx: &Context,
    resources: &ResourceCatalog,
) -> GetPromptResult {
    let messages = result.messages.iter_mut();
    let blocks = messages.map(|message| &mut message.content).collect();
    finish_content(blocks, cx, resources).await;
    result
}

/// Completes content, and removes what the client must not see. Only proposals do either.
fn finish_content<'a>(
    blocks: Vec<&'a mut ContentBlock>,
    cx: &'a Context,
    resources: &'a ResourceCatalog,
) -> impl Future<Output = ()> + 'a {
    #[cfg(feature = "proposals")]
    return resources.proposals.finish_blocks(blocks, cx);
    #[cfg(not(feature = "proposals"))]
    {
        let _ = (blocks, cx, resources);
        std::future::ready(())
    }
}
