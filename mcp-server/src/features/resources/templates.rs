//! Resource templates: `resources/templates/list`, and the resources whose URIs they make.

pub(crate) mod definition;
pub(crate) mod template;

use std::sync::Arc;

use mcp_types::json::Map;
use mcp_types::{ListResourceTemplatesRequest, Request};
use serde::de::DeserializeOwned;

use super::found::Defined;
use crate::features::catalog;
use crate::features::catalog::Features;
use crate::features::catalog::list_handle::Listing;
use crate::features::resources::contents::IntoContents;
use crate::protocol::context::Context;
use crate::protocol::core::Server;
use crate::protocol::error::HandlerError;
use crate::server::builder::ServerBuilder;

use definition::TemplateDef;

impl ServerBuilder {
    /// Offers all resources whose URIs a template (RFC 6570) makes: an async function of the URI
    /// and of the template's variables.
    ///
    /// The variables are decoded and parsed as the type asks for, a struct or a map of texts. They
    /// come from the peer: `../` may be among them. A URI is read by the resource that has it, or
    /// else by the first template that fits.
    ///
    /// ```
    /// use mcp_server::{Context, HandlerError, Server};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Issue {
    ///     project: String,
    ///     number: u32,
    /// }
    ///
    /// let server = Server::builder("tracker", "1.0.0")
    ///     .resource_template(
    ///         "tracker://{project}/issues/{number}",
    ///         "issue",
    ///         |uri: String, issue: Issue, _: Context| async move {
    ///             if issue.number == 0 {
    ///                 return Err(HandlerError::resource_not_found(uri));
    ///             }
    ///             Ok(format!("Issue {} of {}", issue.number, issue.project))
    ///         },
    ///     )
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn resource_template<P, F, C>(
        self,
        template: impl Into<String>,
        name: impl Into<String>,
        handler: impl Fn(String, P, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned + 'static,
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoContents,
    {
        self.add_resource_template(TemplateDef::new(template, name).handler(handler))
    }

    /// Offers a resource template with title, media type, annotations or icons.
    pub fn add_resource_template(self, template: TemplateDef) -> Self {
        self.offer(template)
    }
}

impl Server {
    /// The list of resource templates, to change it.
    #[must_use]
    pub fn resource_templates(&self) -> Listing<'_, TemplateDef> {
        self.listing()
    }
}

/// Whether there are templates.
pub(crate) fn offered(features: &Features) -> bool {
    !features.templates.is_empty()
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    let features = &mut builder.features;
    features.templates.hints = features.resources.hints.clone();
    builder.serve(
        ListResourceTemplatesRequest::METHOD,
        catalog::list::<TemplateDef>,
    );
}

/// The first template that makes a URI, and the variables in it.
pub(crate) fn find(features: &Features, uri: &str) -> Option<(Arc<dyn Defined>, Map<String>)> {
    features.templates.find(|template| {
        let variables = template.matches(uri)?;
        let template: Arc<dyn Defined> = template.clone();
        Some((template, variables))
    })
}

/// The first template from a place on that lists its resources, with its place.
#[cfg(feature = "seal")]
pub(crate) fn lister(features: &Features, from: u64) -> Option<(u64, Arc<dyn Defined>)> {
    let (place, template) = features.templates.first(from, TemplateDef::lists)?;
    Some((place, template))
}

/// Whether a template has a variable; `None` where there is no such template.
pub(crate) fn has_variable(features: &Features, template: &str, name: &str) -> Option<bool> {
    let template = features.templates.get(template)?;
    Some(template.has_variable(name))
}
