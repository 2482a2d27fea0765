//! The members of a collection, by SEP-2093: `resources/list` with its URI.

use mcp_types::ResourceType;

use crate::features::catalog::Definition;
use crate::features::list_page::bad_cursor;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::listed::position::{ListedPage, Position};
use crate::features::resources::listed::{ListAt, ResourcePage};
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::resources::scope::Scope;
use crate::proposals::resources::state::Resources;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl AuthorizedResource {
    /// Returns the members of the collection.
    pub(crate) async fn list(
        &self,
        at: ListAt,
        cx: &Context,
    ) -> Result<ResourcePage, HandlerError> {
        let Some(lister) = self.0.definition.lister() else {
            return Err(HandlerError::not_a_collection(&self.0.uri));
        };
        let at = ListAt {
            collection: Some(self.0.uri.clone()),
            variables: self.0.variables.clone(),
            ..at
        };
        lister(at, self.context(cx)).await
    }
}

/// Returns one page of the members.
pub(crate) async fn page(
    uri: &str,
    scope: &Scope,
    start: Position,
    cx: &Context,
    catalog: &Resources,
) -> Result<ListedPage, HandlerError> {
    let after = match start {
        Position::Beginning => None,
        Position::Member(position) => Some(position),
        _ => return Err(bad_cursor(ResourceDef::KIND)),
    };
    let found = catalog.definitions.find(cx, uri).await?;
    // A template may match URIs of documents and collections. `describe` also reports resources
    // that do not exist.
    if found.describe(cx).await?.resource_type == Some(ResourceType::Document) {
        return Err(HandlerError::not_a_collection(uri));
    }
    let at = scope.list_at(after, catalog.definitions.page_size());
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
