//! `resources/list`: the added resources, then the resources that handlers of templates list; or
//! the members of a collection.

use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::{ListResourcesResult, PaginatedRequestParams, Resource};

use crate::features::catalog::{Definition, ListItem};
use crate::features::list_page::{bad_cursor, next_index, open_cursor, seal_cursor};
use crate::features::resources::catalog::{ResourceCatalog, ResourceDefinitions};
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::listed::{ListedPage, Position, ResourceSource};
use crate::features::resources::permitted;
use crate::features::resources::permitted::{Verdict, verdict};
use crate::features::resources::resolved::AdmittedResources;
use crate::features::resources::scope::Scope;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// Handles the request.
pub(crate) async fn list(
    params: PaginatedRequestParams,
    cx: Context,
    catalog: Arc<ResourceCatalog>,
) -> Result<ListResourcesResult, HandlerError> {
    let cx = cx.with_value(AdmittedResources::default());
    #[cfg(feature = "proposals")]
    let scope = catalog.proposals.scope(&params, &cx)?;
    #[cfg(not(feature = "proposals"))]
    let scope = Scope::default();
    let list = scope.to_bytes();
    let start = match &params.cursor {
        None => Position::Beginning,
        Some(cursor) => open_cursor(cursor, &list, &cx)
            .and_then(|plain| Position::from_bytes(&plain))
            .ok_or_else(|| bad_cursor(ResourceDef::KIND))?,
    };
    #[cfg(feature = "proposals")]
    let (page, hints) = catalog.proposals.page(&scope, start, &cx).await?;
    #[cfg(not(feature = "proposals"))]
    let page = all(&scope, start, &cx, &catalog.definitions).await?;
    #[cfg(not(feature = "proposals"))]
    let hints = catalog.definitions.resources.hints.of(page.restricted);
    let next = page.next;
    let next = next.map(|position| seal_cursor(&position.to_bytes(), &list, &cx));
    let next = next.transpose()?;
    Ok(ResourceDef::page(page.resources, &hints, next))
}

/// Returns one page of all resources: the added ones first, then those of one template after the
/// other.
pub(crate) async fn all(
    scope: &Scope,
    start: Position,
    cx: &Context,
    definitions: &ResourceDefinitions,
) -> Result<ListedPage, HandlerError> {
    let mut page = ListedPage::default();
    // The template to continue with, and the position within it.
    let (mut from, mut within) = (0, None);
    // The position of the next page, if this one is full.
    let mut reached = None;
    match start {
        Position::Beginning | Position::Listed(_) => {
            let from = match start {
                Position::Listed(index) => next_index(index),
                _ => 0,
            };
            let size = definitions
                .resources
                .page_size
                .map_or(usize::MAX, NonZeroUsize::get);
            let slice = permitted::slice(&definitions.resources, from, size, cx).await;
            page.restricted = slice.restricted;
            page.extend(slice.items, ResourceSource::Definition);
            reached = slice.last.map(Position::Listed);
            if slice.more {
                page.next = reached;
                return Ok(page);
            }
        }
        Position::Within(index, position) => {
            from = index;
            within = Some((index, position));
        }
        Position::After(index) => from = next_index(index),
        Position::Member(_) => return Err(bad_cursor(ResourceDef::KIND)),
    }
    while let Some((index, template)) = definitions.lister(from) {
        let remaining = remaining(definitions.resources.page_size, page.resources.len());
        let Ok(size) = remaining else {
            page.next = reached;
            return Ok(page);
        };
        from = next_index(index);
        let access = template.access_rules();
        page.restricted |= !access.is_open();
        if !access.is_listed(cx) {
            continue;
        }
        if let Some(check) = access.check_template(cx)
            && verdict(template.key(), check).await != Verdict::Admitted
        {
            continue;
        }
        let Some(handler) = template.lister() else {
            continue;
        };
        let after = within.take_if(|(at, _)| *at == index);
        let at = scope.list_at(after.map(|(_, position)| position), size);
        // Resources with a definition of their own are already listed.
        let is_other = |resource: &Resource| definitions.resources.get(&resource.uri).is_none();
        let handler_cx = access.scoped(cx);
        let next = permitted::extend(
            &mut page,
            handler,
            at,
            &handler_cx,
            cx,
            definitions,
            is_other,
        );
        let next = next.await?;
        if let Some(position) = next {
            page.next = Some(Position::Within(index, position));
            return Ok(page);
        }
        reached = Some(Position::After(index));
    }
    Ok(page)
}

/// No more resources fit on the page.
struct PageFull;

/// Returns how many more resources fit on the page; `None` without a limit.
fn remaining(size: Option<NonZeroUsize>, listed: usize) -> Result<Option<NonZeroUsize>, PageFull> {
    let Some(size) = size else {
        return Ok(None);
    };
    let left = size.get().saturating_sub(listed);
    NonZeroUsize::new(left).map(Some).ok_or(PageFull)
}
