//! [`extend`]: adds what a handler lists to a page, as far as the caller may read it.

use std::num::NonZeroUsize;

use mcp_types::Resource;

use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::listed::ListAt;
use crate::features::resources::listed::position::ListedPage;
use crate::features::resources::permitted::are_listed;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// How often a handler is called for one page, if the caller may not read much of what it lists.
const CALLS: usize = 16;

/// Adds what a handler lists to a page, without what the caller may not read. Returns where the
/// handler continues.
///
/// The handler is called again if something was left out, so that the length of a page does not tell
/// how much, and for what follows the page, so that a cursor does not tell of what the caller may not
/// read.
pub(crate) async fn extend(
    page: &mut ListedPage,
    handler: &ListHandler,
    at: ListAt,
    handler_cx: &Context,
    cx: &Context,
    definitions: &ResourceDefinitions,
    is_wanted: impl Fn(&Resource) -> bool,
) -> Result<Option<String>, HandlerError> {
    let mut at = at;
    // Where the list continues, if the caller may read any of what follows.
    let mut after = None;
    for _ in 0..CALLS {
        let listed = handler(at.clone(), handler_cx.clone()).await?;
        let (mut resources, source, next) = listed.into_parts();
        resources.retain(&is_wanted);
        let count = resources.len();
        let permitted = permitted(resources, cx, definitions, &mut page.restricted).await;
        let added = permitted.len();
        if after.is_none() {
            page.extend(permitted, source);
        } else if added > 0 {
            return Ok(after);
        }
        if next.is_none() || !page.restricted {
            return Ok(next);
        }
        let left = at.size.map(|size| size.get().saturating_sub(added));
        let left = left.and_then(NonZeroUsize::new);
        if after.is_none() && (added == count || left.is_none()) {
            after.clone_from(&next);
        }
        at.after = next;
        at.size = left.or(Some(NonZeroUsize::MIN));
    }
    Ok(after.or(at.after))
}

/// Returns the resources that the caller may read. Sets `restricted` if other callers may read other
/// ones.
async fn permitted(
    resources: Vec<Resource>,
    cx: &Context,
    definitions: &ResourceDefinitions,
    restricted: &mut bool,
) -> Vec<Resource> {
    let found = resources
        .iter()
        .map(|resource| definitions.locate_closed(&resource.uri));
    let found: Vec<_> = found.collect();
    if found.iter().all(Option::is_none) {
        return resources;
    }
    *restricted = true;
    let listed = are_listed(&found, cx).await;
    let known = resources.into_iter().zip(listed);
    known
        .filter_map(|(resource, listed)| listed.then_some(resource))
        .collect()
}
