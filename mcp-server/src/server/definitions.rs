//! The methods of [`ServerBuilder`] that add tools, prompts and completions, and the settings of
//! their lists.

use std::future::Future;
use std::time::Duration;

use mcp_types::CacheScope;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::catalog::{Definition, Hints};
use crate::features::completions::{Completing, CompletionHandler, IntoCompletion, boxed};
use crate::features::prompts::definition::PromptDef;
use crate::features::prompts::result::IntoPrompt;
use crate::features::resources::defined::TEMPLATE;
use crate::features::tools::definition::ToolDef;
use crate::features::tools::result::IntoToolResult;
use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;
use crate::server::builder::ServerBuilder;

impl ServerBuilder {
    /// Gives lists out in pages of this many items; without it, all in one page.
    #[cfg(feature = "seal")]
    pub fn page_size(mut self, items: std::num::NonZeroUsize) -> Self {
        self.definitions.page_size = Some(items);
        self
    }

    /// How long, and for whom, caches may keep the list of tools. Not at all by default;
    /// [`CacheScope::Public`] is right where the list is the same for everyone.
    pub fn cache_tools(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.tools.hints = Hints::new(ttl, scope);
        self
    }

    /// How long, and for whom, caches may keep the lists of resources and of resource templates.
    /// What a resource holds has [hints of its own](crate::ResourceDef::cache).
    pub fn cache_resources(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.resources.hints = Hints::new(ttl, scope);
        self
    }

    /// How long, and for whom, caches may keep the list of prompts.
    pub fn cache_prompts(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.definitions.prompts.hints = Hints::new(ttl, scope);
        self
    }
}

impl ServerBuilder {
    /// Offers a tool: an async function of typed arguments.
    ///
    /// The schema of the arguments is derived from their type; doc comments become descriptions.
    /// Arguments are validated before the function runs. `()` takes none. An error is a result
    /// with `isError`, so that the model can correct itself, see [`HandlerError`] and
    /// [`error_detail`](Self::error_detail).
    ///
    /// ```
    /// use mcp_server::{Context, Server};
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
    /// let server = Server::builder("calculator", "1.0.0")
    ///     .tool("add", "Add two numbers", |args: Add, _: Context| async move {
    ///         Ok(args.a + args.b)
    ///     })
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn tool<A, F, T>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl Fn(A, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        F: Future<Output = Result<T, HandlerError>> + Send + 'static,
        T: IntoToolResult,
    {
        let tool = ToolDef::new(name).description(description);
        self.add_tool(tool.handler(handler))
    }

    /// Offers a tool with title, annotations, icons, or schemas of its own.
    pub fn add_tool(mut self, tool: ToolDef) -> Self {
        let added = self.definitions.tools.add(tool);
        self.registry.check(added);
        self
    }
}

impl ServerBuilder {
    /// Offers a prompt: an async function of typed arguments.
    ///
    /// The arguments that are listed are the fields of the type, with their doc comments; what is
    /// no `Option` and has no default is required. On the wire all are texts, which are parsed.
    /// `()` takes none.
    ///
    /// ```
    /// use mcp_server::{Context, Server};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Review {
    ///     /// What is to be reviewed.
    ///     code: String,
    ///     /// How many remarks at most.
    ///     remarks: Option<u32>,
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .prompt("review", "Reviews code", |args: Review, _: Context| async move {
    ///         let most = args.remarks.unwrap_or(5);
    ///         Ok(format!("Review this, with {most} remarks at most:\n{}", args.code))
    ///     })
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn prompt<A, F, P>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: impl Fn(A, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        F: Future<Output = Result<P, HandlerError>> + Send + 'static,
        P: IntoPrompt,
    {
        let prompt = PromptDef::new(name).description(description);
        self.add_prompt(prompt.handler(handler))
    }

    /// Offers a prompt with title, icons or listed arguments.
    pub fn add_prompt(mut self, prompt: PromptDef) -> Self {
        let added = self.definitions.prompts.add(prompt);
        self.registry.check(added);
        self
    }
}

impl ServerBuilder {
    /// Completes an argument of a prompt.
    ///
    /// ```
    /// use mcp_server::{Completing, Context, Server};
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .prompt("greet", "Greets", |(), _: Context| async { Ok("Hello!") })
    ///     .complete_prompt("greet", "language", |typing: Completing, _| async move {
    ///         let mut all = vec!["french", "german", "greek"];
    ///         all.retain(|language| language.starts_with(&typing.value));
    ///         Ok(all)
    ///     })
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildError>(())
    /// ```
    pub fn complete_prompt<F, C>(
        self,
        prompt: impl Into<String>,
        argument: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        self.completer(
            PromptDef::KIND,
            prompt.into(),
            argument.into(),
            boxed(handler),
        )
    }

    /// Completes a variable of a resource template.
    pub fn complete_resource<F, C>(
        self,
        template: impl Into<String>,
        variable: impl Into<String>,
        handler: impl Fn(Completing, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C, HandlerError>> + Send + 'static,
        C: IntoCompletion,
    {
        self.completer(TEMPLATE, template.into(), variable.into(), boxed(handler))
    }

    fn completer(
        mut self,
        kind: &'static str,
        name: String,
        argument: String,
        handler: CompletionHandler,
    ) -> Self {
        let completions = &mut self.definitions.completions;
        let added = completions.add(kind, name, argument, handler);
        self.registry.check(added);
        self
    }
}
