//! Resources: `resources/list`, `resources/templates/list` and `resources/read`.

pub(crate) mod catalog;
pub(crate) mod contents;
pub(crate) mod defined;
pub(crate) mod definition;
pub(crate) mod described;
pub(crate) mod handlers;
pub(crate) mod listed;
pub(crate) mod pages;
pub(crate) mod permitted;
#[cfg(feature = "proposals")]
pub(crate) mod proposals;
pub(crate) mod request;
pub(crate) mod resolved;
pub(crate) mod scope;
pub(crate) mod templates;

use std::sync::Arc;

use mcp_types::{
    ListResourceTemplatesRequest, ListResourcesRequest, ReadResourceRequest, ReadResourceResult,
    Request, ResourcesCapability,
};

use crate::features::asking;
use crate::features::catalog::List;
use crate::features::list_page::{PageParams, PageStart};
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::permitted::GuardedItem;
use crate::features::resources::resolved::AdmittedResources;
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::route::members;
use crate::protocol::error::handler_error::HandlerError;

/// Registers the methods of resources and resource templates.
pub(crate) fn register(registry: &mut Registry, resources: &Arc<ResourceCatalog>) {
    let methods = [
        ListResourcesRequest::METHOD,
        ListResourceTemplatesRequest::METHOD,
        ReadResourceRequest::METHOD,
    ];
    let declared = registry.about.capabilities.resources.is_some();
    if !registry.is_served(!resources.definitions.is_empty(), declared, &methods) {
        return;
    }
    let capability = &mut registry.about.capabilities.resources;
    capability.get_or_insert_with(|| {
        ResourcesCapability::new()
            .list_changed(true)
            .subscribe(true)
    });
    let listed = Arc::clone(resources);
    registry.handle::<ListResourcesRequest, _>(move |params, cx| {
        pages::list(params, cx, Arc::clone(&listed))
    });
    let templates = Arc::clone(&resources.definitions.templates);
    registry.serve(ListResourceTemplatesRequest::METHOD, move |part, cx| {
        let list = Arc::clone(&templates);
        async move { list_permitted(&list, &part, &cx).await }
    });
    let read_from = Arc::clone(resources);
    asking::serve_read(
        registry,
        ReadResourceRequest::METHOD,
        |_| true,
        |params, cx| members(params, cx, |members| members.required("uri")),
        move |params, cx| read(params, cx, Arc::clone(&read_from)),
    );
    #[cfg(feature = "proposals")]
    Arc::clone(&resources.proposals).register(registry);
}

/// Returns a page of the definitions that the caller may read.
async fn list_permitted<T: GuardedItem>(
    list: &List<T>,
    params: &PageParams,
    cx: &Context,
) -> Result<T::Page, HandlerError> {
    let start = PageStart::read(list, params, cx)?;
    let slice = permitted::slice(list, start.from, start.size, cx).await;
    PageStart::finish(list, slice, cx)
}

async fn read(
    uri: String,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<ReadResourceResult, HandlerError> {
    let cx = cx.with_value(AdmittedResources::default());
    let found = resources.definitions.find(&cx, &uri).await?;
    #[cfg(feature = "proposals")]
    let result = resources.proposals.read(&found, &cx).await;
    #[cfg(not(feature = "proposals"))]
    let result = found.contents(None, &cx).await.map(|contents| {
        let hints = found.hints(&contents, |uri| {
            resources.definitions.locate_closed(uri).is_some()
        });
        ReadResourceResult::new(contents, hints.ttl_ms, hints.scope)
    });
    result
}
