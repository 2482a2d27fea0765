//! The methods that add resources and resource templates, for
//! [`ServerBuilder`](crate::ServerBuilder) and [`Group`](crate::Group).

/// Implements the methods for a type with the field `definitions`.
macro_rules! resource_methods {
    ($type:ty) => {
        impl $type {
            /// Adds a resource with an async function as its [handler](crate::Handler), which makes
            /// the contents whenever the resource is read.
            ///
            /// The resource has no type by SEP-2093. A program that opts into the proposal sets
            /// one: `.add_resource(ResourceDef::new(uri,
            /// name).resource_type(type).handler(handler))`, or `.collection()` if the contents are
            /// those of other resources.
            ///
            /// ```
            /// use mcp_server::{ResourceDef, Server};
            ///
            /// let server = Server::builder("demo", "1.0.0")
            ///     .resource("time://now", "now", async || "noon")
            ///     .add_resource(ResourceDef::text("demo://motto", "motto", "Keep it simple."))
            ///     .build()?;
            /// # drop(server);
            /// # Ok::<(), mcp_server::BuildErrors>(())
            /// ```
            pub fn resource<M, H>(
                self,
                uri: impl Into<String>,
                name: impl Into<String>,
                handler: H,
            ) -> Self
            where
                H: crate::Handler<crate::protocol::handler::NoArguments, M>,
                H::Output: crate::IntoBody + 'static,
            {
                self.add_resource(crate::ResourceDef::new(uri, name).handler(handler))
            }

            /// Adds a resource with static contents, or with title, media type, size and icons.
            pub fn add_resource(mut self, resource: crate::ResourceDef) -> Self {
                let added = self.definitions.resources.add(resource);
                self.definitions.check(added);
                self
            }
        }

        impl $type {
            /// Adds all resources whose URIs match a template (RFC 6570), with an async function of
            /// the template's variables as their [handler](crate::Handler).
            ///
            /// The variables are decoded, and parsed as the fields of their type, a struct or a map
            /// of strings. The client chooses them: they may contain `../`. A URI belongs to the
            /// resource that has it, or else to the first template that matches it.
            ///
            /// The resources have no type by SEP-2093. A program that opts into the proposal sets
            /// one with [`TemplateDef`](crate::TemplateDef): `.resource_type(type)` if all
            /// resources of the template have the same type, or else in `.describe(handler)`.
            ///
            /// ```
            /// use mcp_server::{HandlerError, ResourceUri, Server};
            /// use serde::Deserialize;
            ///
            /// #[derive(Deserialize)]
            /// struct Issue {
            ///     project: String,
            ///     number: u32,
            /// }
            ///
            /// async fn issue(
            ///     issue: Issue,
            ///     ResourceUri(uri): ResourceUri,
            /// ) -> Result<String, HandlerError> {
            ///     if issue.number == 0 {
            ///         return Err(HandlerError::resource_not_found(uri));
            ///     }
            ///     Ok(format!("Issue {} of {}", issue.number, issue.project))
            /// }
            ///
            /// let server = Server::builder("tracker", "1.0.0")
            ///     .resource_template("tracker://{project}/issues/{number}", "issue", issue)
            ///     .build()?;
            /// # drop(server);
            /// # Ok::<(), mcp_server::BuildErrors>(())
            /// ```
            pub fn resource_template<P, M, H>(
                self,
                template: impl Into<String>,
                name: impl Into<String>,
                handler: H,
            ) -> Self
            where
                P: crate::features::resources::request::TemplateVariables,
                H: crate::Handler<P, M>,
                H::Output: crate::IntoBody + 'static,
            {
                let template = crate::TemplateDef::new(template, name);
                self.add_resource_template(template.handler(handler))
            }

            /// Adds a resource template with title, media type, annotations or icons.
            pub fn add_resource_template(mut self, template: crate::TemplateDef) -> Self {
                let added = self.definitions.templates.add(template);
                self.definitions.check(added);
                self
            }
        }
    };
}

pub(crate) use resource_methods;
