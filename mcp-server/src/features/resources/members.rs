//! The members of a collection, by SEP-2093: `resources/list` with its URI.

use crate::features::resources::catalog::ResourceCatalog;
use mcp_types::ResourceType;

use crate::features::catalog::Definition;
use crate::features::list_page::bad_cursor;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::position::{ListedPage, Position};
use crate::features::resources::scope::Scope;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// Returns one page of the members.
pub(crate) async fn page(
    uri: &str,
    scope: &Scope,
    start: Position,
    cx: &Context,
    catalog: &ResourceCatalog,
) -> Result<ListedPage, HandlerError> {
    let after = match start {
        Position::Beginning => None,
        Position::Member(position) => Some(position),
        _ => return Err(bad_cursor(ResourceDef::KIND)),
    };
    let found = catalog.find(cx, uri).await?;
    // A template may match URIs of documents and collections. `describe` also reports resources
    // that do not exist.
    if found.describe(cx).await?.resource_type == Some(ResourceType::Document) {
        return Err(HandlerError::not_a_collection(uri));
    }
    let at = scope.list_at(after, catalog.page_size());
    let listed = found.list(at, cx).await?;
    let (resources, source, next) = listed.into_parts();
    let mut page = ListedPage {
        next: next.map(Position::Member),
        // Not `restricted`: the members of a collection may depend on the caller anyway.
        ..ListedPage::default()
    };
    page.extend(resources, source);
    Ok(page)
}
