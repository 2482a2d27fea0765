//! Resources: `resources/list`, `resources/templates/list` and `resources/read`.

#[cfg(feature = "_proposals")]
pub(crate) mod blocks;
pub(crate) mod contents;
pub(crate) mod definition;
pub(crate) mod described;
#[cfg(feature = "versioned-resources")]
pub(crate) mod filter;
#[cfg(feature = "seal")]
pub(crate) mod finish;
#[cfg(feature = "https-url")]
pub(crate) mod fixed_body;
pub(crate) mod found;
#[cfg(feature = "versioned-resources")]
pub(crate) mod get;
pub(crate) mod handlers;
#[cfg(feature = "seal")]
pub(crate) mod listed;
#[cfg(feature = "sep-2093")]
pub(crate) mod members;
#[cfg(feature = "sep-2093")]
pub(crate) mod metadata;
#[cfg(feature = "sep-2093")]
pub(crate) mod metadata_view;
#[cfg(feature = "seal")]
pub(crate) mod pages;
#[cfg(feature = "sep-2093")]
pub(crate) mod rules;
#[cfg(feature = "seal")]
pub(crate) mod scope;
#[cfg(feature = "templates")]
pub(crate) mod templates;
#[cfg(not(feature = "templates"))]
pub(crate) mod untemplated;
#[cfg(any(feature = "seal", feature = "templates"))]
pub(crate) mod variables;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versions;

use mcp_types::error::DecodeError;
use mcp_types::{
    AnyResourceContents, ListResourceTemplatesRequest, ListResourcesRequest, ReadResourceRequest,
    ReadResourceResult, Request, ResourcesCapability,
};

use crate::features::catalog;
use crate::protocol::context::Context;
use crate::protocol::error::HandlerError;
use crate::protocol::raw_object::{FromMembers, Members};
use crate::server::builder::ServerBuilder;

use contents::IntoContents;
use definition::ResourceDef;
use found::{Found, find};
#[cfg(not(feature = "templates"))]
pub(crate) use untemplated as templates;

/// What a resource template is called in errors.
pub(crate) const TEMPLATE: &str = "resource template";

impl ServerBuilder {
    /// Offers a resource that is made when it is read: an async function of its URI.
    ///
    /// ```
    /// use mcp_server::{Context, ResourceDef, Server};
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .resource("time://now", "now", |_uri: String, _: Context| async { Ok("noon") })
    ///     .add_resource(ResourceDef::text("demo://motto", "motto", "Keep it simple."))
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn resource<F, C>(
        self,
        uri: impl Into<String>,
        name: impl Into<String>,
        handler: impl Fn(String, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoContents,
    {
        self.add_resource(ResourceDef::new(uri, name).handler(handler))
    }

    /// Offers a resource with static contents, or with title, media type, size and icons.
    pub fn add_resource(self, resource: ResourceDef) -> Self {
        self.offer(resource)
    }
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    let features = &builder.features;
    let offered = !features.resources.is_empty() || templates::offered(features);
    let declared = builder.capabilities_mut().resources.is_some();
    let methods = [
        ListResourcesRequest::METHOD,
        ListResourceTemplatesRequest::METHOD,
        ReadResourceRequest::METHOD,
    ];
    if !catalog::served(builder, offered, declared, &methods) {
        return;
    }
    let capability = &mut builder.capabilities_mut().resources;
    capability.get_or_insert_with(|| {
        ResourcesCapability::new()
            .list_changed(true)
            .subscribe(true)
    });
    #[cfg(feature = "seal")]
    builder.handle::<ListResourcesRequest, _>(pages::list);
    #[cfg(not(feature = "seal"))]
    builder.serve(ListResourcesRequest::METHOD, catalog::list::<ResourceDef>);
    templates::routes(builder);
    builder.serve(ReadResourceRequest::METHOD, read);
    #[cfg(feature = "sep-2093")]
    if builder.offers(mcp_types::Proposal::Sep2093) {
        builder.handle::<mcp_types::ReadResourceMetadataRequest, _>(metadata::metadata);
    }
    #[cfg(feature = "versioned-resources")]
    if builder.offers(mcp_types::Proposal::VersionedResources) {
        builder.handle::<mcp_types::GetResourceRequest, _>(get::get);
    }
}

/// What is asked for in `resources/read`, and in requests to subscribe: the URI.
pub(crate) struct OfResource(pub(crate) String);

impl FromMembers for OfResource {
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        members.required("uri").map(Self)
    }
}

async fn read(
    OfResource(uri): OfResource,
    cx: Context,
) -> Result<ReadResourceResult, HandlerError> {
    let found = find(cx.server(), &uri)?;
    let contents = contents(&found, &cx).await?;
    let hints = found.hints();
    Ok(ReadResourceResult::new(contents, hints.ttl_ms, hints.scope))
}

/// What is read, as the peer may see it.
#[cfg(feature = "sep-2093")]
async fn contents(found: &Found, cx: &Context) -> Result<Vec<AnyResourceContents>, HandlerError> {
    if cx.adds(mcp_types::Proposal::Sep2093) {
        return metadata::read(found, cx).await;
    }
    let mut contents = found.read(cx).await?;
    for contents in &mut contents {
        finish::withhold_of_contents(contents, cx);
    }
    Ok(contents)
}

/// What is read.
#[cfg(not(feature = "sep-2093"))]
async fn contents(found: &Found, cx: &Context) -> Result<Vec<AnyResourceContents>, HandlerError> {
    found.read(cx).await
}
