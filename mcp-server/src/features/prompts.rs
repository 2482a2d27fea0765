//! Prompts: `prompts/list` and `prompts/get`.

pub(crate) mod definition;
pub(crate) mod result;

use std::sync::Arc;

use mcp_types::{
    GetPromptRequest, GetPromptResult, ListPromptsRequest, PromptsCapability, Request, json::Map,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::catalog;
use crate::features::downgrade;
use crate::protocol::context::Context;
use crate::protocol::error::{HandlerError, bad_params, short};
use crate::protocol::params_view::Head;
use crate::protocol::raw_object::Name;
use crate::protocol::route;
use crate::server::builder::ServerBuilder;

use definition::PromptDef;
use result::IntoPrompt;

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
    pub fn add_prompt(self, prompt: PromptDef) -> Self {
        self.offer(prompt)
    }
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    let offered = !builder.features.prompts.is_empty();
    let declared = builder.capabilities_mut().prompts.is_some();
    let methods = [ListPromptsRequest::METHOD, GetPromptRequest::METHOD];
    if !catalog::served(builder, offered, declared, &methods) {
        return;
    }
    let capability = &mut builder.capabilities_mut().prompts;
    capability.get_or_insert_with(|| PromptsCapability::new().list_changed(true));
    builder.serve(ListPromptsRequest::METHOD, catalog::list::<PromptDef>);
    builder.serve_read(GetPromptRequest::METHOD, read_get, get);
}

/// What is asked for in `prompts/get`.
struct Get {
    name: String,
    /// `None` where there is no prompt of that name.
    prompt: Option<Arc<PromptDef>>,
    arguments: Map<String>,
}

/// Reads the params of `prompts/get`. Arguments of a prompt that does not exist are not decoded.
fn read_get(head: &Head<'_>, cx: &Context) -> Result<Get, HandlerError> {
    let Name(name) = route::common(head, cx)?;
    let prompt = cx.server().inner.features.prompts.get(&name);
    let arguments = match &prompt {
        Some(_) => head.params().optional("arguments"),
        None => Ok(None),
    };
    let arguments = arguments.map_err(|error| bad_params(cx.method(), &error.into()))?;
    Ok(Get {
        name,
        prompt,
        arguments: arguments.unwrap_or_default(),
    })
}

async fn get(params: Get, cx: Context) -> Result<GetPromptResult, HandlerError> {
    let Some(prompt) = params.prompt else {
        let name = short(&params.name);
        return Err(HandlerError::invalid_params(format!(
            "unknown prompt `{name}`"
        )));
    };
    let mut result = prompt.start(params.arguments, cx.clone())?.await?;
    if result.description.is_none() {
        result.description.clone_from(&prompt.prompt().description);
    }
    Ok(downgrade::prompt(result, &cx))
}
