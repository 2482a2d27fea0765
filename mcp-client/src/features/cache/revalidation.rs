//! [`Revalidation`]: how the server is asked whether a stale result is still current.

use std::any::Any;

use mcp_types::Revision;
use mcp_types::rpc::ErrorObject;

use super::contents::CachedResult;
use crate::protocol::connection::Connection;

/// A request that asks the server whether the version of contents is still the current one.
/// Implemented by a proposal.
pub(crate) trait Revalidation: Send + Sync {
    /// Returns `true` if the server can be asked.
    fn is_negotiated(&self, connection: &Connection) -> bool;

    /// Returns the method of the request. Its params are those of the call with the known version.
    /// Its own results have no `ttlMs`, so each use of them is revalidated.
    fn method(&self) -> &'static str;

    /// Returns `true` if the server answers with this error that the version is current.
    fn is_current(&self, error: &ErrorObject) -> bool;

    /// Returns the version of the contents in a result, if it has one for all of them. `method` and
    /// `params` are those of the call.
    fn version(&self, method: &str, params: &str, result: &str) -> Option<String>;

    /// Separates the contents from a result of [`method`](Self::method); `None` for other results.
    fn separate(&self, revision: Revision, result: &dyn Any) -> Option<CachedResult>;
}
