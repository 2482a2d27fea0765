//! Tools: `tools/list` and `tools/call`.

pub(crate) mod definition;
pub(crate) mod extra_arguments;
#[cfg(feature = "http")]
pub(crate) mod header_params;
pub(crate) mod result;

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::{
    CallToolRequest, CallToolResult, ContentBlock, ListToolsRequest, Request, Revision,
    TextContent, ToolsCapability,
};

use crate::features::access::is_admitted;
use crate::features::catalog::{Definition, List};
use crate::features::named_params::NamedParams;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::tools::definition::{ArgumentsError, ToolDef};
use crate::features::{asking, downgrade, list_page};
use crate::protocol::core::Context;
use crate::protocol::dispatch::error_report::{report, resolve};
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::dispatch::trace;
#[cfg(feature = "tasks")]
use crate::protocol::error::handler_error::bad_params;
use crate::protocol::error::handler_error::{ErrorKind, HandlerError};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::metrics::operations::{Operation, OperationCounter, OperationOutcome, Tools};

/// Registers the methods of tools. `resources` completes the links to resources in results.
pub(crate) fn register(
    registry: &mut Registry,
    tools: &Arc<List<ToolDef>>,
    resources: &Arc<ResourceCatalog>,
) {
    tools.warn();
    let methods = [ListToolsRequest::METHOD, CallToolRequest::METHOD];
    let declared = registry.about.capabilities.tools.is_some();
    if !registry.is_served(!tools.is_empty(), declared, &methods) {
        return;
    }
    let capability = &mut registry.about.capabilities.tools;
    capability.get_or_insert_with(|| ToolsCapability::new().list_changed(true));
    registry.routes.tools = Some(Arc::<List<ToolDef>>::clone(tools));
    let listed = Arc::clone(tools);
    registry.serve(ListToolsRequest::METHOD, move |part, cx| {
        std::future::ready(list_page::list(&listed, &part, &cx))
    });
    let tools = Arc::clone(tools);
    let resources = Arc::clone(resources);
    asking::serve_read(
        registry,
        CallToolRequest::METHOD,
        CallParams::may_ask,
        move |params, cx| read_call(&tools, params, cx),
        move |params, cx| call(params, cx, Arc::clone(&resources)),
    );
}

impl Tools for List<ToolDef> {
    fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    #[cfg(feature = "tasks")]
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn name_of(&self, counter: &OperationCounter) -> Option<String> {
        let tools = self.all();
        let mut tools = tools.iter().map(|tool| (&tool.tool, &tool.counter));
        let (tool, _) = tools.find(|(_, known)| std::ptr::eq(Arc::as_ptr(known), counter))?;
        Some(tool.name.clone())
    }

    fn operations(&self) -> Vec<Operation> {
        let read = |tool: &ToolDef| {
            let name = Some(&*tool.tool.name);
            tool.counter.read(CallToolRequest::METHOD, name)
        };
        self.all().iter().filter_map(|tool| read(tool)).collect()
    }
}

/// The params of `tools/call`.
type CallParams = NamedParams<ToolDef, Object>;

fn read_call(
    tools: &List<ToolDef>,
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<CallParams, HandlerError> {
    let call = CallParams::read(tools, params, cx)?;
    #[cfg(feature = "http")]
    if let Some(tool) = &call.item {
        header_params::check(tool, call.arguments.as_ref(), cx)?;
    }
    Ok(call)
}

/// Checks the params of a call before it is started.
#[cfg(feature = "tasks")]
pub(crate) fn check_call(
    tool: &ToolDef,
    params: &ParamsView<'_>,
    cx: &Context,
) -> Result<(), HandlerError> {
    let arguments = params.members.optional::<Object>("arguments");
    let arguments = arguments.map_err(|error| bad_params(cx.method(), &error.into()))?;
    #[cfg(feature = "http")]
    header_params::check(tool, arguments.as_ref(), cx)?;
    #[cfg(not(feature = "http"))]
    let _ = (tool, arguments);
    Ok(())
}

async fn call(
    params: CallParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<CallToolResult, HandlerError> {
    let revision = cx.revision();
    let tool = Arc::clone(params.item()?);
    cx.state.measured.set_tool(&tool.counter);
    let name = params.name;
    let arguments = params.arguments.unwrap_or_default();
    if !is_admitted(&cx, &name)
        && let Some(check) = tool.access().check(&cx)
    {
        check.await?;
    }
    let running = match tool.start(arguments, &cx) {
        Ok(running) => running,
        Err(error) => {
            let result = invalid_arguments(&tool, &error, revision)?;
            tool_failed(&name, &cx);
            return Ok(result);
        }
    };
    let result = match running.await {
        Ok(result) => tool.check_result(result)?,
        Err(error) => failed(error, &name, &cx)?,
    };
    if result.is_error == Some(true) {
        tool_failed(&name, &cx);
    }
    Ok(downgrade::tool_result(result, &cx, &resources).await)
}

/// Records that a tool failed, although the response to the request is a result.
fn tool_failed(name: &str, cx: &Context) {
    trace::tool_failed(name);
    cx.state.measured.set_result(OperationOutcome::ToolError);
}

/// Returns the result for invalid arguments: since 2025-11-25 a failure that the model can read and
/// correct, before that an error of the protocol.
fn invalid_arguments(
    tool: &ToolDef,
    error: &ArgumentsError,
    revision: Revision,
) -> Result<CallToolResult, HandlerError> {
    let text = format!("arguments of `{}`: {error}", tool.tool.name);
    if revision < Revision::V2025_11_25 {
        return Err(HandlerError::invalid_params(text));
    }
    Ok(CallToolResult::new([ContentBlock::from(TextContent::new(text))]).is_error(true))
}

/// Converts an error of the handler. A failure of the tool and an unexpected error, which is
/// logged, become a result; an error of the protocol stays one.
fn failed(error: HandlerError, tool: &str, cx: &Context) -> Result<CallToolResult, HandlerError> {
    let error = resolve(error, cx);
    match error.kind {
        ErrorKind::Tool(result) => Ok(*result),
        ErrorKind::Other(error) => {
            let text = TextContent::new(report(&*error, Some(tool), cx));
            Ok(CallToolResult::new([ContentBlock::from(text)]).is_error(true))
        }
        kind => Err(HandlerError { kind, ..error }),
    }
}
