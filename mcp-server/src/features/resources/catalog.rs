//! [`ResourceCatalog`]: the resources and resource templates of a server.

use std::sync::Arc;

use mcp_types::json::Map;
use mcp_types::uri::canonical;

use crate::features::catalog::List;
use crate::features::resources::defined::Defined;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::resolved::{AuthorizedResource, ResolvedResource};
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::dispatch::sizes::check_uri;
use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::HandlerError;
use crate::util::type_map::TypeMap;

/// The resources of a server, and what proposals add to them.
pub(crate) struct ResourceCatalog {
    pub(crate) definitions: Arc<ResourceDefinitions>,
    #[cfg(feature = "proposals")]
    pub(crate) proposals: Arc<dyn crate::features::resources::proposals::ResourceProposals>,
}

/// The definitions in which URIs are looked up.
pub(crate) struct ResourceDefinitions {
    pub(crate) resources: Arc<List<ResourceDef>>,
    pub(crate) templates: Arc<List<TemplateDef>>,
}

impl ResourceDefinitions {
    pub(crate) fn is_empty(&self) -> bool {
        self.templates.is_empty() && self.resources.is_empty()
    }

    /// Returns the resource with a URI, or one of the first template that matches the URI. Its URI
    /// is the canonical one, whatever equivalent the client sent.
    pub(crate) fn locate(&self, uri: &str) -> Option<ResolvedResource> {
        let uri = canonical(uri).into_owned();
        let (definition, variables) = match self.resources.get(&uri) {
            Some(resource) => (Defined::Resource(resource), Map::new()),
            None => self.template_of(&uri)?,
        };
        Some(ResolvedResource {
            uri,
            definition,
            variables,
        })
    }

    /// Returns the resource with a URI, if not everybody may read it.
    pub(crate) fn locate_closed(&self, uri: &str) -> Option<ResolvedResource> {
        let found = self.locate(uri)?;
        (!found.definition.access_rules().is_open()).then_some(found)
    }

    /// Returns the resource with a URI from the member `uri` of the params. Checks that the client
    /// may use it.
    ///
    /// # Errors
    ///
    /// -32602 if the URI is too long, "resource not found", or the error of a guard.
    pub(crate) async fn find(
        &self,
        cx: &Context,
        uri: &str,
    ) -> Result<AuthorizedResource, HandlerError> {
        check_uri(cx.core(), "$.uri", uri)?;
        // As for a resource that the client does not see.
        let unknown = || HandlerError::resource_not_found(canonical(uri));
        let resolved = self.locate(uri).ok_or_else(unknown)?;
        resolved.check_access(cx).await
    }

    /// Returns the states that the handlers require and the server does not have.
    pub(crate) fn missing(&self, server: &TypeMap) -> Vec<BuildError> {
        let mut missing = self.resources.missing(server);
        missing.extend(self.templates.missing(server));
        missing
    }

    /// Returns the first template that matches a URI, and the values of its variables.
    fn template_of(&self, uri: &str) -> Option<(Defined, Map<String>)> {
        self.templates.find(|template| {
            let variables = template.matches(uri)?;
            Some((Defined::Template(Arc::clone(template)), variables))
        })
    }

    /// Returns the first template from a position on that lists its resources, with its position.
    pub(crate) fn lister(&self, from: u64) -> Option<(u64, Defined)> {
        let (index, template) = self
            .templates
            .first(from, |template| template.lister.is_some())?;
        Some((index, Defined::Template(template)))
    }

    /// Returns a template.
    pub(crate) fn template(&self, template: &str) -> Option<Arc<TemplateDef>> {
        self.templates.get(template)
    }

    /// Returns `true` if a template completes a variable.
    pub(crate) fn completes(&self) -> bool {
        self.templates
            .all()
            .iter()
            .any(|template| template.completes())
    }

    /// Returns whether a template has a variable; `None` if there is no such template.
    pub(crate) fn template_takes(&self, template: &str, variable: &str) -> Option<bool> {
        Some(self.templates.get(template)?.has_variable(variable))
    }
}
