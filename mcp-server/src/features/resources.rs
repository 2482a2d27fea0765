//! Resources: `resources/list`, `resources/templates/list` and `resources/read`.

#[cfg(feature = "_proposals")]
pub(crate) mod blocks;
pub(crate) mod body;
pub(crate) mod catalog;
#[cfg(any(feature = "https-url", feature = "versioned-resources"))]
pub(crate) mod collection;
#[cfg(feature = "versioned-resources")]
pub(crate) mod content_version;
pub(crate) mod contents;
pub(crate) mod defined;
pub(crate) mod definition;
#[cfg(feature = "_proposals")]
pub(crate) mod describe_listed;
pub(crate) mod described;
#[cfg(feature = "versioned-resources")]
pub(crate) mod filter;
#[cfg(feature = "_proposals")]
pub(crate) mod finish;
#[cfg(feature = "https-url")]
pub(crate) mod fixed_body;
pub(crate) mod fixed_contents;
#[cfg(feature = "versioned-resources")]
pub(crate) mod get;
pub(crate) mod handlers;
#[cfg(feature = "pagination")]
pub(crate) mod listed;
#[cfg(feature = "sep-2093")]
pub(crate) mod member_metadata;
#[cfg(feature = "sep-2093")]
pub(crate) mod members;
#[cfg(feature = "sep-2093")]
pub(crate) mod metadata;
#[cfg(feature = "_proposals")]
pub(crate) mod metadata_view;
#[cfg(feature = "pagination")]
pub(crate) mod pages;
pub(crate) mod params;
#[cfg(feature = "pagination")]
pub(crate) mod position;
#[cfg(feature = "https-url")]
pub(crate) mod presigned;
pub(crate) mod request;
pub(crate) mod resolved;
#[cfg(feature = "sep-2093")]
pub(crate) mod rules;
#[cfg(feature = "pagination")]
pub(crate) mod scope;
#[cfg(feature = "https-url")]
pub(crate) mod stream;
#[cfg(feature = "templates")]
pub(crate) mod templates;
#[cfg(not(feature = "templates"))]
pub(crate) mod untemplated;
#[cfg(feature = "https-url")]
pub(crate) mod urls;
#[cfg(any(feature = "pagination", feature = "templates"))]
pub(crate) mod variables;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versioned;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versions;

use std::sync::Arc;

use mcp_types::{
    AnyResourceContents, ListResourceTemplatesRequest, ListResourcesRequest, ReadResourceRequest,
    ReadResourceResult, Request, ResourcesCapability,
};

use crate::features::asking;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::params::ResourceParams;
use crate::features::resources::resolved::CheckedResource;
#[cfg(not(feature = "templates"))]
use crate::features::resources::untemplated as templates;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;
use crate::protocol::registry::Registry;
use crate::protocol::route::common;

/// Registers the methods of resources and resource templates.
pub(crate) fn register(registry: &mut Registry, resources: &Arc<ResourceCatalog>) {
    let methods = [
        ListResourcesRequest::METHOD,
        ListResourceTemplatesRequest::METHOD,
        ReadResourceRequest::METHOD,
    ];
    let declared = registry.capabilities.resources.is_some();
    if !registry.is_served(!resources.is_empty(), declared, &methods) {
        return;
    }
    let capability = &mut registry.capabilities.resources;
    capability.get_or_insert_with(|| {
        ResourcesCapability::new()
            .list_changed(true)
            .subscribe(true)
    });
    let listed = Arc::clone(resources);
    #[cfg(feature = "pagination")]
    registry.handle::<ListResourcesRequest, _>(move |params, cx| {
        pages::list(params, cx, Arc::clone(&listed))
    });
    #[cfg(not(feature = "pagination"))]
    registry.serve(ListResourcesRequest::METHOD, move |part, cx| {
        std::future::ready(crate::features::list_page::list(
            &listed.resources,
            &part,
            &cx,
        ))
    });
    templates::register(registry, resources);
    let read_from = Arc::clone(resources);
    asking::serve_read(
        registry,
        ReadResourceRequest::METHOD,
        |_| true,
        common,
        move |params, cx| read(params, cx, Arc::clone(&read_from)),
    );
    #[cfg(feature = "sep-2093")]
    if registry.offers(mcp_types::Proposal::Sep2093) {
        let described = Arc::clone(resources);
        registry.handle::<mcp_types::ReadResourceMetadataRequest, _>(move |params, cx| {
            metadata::metadata(params, cx, Arc::clone(&described))
        });
    }
    #[cfg(feature = "versioned-resources")]
    if registry.offers(mcp_types::Proposal::VersionedResources) {
        let versioned = Arc::clone(resources);
        registry.handle::<mcp_types::GetResourceRequest, _>(move |params, cx| {
            get::get(params, cx, Arc::clone(&versioned))
        });
    }
}

async fn read(
    ResourceParams(uri): ResourceParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<ReadResourceResult, HandlerError> {
    let found = resources.find(&cx, &uri).await?;
    let contents = contents(&found, &cx, &resources).await?;
    let hints = found.hints();
    #[cfg(feature = "https-url")]
    let hints = &urls::hints(hints, contents.iter().filter_map(url_expiry), &resources);
    Ok(ReadResourceResult::new(contents, hints.ttl_ms, hints.scope))
}

/// Reads a resource and returns its contents as the client may see them.
async fn contents(
    found: &CheckedResource,
    cx: &Context,
    #[cfg_attr(
        not(feature = "sep-2093"),
        expect(unused_variables, reason = "only SEP-2093 adds metadata")
    )]
    resources: &ResourceCatalog,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    #[cfg(feature = "sep-2093")]
    if cx.offered(mcp_types::Proposal::Sep2093) {
        return metadata::read(found, cx, resources).await;
    }
    #[cfg_attr(
        not(feature = "_proposals"),
        expect(unused_mut, reason = "only proposals add members to contents")
    )]
    let mut contents = found.read(cx).await?;
    #[cfg(feature = "_proposals")]
    for contents in &mut contents {
        finish::withhold_of_contents(contents, cx);
    }
    Ok(contents)
}

#[cfg(feature = "https-url")]
fn url_expiry(contents: &AnyResourceContents) -> Option<&str> {
    let (url, expires_at) = match contents {
        AnyResourceContents::Text(text) => (&text.http_url, &text.http_url_expires_at),
        AnyResourceContents::Blob(blob) => (&blob.http_url, &blob.http_url_expires_at),
        _ => return None,
    };
    url.as_deref()?;
    expires_at.as_deref()
}
