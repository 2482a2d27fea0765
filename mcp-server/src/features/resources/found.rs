//! [`Found`]: what a URI is answered by.

use std::sync::Arc;

use mcp_types::AnyResourceContents;
#[cfg(feature = "sep-2093")]
use mcp_types::Proposal;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

#[cfg(feature = "_proposals")]
use super::handlers::Describing;
#[cfg(feature = "seal")]
use super::handlers::Listing;
use super::handlers::{Asked, Reading};
use super::templates;
use crate::features::catalog::Hints;
#[cfg(feature = "https-url")]
use crate::features::resources::fixed_body::FixedBody;
#[cfg(feature = "sep-2093")]
use crate::features::resources::listed::{ListAt, Listed};
use crate::protocol::context::Context;
use crate::protocol::core::Server;
use crate::protocol::error::HandlerError;
use crate::protocol::uri_limit::check_uri;

/// A definition that a URI is answered by: that of a resource, or of a template that makes it.
pub(crate) trait Defined: Send + Sync {
    /// How long what is read may be kept.
    fn hints(&self) -> &Hints;

    /// The handler that reads, and the media type of what it gives.
    fn reader(&self) -> (Option<&Reading>, Option<&str>);

    /// What the definition says.
    #[cfg(feature = "_proposals")]
    fn stated(&self, uri: &str) -> Resource;

    /// The handler that describes.
    #[cfg(feature = "_proposals")]
    fn describer(&self) -> Option<&Describing>;

    /// The handler that lists.
    #[cfg(feature = "seal")]
    fn lister(&self) -> Option<&Listing>;

    /// Whether it may be had by a URL.
    #[cfg(feature = "https-url")]
    fn has_url(&self) -> bool;

    /// The contents, if they are part of the definition.
    #[cfg(feature = "https-url")]
    fn fixed_body(&self) -> Option<&FixedBody> {
        None
    }
}

/// A resource of the server: its URI, and the definition that has it.
#[derive(Clone)]
pub(crate) struct Found {
    uri: String,
    definition: Arc<dyn Defined>,
    /// What stands in the URI for the variables of a template.
    variables: Map<String>,
}

/// The resource that has a URI, or else one of the first template that makes it.
pub(crate) fn locate(server: &Server, uri: &str) -> Option<Found> {
    let features = &server.inner.features;
    let (definition, variables): (Arc<dyn Defined>, _) = match features.resources.get(uri) {
        Some(resource) => (resource, Map::new()),
        None => templates::find(features, uri)?,
    };
    Some(Found {
        uri: uri.to_owned(),
        definition,
        variables,
    })
}

/// The same, where the peer asks for it by the member `uri` of the params.
pub(crate) fn find(server: &Server, uri: &str) -> Result<Found, HandlerError> {
    check_uri(server, "$.uri", uri)?;
    locate(server, uri).ok_or_else(|| HandlerError::resource_not_found(uri))
}

impl Found {
    /// How long what is read may be kept.
    pub(crate) fn hints(&self) -> &Hints {
        self.definition.hints()
    }

    /// Whether it may be had by a URL.
    #[cfg(feature = "https-url")]
    pub(crate) fn has_url(&self) -> bool {
        self.definition.has_url()
    }

    /// The contents, if they are part of the definition: nothing has to run to read them.
    #[cfg(feature = "https-url")]
    pub(crate) fn fixed_body(&self) -> Option<FixedBody> {
        self.definition.fixed_body().cloned()
    }

    /// What is said of it, without its contents. Not [finished](super::finish) yet.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn describe(&self, cx: &Context) -> Result<Resource, HandlerError> {
        let stated = self.definition.stated(&self.uri);
        let Some(describer) = self.definition.describer() else {
            return Ok(stated);
        };
        let mut resource = describer(stated, self.variables.clone(), cx.clone())?.await?;
        resource.uri.clone_from(&self.uri);
        Ok(resource)
    }

    /// Its members.
    #[cfg(feature = "sep-2093")]
    pub(crate) async fn list(&self, at: ListAt, cx: &Context) -> Result<Listed, HandlerError> {
        let Some(lister) = self.definition.lister() else {
            return Err(HandlerError::not_a_collection(&self.uri));
        };
        let at = at.within(self.uri.clone(), self.variables.clone());
        lister(at, cx.clone()).await
    }

    /// What it holds. If the program opted into SEP-2093, contents that break the rules of the
    /// resource's type are an error.
    pub(crate) async fn read(
        &self,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        #[cfg(feature = "sep-2093")]
        if cx.server().offers(Proposal::Sep2093) {
            let resource = self.describe(cx).await?;
            return self.read_as(&resource, cx).await;
        }
        self.contents(cx).await
    }

    /// What it holds, where it is described already. A media type that only the description knows
    /// is said, unless there are several formats.
    #[cfg(feature = "_proposals")]
    pub(crate) async fn read_as(
        &self,
        resource: &Resource,
        cx: &Context,
    ) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let mut contents = self.contents(cx).await?;
        super::contents::complete(&mut contents, resource);
        #[cfg(feature = "sep-2093")]
        if cx.server().offers(Proposal::Sep2093) {
            super::rules::check(resource, &contents)?;
        }
        Ok(contents)
    }

    async fn contents(&self, cx: &Context) -> Result<Vec<AnyResourceContents>, HandlerError> {
        let (Some(reader), mime_type) = self.definition.reader() else {
            return Err(HandlerError::resource_not_found(&self.uri));
        };
        let asked = Asked {
            uri: self.uri.clone(),
            mime_type: mime_type.map(str::to_owned),
        };
        reader(asked, self.variables.clone(), cx.clone())?.await
    }
}
