//! The methods of [`ServerBuilder`] that add resources and resource templates.

use std::future::Future;

#[cfg(feature = "templates")]
use serde::de::DeserializeOwned;

use crate::features::resources::contents::IntoContents;
use crate::features::resources::definition::ResourceDef;
#[cfg(feature = "templates")]
use crate::features::resources::templates::definition::TemplateDef;
use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;
use crate::server::builder::ServerBuilder;

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
    pub fn add_resource(mut self, resource: ResourceDef) -> Self {
        let added = self.definitions.resources.add(resource);
        self.registry.check(added);
        self
    }
}

#[cfg(feature = "templates")]
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
    pub fn add_resource_template(mut self, template: TemplateDef) -> Self {
        let added = self.definitions.templates.add(template);
        self.registry.check(added);
        self
    }
}
