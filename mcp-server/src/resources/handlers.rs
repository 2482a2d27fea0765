//! What runs when a resource is read, described or listed, with its types erased.

use std::future::Future;
use std::pin::Pin;

use mcp_types::AnyResourceContents;
#[cfg(feature = "_proposals")]
use mcp_types::Resource;
use mcp_types::json::Map;

use super::IntoContents;
#[cfg(feature = "seal")]
use super::listed::{ListAt, Listed};
use crate::context::Context;
use crate::error::HandlerError;
use crate::then::then;

/// A handler at work.
pub(super) type Running<T> = Pin<Box<dyn Future<Output = Result<T, HandlerError>> + Send>>;

/// A handler that reads; the map has the variables of a template.
pub(super) type Reading = Box<
    dyn Fn(Asked, Map<String>, Context) -> Result<Running<Vec<AnyResourceContents>>, HandlerError>
        + Send
        + Sync,
>;

/// A handler that describes.
#[cfg(feature = "_proposals")]
pub(super) type Describing = Box<
    dyn Fn(Resource, Map<String>, Context) -> Result<Running<Resource>, HandlerError> + Send + Sync,
>;

/// A handler that lists.
#[cfg(feature = "seal")]
pub(super) type Listing = Box<dyn Fn(ListAt, Context) -> Running<Listed> + Send + Sync>;

/// What is read: the URI, and the media type of the definition.
pub(super) struct Asked {
    pub(super) uri: String,
    pub(super) mime_type: Option<String>,
}

/// Makes contents of what a handler answers.
pub(super) fn contents<F, C>(
    answer: F,
    uri: String,
    mime_type: Option<String>,
) -> Running<Vec<AnyResourceContents>>
where
    F: Future<Output = Result<C, HandlerError>> + Send + 'static,
    C: IntoContents,
{
    Box::pin(then(answer, move |contents: C| {
        Ok(contents.into_contents(&uri, mime_type.as_deref()))
    }))
}
