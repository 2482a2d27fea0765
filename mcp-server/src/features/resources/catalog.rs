//! [`ResourceCatalog`]: the resources and resource templates of a server.

#[cfg(feature = "seal")]
use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::json::Map;

use crate::features::catalog::List;
use crate::features::resources::defined::Defined;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::found::Found;
#[cfg(feature = "templates")]
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;
#[cfg(feature = "https-url")]
use crate::protocol::resource_urls::ResourceUrls;
use crate::protocol::uri_limit::check_uri;

/// The definitions that URIs are looked up in.
#[derive(Default)]
pub(crate) struct ResourceCatalog {
    pub(crate) resources: Arc<List<ResourceDef>>,
    #[cfg(feature = "templates")]
    pub(crate) templates: Arc<List<TemplateDef>>,
    /// Issues URLs for resources, if the program opted in.
    #[cfg(feature = "https-url")]
    pub(crate) urls: Option<Arc<dyn ResourceUrls>>,
}

impl ResourceCatalog {
    pub(crate) fn is_empty(&self) -> bool {
        #[cfg(feature = "templates")]
        if !self.templates.is_empty() {
            return false;
        }
        self.resources.is_empty()
    }

    /// The number of items of one page; `None` if all are in one page.
    #[cfg(feature = "seal")]
    pub(crate) fn page_size(&self) -> Option<NonZeroUsize> {
        self.resources.page_size
    }

    /// Returns the resource with a URI, or one of the first template that matches the URI.
    pub(crate) fn locate(&self, uri: &str) -> Option<Found> {
        let (definition, variables): (Arc<dyn Defined>, _) = match self.resources.get(uri) {
            Some(resource) => (resource, Map::new()),
            None => self.template_of(uri)?,
        };
        Some(Found::new(uri.to_owned(), definition, variables))
    }

    /// The same for a URI that a peer names in the member `uri` of the params.
    ///
    /// # Errors
    ///
    /// -32602 if the URI is too long, or "resource not found".
    pub(crate) fn find(&self, cx: &Context, uri: &str) -> Result<Found, HandlerError> {
        check_uri(cx.core(), "$.uri", uri)?;
        self.locate(uri)
            .ok_or_else(|| HandlerError::resource_not_found(uri))
    }
}

#[cfg(feature = "templates")]
impl ResourceCatalog {
    /// The first template that matches a URI, and the values of its variables.
    fn template_of(&self, uri: &str) -> Option<(Arc<dyn Defined>, Map<String>)> {
        self.templates.find(|template| {
            let variables = template.matches(uri)?;
            let template: Arc<dyn Defined> = template.clone();
            Some((template, variables))
        })
    }

    /// The first template from a place on that lists its resources, with its place.
    #[cfg(feature = "seal")]
    pub(crate) fn lister(&self, from: u64) -> Option<(u64, Arc<dyn Defined>)> {
        let (place, template) = self.templates.first(from, TemplateDef::lists)?;
        Some((place, template))
    }

    /// Whether a template has a variable; `None` if there is no such template.
    pub(crate) fn has_variable(&self, template: &str, name: &str) -> Option<bool> {
        let template = self.templates.get(template)?;
        Some(template.has_variable(name))
    }
}

#[cfg(not(feature = "templates"))]
#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "without the feature there are no templates"
)]
impl ResourceCatalog {
    fn template_of(&self, _: &str) -> Option<(Arc<dyn Defined>, Map<String>)> {
        None
    }

    #[cfg(feature = "seal")]
    pub(crate) fn lister(&self, _: u64) -> Option<(u64, Arc<dyn Defined>)> {
        None
    }

    pub(crate) fn has_variable(&self, _: &str, _: &str) -> Option<bool> {
        None
    }
}
