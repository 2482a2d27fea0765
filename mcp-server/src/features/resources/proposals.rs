//! [`ResourceProposals`]: what proposals add to resources.

use std::pin::Pin;
use std::sync::Arc;

use mcp_types::{ContentBlock, PaginatedRequestParams, ReadResourceResult};

use crate::features::catalog::CacheHints;
use crate::features::resources::listed::{ListedPage, Position};
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::resources::scope::Scope;
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::handler_error::HandlerError;

/// The future of a method of [`ResourceProposals`].
pub(crate) type ProposalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What the enabled proposals add to resources. Implemented in `proposals/`.
pub(crate) trait ResourceProposals: Send + Sync {
    /// Adds the routes of the proposals that the program opted into.
    fn register(self: Arc<Self>, registry: &mut Registry);

    /// Reads the params of `resources/list` other than the cursor.
    fn scope(&self, params: &PaginatedRequestParams, cx: &Context) -> Result<Scope, HandlerError>;

    /// Returns a page of resources as the client may see them, and its caching hints.
    fn page<'a>(
        &'a self,
        scope: &'a Scope,
        start: Position,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<(ListedPage, CacheHints), HandlerError>>;

    /// Reads a resource. The contents have the metadata that the client may see.
    fn read<'a>(
        &'a self,
        found: &'a AuthorizedResource,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<ReadResourceResult, HandlerError>>;

    /// Completes resources in the result of a tool or prompt, and removes what the client must not
    /// see.
    fn finish_blocks<'a>(
        &'a self,
        blocks: Vec<&'a mut ContentBlock>,
        cx: &'a Context,
    ) -> ProposalFuture<'a, ()>;

    /// Returns a resource that changed, with its version.
    fn current_resource<'a>(
        &'a self,
        found: &'a AuthorizedResource,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<mcp_types::Resource, HandlerError>>;
}
