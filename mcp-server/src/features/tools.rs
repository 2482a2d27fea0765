//! Tools: `tools/list` and `tools/call`.

pub(crate) mod definition;
pub(crate) mod result;

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::{
    CallToolRequest, CallToolResult, ContentBlock, ListToolsRequest, Request, Revision,
    TextContent, ToolsCapability,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::features::catalog;
use crate::features::downgrade;
use crate::protocol::context::Context;
use crate::protocol::error::{Cause, HandlerError, bad_params, short};
use crate::protocol::error_report::report;
use crate::protocol::params_view::Head;
use crate::protocol::raw_object::Name;
use crate::protocol::route;
use crate::protocol::trace;
use crate::server::builder::ServerBuilder;

use definition::ToolDef;
use result::IntoToolResult;

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
    pub fn add_tool(self, tool: ToolDef) -> Self {
        self.offer(tool)
    }
}

pub(crate) fn routes(builder: &mut ServerBuilder) {
    let offered = !builder.features.tools.is_empty();
    let declared = builder.capabilities_mut().tools.is_some();
    let methods = [ListToolsRequest::METHOD, CallToolRequest::METHOD];
    if !catalog::served(builder, offered, declared, &methods) {
        return;
    }
    let capability = &mut builder.capabilities_mut().tools;
    capability.get_or_insert_with(|| ToolsCapability::new().list_changed(true));
    builder.serve(ListToolsRequest::METHOD, catalog::list::<ToolDef>);
    builder.serve_read(CallToolRequest::METHOD, read_call, call);
}

/// What is asked for in `tools/call`.
struct Call {
    name: String,
    /// `None` where there is no tool of that name.
    tool: Option<Arc<ToolDef>>,
    arguments: Object,
}

/// Reads the params of `tools/call`. Arguments of a tool that does not exist are not decoded.
fn read_call(head: &Head<'_>, cx: &Context) -> Result<Call, HandlerError> {
    let Name(name) = route::common(head, cx)?;
    let tool = cx.server().inner.features.tools.get(&name);
    let arguments = match &tool {
        Some(_) => head.params().optional("arguments"),
        None => Ok(None),
    };
    let arguments = arguments.map_err(|error| bad_params(cx.method(), &error.into()))?;
    Ok(Call {
        name,
        tool,
        arguments: arguments.unwrap_or_default(),
    })
}

async fn call(params: Call, cx: Context) -> Result<CallToolResult, HandlerError> {
    let Call {
        name,
        tool,
        arguments,
    } = params;
    let revision = cx.revision();
    let Some(tool) = tool else {
        let name = short(&name);
        return Err(HandlerError::invalid_params(format!(
            "unknown tool `{name}`"
        )));
    };
    let running = match tool.start(arguments, cx.clone()) {
        Ok(running) => running,
        Err(fault) => {
            let result = unfit(&tool, &fault, revision)?;
            trace::tool_failed(&name);
            return Ok(result);
        }
    };
    let result = match running.await {
        Ok(result) => tool.check_result(result)?,
        Err(error) => failed(error, &name, &cx)?,
    };
    if result.is_error == Some(true) {
        trace::tool_failed(&name);
    }
    Ok(downgrade::tool_result(result, &cx))
}

/// Says which argument is wrong: since 2025-11-25 to the model, which can correct it; before as a
/// protocol error.
fn unfit(tool: &ToolDef, fault: &str, revision: Revision) -> Result<CallToolResult, HandlerError> {
    let text = format!("arguments of `{}`: {fault}", tool.tool().name);
    if revision < Revision::V2025_11_25 {
        return Err(HandlerError::invalid_params(text));
    }
    Ok(CallToolResult::new([ContentBlock::from(TextContent::new(text))]).is_error(true))
}

/// A tool's failure is a result; an error of the protocol stays one. An unexpected error is written
/// to the log.
fn failed(error: HandlerError, tool: &str, cx: &Context) -> Result<CallToolResult, HandlerError> {
    match error.cause {
        Cause::Tool(result) => Ok(*result),
        Cause::Other(error) => {
            let text = TextContent::new(report(&*error, Some(tool), cx));
            Ok(CallToolResult::new([ContentBlock::from(text)]).is_error(true))
        }
        cause => Err(cause.into()),
    }
}
