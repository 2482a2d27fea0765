//! Connects the proposals with the feature of resources: [`ResourceProposals`] for [`Resources`].

pub(crate) mod describing;

use std::sync::Arc;

use mcp_types::uri::canonical;
use mcp_types::{
    AnyResourceContents, ContentBlock, GetResourceRequest, PaginatedRequestParams, Proposal,
    ReadResourceMetadataRequest, ReadResourceResult, Request as _,
};

use crate::features::catalog::CacheHints;
use crate::features::resources::listed::filter::ResourceFilter;
use crate::features::resources::listed::{ListedPage, Position};
use crate::features::resources::pages;
use crate::features::resources::proposals::{ProposalFuture, ResourceProposals};
use crate::features::resources::resolved::AuthorizedResource;
use crate::features::resources::scope::Scope;
use crate::proposals::resources::blocks::finish_blocks;
use crate::proposals::resources::describe_listed::describe_listed;
use crate::proposals::resources::finish::{finish_listed, withhold_of_contents};
use crate::proposals::resources::{Resources, urls};
use crate::proposals::sep_2093::{members, metadata};
use crate::proposals::versioned_resources::get;
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::HandlerError;

impl ResourceProposals for Resources {
    fn register(self: Arc<Self>, registry: &mut Registry) {
        if registry.offers(Proposal::Sep2093) {
            let described = Arc::clone(&self);
            registry.handle::<ReadResourceMetadataRequest, _>(move |params, cx| {
                metadata::metadata(params, cx, Arc::clone(&described))
            });
        }
        if registry.offers(Proposal::VersionedResources) {
            registry.handle::<GetResourceRequest, _>(move |params, cx| {
                get::get(params, cx, Arc::clone(&self))
            });
        }
    }

    fn scope(&self, params: &PaginatedRequestParams, cx: &Context) -> Result<Scope, HandlerError> {
        let mut scope = Scope::default();
        if cx.offered(Proposal::Sep2093) {
            scope.collection = params.uri.as_deref().map(|uri| canonical(uri).into_owned());
        }
        if cx.offered(Proposal::VersionedResources)
            && let Some(filter) = &params.filter
        {
            let criteria = ResourceFilter::read(filter)?;
            scope.filter = criteria.canonical_text();
            scope.criteria = Some(criteria);
        }
        Ok(scope)
    }

    fn page<'a>(
        &'a self,
        scope: &'a Scope,
        start: Position,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<(ListedPage, CacheHints), HandlerError>> {
        Box::pin(async move {
            let mut page = match &scope.collection {
                Some(collection) => members::page(collection, scope, start, cx, self).await?,
                None => pages::all(scope, start, cx, &self.definitions).await?,
            };
            let listed = describe_listed(&mut page, cx, self).await.into_iter();
            // A page examines as many resources as fit on it, so it may be short, or empty although
            // another page follows. The cost of a request is limited whatever the filter is.
            let listed = listed.filter(|listed| {
                let criteria = scope.criteria.as_ref();
                criteria.is_none_or(|criteria| criteria.matches(&listed.resource))
            });
            let finished = listed.map(|listed| finish_listed(listed, cx, self));
            page.resources = finished.collect();
            let hints = self.definitions.resources.hints.of(page.restricted);
            let hints = urls::hints(hints, page.resources.iter().filter_map(urls::expiry), self);
            Ok((page, hints))
        })
    }

    fn read<'a>(
        &'a self,
        found: &'a AuthorizedResource,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<ReadResourceResult, HandlerError>> {
        Box::pin(async move {
            let contents = contents(found, cx, self).await?;
            let hints = found.hints(&contents, |uri| {
                self.definitions.locate_closed(uri).is_some()
            });
            let hints = urls::hints(
                hints,
                contents.iter().filter_map(urls::expiry_of_contents),
                self,
            );
            Ok(ReadResourceResult::new(contents, hints.ttl_ms, hints.scope))
        })
    }

    fn finish_blocks<'a>(
        &'a self,
        blocks: Vec<&'a mut ContentBlock>,
        cx: &'a Context,
    ) -> ProposalFuture<'a, ()> {
        Box::pin(finish_blocks(blocks, cx, self))
    }

    fn current_resource<'a>(
        &'a self,
        found: &'a AuthorizedResource,
        cx: &'a Context,
    ) -> ProposalFuture<'a, Result<mcp_types::Resource, HandlerError>> {
        Box::pin(get::current_resource(found, cx, self))
    }
}

/// Reads a resource and returns its contents as the client may see them.
async fn contents(
    found: &AuthorizedResource,
    cx: &Context,
    resources: &Resources,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    if cx.offered(Proposal::Sep2093) {
        return metadata::read(found, cx, resources).await;
    }
    let mut contents = found.read(cx).await?;
    for contents in &mut contents {
        withhold_of_contents(contents, cx);
    }
    Ok(contents)
}

/// Returns the requests of proposals that a server with resources must handle and does not,
/// because the application handles resources itself.
pub(crate) fn unhandled(registry: &Registry) -> Vec<BuildError> {
    let required = [
        (Proposal::Sep2093, ReadResourceMetadataRequest::METHOD),
        (Proposal::VersionedResources, GetResourceRequest::METHOD),
    ];
    let has_resources = registry.about.capabilities.resources.is_some();
    let missing = required.iter().filter(|(proposal, method)| {
        has_resources && registry.offers(*proposal) && !registry.has_route(method)
    });
    let error = |&(proposal, method): &(Proposal, _)| BuildError::MissingHandler {
        proposal: proposal.as_str(),
        method,
    };
    missing.map(error).collect()
}
