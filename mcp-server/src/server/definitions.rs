//! The methods that add tools, prompts, resources and completions, for
//! [`ServerBuilder`](crate::ServerBuilder) and [`Group`](crate::Group).

/// Implements the methods for a type with the field `definitions`.
macro_rules! definition_methods {
    ($type:ty) => {
        impl $type {
            /// Adds a tool with an async function as its [handler](crate::Handler).
            ///
            /// The schema of the arguments is derived from their type; doc comments become
            /// descriptions. Arguments are validated before the function runs. An error is a result
            /// with `isError`, so that the model can correct itself, see
            /// [`HandlerError`](crate::HandlerError) and
            /// [`error_detail`](crate::ServerBuilder::error_detail).
            ///
            /// ```
            /// use mcp_server::Server;
            /// use schemars::JsonSchema;
            /// use serde::Deserialize;
            ///
            /// #[derive(Deserialize, JsonSchema)]
            /// struct Add {
            ///     /// What to add to.
            ///     a: f64,
            ///     b: f64,
            /// }
            ///
            /// async fn add(args: Add) -> f64 {
            ///     args.a + args.b
            /// }
            ///
            /// let server = Server::builder("calculator", "1.0.0")
            ///     .tool("add", "Adds two numbers", add)
            ///     .build()?;
            /// # drop(server);
            /// # Ok::<(), mcp_server::BuildErrors>(())
            /// ```
            pub fn tool<A, M, H>(
                self,
                name: impl Into<String>,
                description: impl Into<String>,
                handler: H,
            ) -> Self
            where
                A: crate::features::arguments::Arguments,
                H: crate::Handler<A, M>,
                H::Output: crate::IntoToolResult + 'static,
            {
                let tool = crate::ToolDef::new(name).description(description);
                self.add_tool(tool.handler(handler))
            }

            /// Adds a tool with title, annotations, icons, or schemas of its own.
            pub fn add_tool(mut self, tool: crate::ToolDef) -> Self {
                let added = self.definitions.tools.add(tool);
                self.definitions.check(added);
                self
            }

            /// Adds a prompt with an async function as its [handler](crate::Handler).
            ///
            /// The fields of the arguments' type are listed with their doc comments; a field that
            /// is not an `Option` and has no default is required. Clients send all arguments as
            /// strings, which are parsed as the types of the fields. With the feature
            /// `json-schema`, constraints such as `range` and `length` are checked; without it,
            /// they are an error of `build()`.
            ///
            /// ```
            /// use mcp_server::Server;
            /// use schemars::JsonSchema;
            /// use serde::Deserialize;
            ///
            /// #[derive(Deserialize, JsonSchema)]
            /// struct Review {
            ///     /// The code to be reviewed.
            ///     code: String,
            ///     /// The largest number of remarks.
            ///     remarks: Option<u32>,
            /// }
            ///
            /// async fn review(args: Review) -> String {
            ///     let most = args.remarks.unwrap_or(5);
            ///     format!("Review this, with {most} remarks at most:\n{}", args.code)
            /// }
            ///
            /// let server = Server::builder("demo", "1.0.0")
            ///     .prompt("review", "Reviews code", review)
            ///     .build()?;
            /// # drop(server);
            /// # Ok::<(), mcp_server::BuildErrors>(())
            /// ```
            pub fn prompt<A, M, H>(
                self,
                name: impl Into<String>,
                description: impl Into<String>,
                handler: H,
            ) -> Self
            where
                A: crate::features::arguments::Arguments,
                H: crate::Handler<A, M>,
                H::Output: crate::IntoPrompt + 'static,
            {
                let prompt = crate::PromptDef::new(name).description(description);
                self.add_prompt(prompt.handler(handler))
            }

            /// Adds a prompt with title, icons or listed arguments.
            pub fn add_prompt(mut self, prompt: crate::PromptDef) -> Self {
                let added = self.definitions.prompts.add(prompt);
                self.definitions.check(added);
                self
            }

            /// Completes an argument of a prompt: the handler is an async function of
            /// [`Completing`](crate::Completing), the text that the user typed, and of extractors,
            /// or a plain function of the text.
            ///
            /// The prompt may be added before or after it. A prompt or an argument that the server does
            /// not have is an error of `build`, unless the program handles `prompts/get` itself. For a
            /// prompt that is added while the server runs, see
            /// [`PromptDef::complete`](crate::PromptDef::complete).
            ///
            /// ```
            /// use mcp_server::{Completing, Server};
            /// use schemars::JsonSchema;
            /// use serde::Deserialize;
            ///
            /// #[derive(Deserialize, JsonSchema)]
            /// struct Greeting {
            ///     language: String,
            ///     tone: String,
            /// }
            ///
            /// async fn greet(how: Greeting) -> String {
            ///     format!("Write a {} greeting in {}.", how.tone, how.language)
            /// }
            ///
            /// async fn languages(typing: Completing) -> Vec<&'static str> {
            ///     let mut all = vec!["french", "german", "greek"];
            ///     all.retain(|language| language.starts_with(&typing.value));
            ///     all
            /// }
            ///
            /// let server = Server::builder("demo", "1.0.0")
            ///     .prompt("greet", "Writes a greeting", greet)
            ///     .complete_prompt("greet", "language", languages)
            ///     .complete_prompt("greet", "tone", |typed: &str| {
            ///         let tones = ["formal", "friendly"].into_iter();
            ///         tones.filter(|tone| tone.starts_with(typed)).collect::<Vec<_>>()
            ///     })
            ///     .build()?;
            /// # drop(server);
            /// # Ok::<(), mcp_server::BuildErrors>(())
            /// ```
            pub fn complete_prompt<M, H>(
                mut self,
                prompt: impl Into<String>,
                argument: impl Into<String>,
                handler: H,
            ) -> Self
            where
                H: crate::Handler<crate::Completing, M>,
                H::Output: crate::IntoCompletion + 'static,
            {
                let kind = <crate::PromptDef as crate::Definition>::KIND;
                self.definitions
                    .complete(kind, prompt.into(), argument.into(), handler);
                self
            }

            /// Completes a variable of a resource template, as
            /// [`complete_prompt`](Self::complete_prompt) does for a prompt. For a template that is added
            /// while the server runs, see [`TemplateDef::complete`](crate::TemplateDef::complete).
            pub fn complete_resource<M, H>(
                mut self,
                template: impl Into<String>,
                variable: impl Into<String>,
                handler: H,
            ) -> Self
            where
                H: crate::Handler<crate::Completing, M>,
                H::Output: crate::IntoCompletion + 'static,
            {
                let kind = crate::features::resources::described::TEMPLATE;
                self.definitions
                    .complete(kind, template.into(), variable.into(), handler);
                self
            }

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

            /// Moves the definitions of a [group](crate::Group) here.
            pub fn merge(mut self, group: crate::Group) -> Self {
                group.merge_into(&mut self.definitions);
                self
            }
        }
    };
}

pub(crate) use definition_methods;
