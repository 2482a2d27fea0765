//! The members of a collection, by SEP-2093: `resources/list` with its URI.

use mcp_types::ResourceType;

use crate::features::catalog::Definition;
use crate::features::list_page::bad_cursor;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::handlers::ListHandler;
use crate::features::resources::listed::{ListAt, ListedPage, Position, ResourcePage};
use crate::features::resources::permitted;
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::resources::scope::Scope;
use crate::proposals::resources::Resources;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

impl AuthorizedResource {
    /// Returns the members of the collection, also those that the caller may not read.
    pub(crate) async fn list(
        &self,
        at: ListAt,
        cx: &Context,
    ) -> Result<ResourcePage, HandlerError> {
        let (handler, at) = self.lister(at)?;
        handler(at, self.context(cx)).await
    }

    /// Returns the handler that lists the members, and its params.
    fn lister(&self, at: ListAt) -> Result<(&ListHandler, ListAt), HandlerError> {
        let Some(lister) = self.0.definition.lister() else {
            return Err(HandlerError::not_a_collection(&self.0.uri));
        };
        let at = ListAt {
            collection: Some(self.0.uri.clone()),
            variables: self.0.variables.clone(),
            ..at
        };
        Ok((lister, at))
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
    let (handler, at) =
        found.lister(scope.list_at(after, catalog.definitions.resources.page_size))?;
    // Not `restricted` by the collection: its members may depend on the caller anyway.
    let mut page = ListedPage::default();
    let handler_cx = found.context(cx);
    let next = permitted::extend(
        &mut page,
        handler,
        at,
        &handler_cx,
        cx,
        &catalog.definitions,
        |_| true,
    );
    page.next = next.await?.map(Position::Member);
    Ok(page)
}
