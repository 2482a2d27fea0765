//! Handlers that read and list resources, with their types erased.

use std::sync::Arc;

use mcp_types::json::Map;

use crate::features::resources::contents::body::{IntoBody, ResourceBody};
use crate::features::resources::listed::{ListAt, ResourcePage};
use crate::features::resources::request::ResourceRequest;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::{BoxedHandler, Handler, HandlerFuture, Input, requirements_of};
use crate::util::and_then::and_then;

/// A handler that reads.
pub(crate) struct ReadHandler {
    pub(crate) read: Box<ReadFn>,
    /// `true` if each resource has one representation.
    #[cfg_attr(
        not(feature = "proposals"),
        expect(dead_code, reason = "only responses by URL vary")
    )]
    pub(crate) is_single: bool,
}

/// The map has the variables of a template.
type ReadFn = dyn Fn(ReadParams, Map<String>, Context) -> Result<HandlerFuture<ResourceBody>, HandlerError>
    + Send
    + Sync;

/// A handler that lists.
pub(crate) type ListHandler = BoxedHandler<ListAt, ResourcePage>;

/// The params of a handler that reads: the URI, and the media type of the definition.
pub(crate) struct ReadParams {
    pub(crate) uri: String,
    pub(crate) mime_type: Option<String>,
}

/// Erases the type of a handler that reads. `arguments` converts the variables into its arguments.
pub(crate) fn reader<A, M, H>(
    handler: H,
    arguments: fn(&str, Map<String>) -> Result<A, HandlerError>,
) -> ReadHandler
where
    A: Input,
    H: Handler<A, M>,
    H::Output: IntoBody + 'static,
{
    let names_resource = requirements_of(&handler).resource.is_some();
    let handler = Arc::new(handler);
    let read = Box::new(move |params, variables: Map<String>, cx: Context| {
        let ReadParams { uri, mime_type } = params;
        let cx = if names_resource {
            with_resource(&cx, &uri, variables.clone())
        } else {
            cx
        };
        let arguments = arguments(&uri, variables)?;
        let running = Arc::clone(&handler).call(arguments, cx);
        Ok(Box::pin(and_then(running, move |body: H::Output| {
            body.into_body(&uri, mime_type.as_deref())
        })) as HandlerFuture<ResourceBody>)
    });
    ReadHandler {
        read,
        is_single: H::Output::IS_SINGLE,
    }
}

/// Attaches the resource of the request, for the extractors.
pub(crate) fn with_resource(cx: &Context, uri: &str, variables: Map<String>) -> Context {
    let uri = uri.to_owned();
    cx.with_value(ResourceRequest { uri, variables })
}
