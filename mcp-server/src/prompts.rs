//! Prompts: `prompts/list` and `prompts/get`.

mod definition;
mod result;

use mcp_types::error::DecodeError;
use mcp_types::{
    GetPromptRequest, GetPromptResult, ListPromptsRequest, PromptsCapability, Request, json::Map,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::degrade;
use crate::engine::{FromMembers, Members};
use crate::error::{HandlerError, short};
use crate::lists;

pub use definition::PromptDef;
pub use result::{IntoMessage, IntoPrompt};

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
    if !lists::served(builder, offered, declared, &methods) {
        return;
    }
    let capability = &mut builder.capabilities_mut().prompts;
    capability.get_or_insert_with(|| PromptsCapability::new().list_changed(true));
    builder.serve(ListPromptsRequest::METHOD, lists::list::<PromptDef>);
    builder.serve(GetPromptRequest::METHOD, get);
}

/// What is asked for in `prompts/get`.
struct Get {
    name: String,
    arguments: Option<Map<String>>,
}

impl FromMembers for Get {
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.required("name")?,
            arguments: members.optional("arguments")?,
        })
    }
}

async fn get(params: Get, cx: Context) -> Result<GetPromptResult, HandlerError> {
    let Some(prompt) = cx.server().inner.features.prompts.get(&params.name) else {
        let name = short(&params.name);
        return Err(HandlerError::invalid_params(format!(
            "unknown prompt `{name}`"
        )));
    };
    let arguments = params.arguments.unwrap_or_default();
    let mut result = prompt.start(arguments, cx.clone())?.await?;
    if result.description.is_none() {
        result.description.clone_from(&prompt.prompt().description);
    }
    Ok(degrade::prompt(result, &cx))
}
