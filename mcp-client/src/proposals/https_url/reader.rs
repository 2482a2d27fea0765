//! [`ResourceReader`]: reads resources over the connection to the server.

use std::future::Future;
use std::pin::Pin;

use mcp_types::{AnyResourceContents, Resource};

use crate::protocol::error::CallError;

/// A boxed future, so that readers can be trait objects.
pub(crate) type ReadFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The requests to the server that fetching a resource needs. The connection stays open as long as
/// the reader exists.
pub(crate) trait ResourceReader: Send + Sync {
    /// Returns the contents of a resource (`resources/read`).
    fn contents<'a>(
        &'a self,
        uri: &'a str,
    ) -> ReadFuture<'a, Result<Vec<AnyResourceContents>, CallError>>;

    /// Returns the current metadata of a resource, or `None` if the server cannot be asked for it.
    fn metadata<'a>(&'a self, uri: &'a str) -> ReadFuture<'a, Option<Result<Resource, CallError>>>;

    /// Returns [`Limits::message_bytes`](crate::Limits) of the connection.
    fn message_bytes(&self) -> usize;
}
