//! What runs when a resource is read, described or listed, with its types erased.

use std::future::Future;
use std::pin::Pin;

use mcp_types::AnyResourceContents;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

#[cfg(feature = "seal")]
use super::listed::ListAt;
use crate::features::resources::contents::IntoContents;
#[cfg(feature = "seal")]
use crate::features::resources::listed::ResourcePage;
use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;
use crate::util::and_then::and_then;

/// A handler at work.
pub(crate) type ResourceFuture<T> = Pin<Box<dyn Future<Output = Result<T, HandlerError>> + Send>>;

/// A handler that reads; the map has the variables of a template.
pub(crate) type ReadHandler = Box<
    dyn Fn(
            ReadParams,
            Map<String>,
            Context,
        ) -> Result<ResourceFuture<Vec<AnyResourceContents>>, HandlerError>
        + Send
        + Sync,
>;

/// A handler that describes.
#[cfg(feature = "_proposals")]
pub(crate) type DescribeHandler = Box<
    dyn Fn(Resource, Map<String>, Context) -> Result<ResourceFuture<Resource>, HandlerError>
        + Send
        + Sync,
>;

/// A handler that lists.
#[cfg(feature = "seal")]
pub(crate) type ListHandler =
    Box<dyn Fn(ListAt, Context) -> ResourceFuture<ResourcePage> + Send + Sync>;

/// What is read: the URI, and the media type of the definition.
pub(crate) struct ReadParams {
    pub(crate) uri: String,
    pub(crate) mime_type: Option<String>,
}

/// Makes contents of what a handler answers.
pub(crate) fn contents<F, C>(
    answer: F,
    uri: String,
    mime_type: Option<String>,
) -> ResourceFuture<Vec<AnyResourceContents>>
where
    F: Future<Output = Result<C, HandlerError>> + Send + 'static,
    C: IntoContents,
{
    Box::pin(and_then(answer, move |contents: C| {
        Ok(contents.into_contents(&uri, mime_type.as_deref()))
    }))
}
