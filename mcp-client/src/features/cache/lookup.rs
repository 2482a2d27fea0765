//! [`Lookup`]: what the cache has for a call.

use std::sync::Arc;

use mcp_types::Revision;
use mcp_types::json::{Map, Object};
use mcp_types::rpc::ErrorObject;
use serde_json::value::RawValue;

use super::store::{Key, Scope};
use crate::protocol::connection::Connection;
use crate::protocol::error::CallError;

/// What a lookup depends on beside the request itself.
#[derive(Clone, Copy)]
pub(crate) struct Caller<'a> {
    /// The revision of the connection, in whose form the results are.
    pub(crate) revision: Revision,
    /// The members that the client adds to `_meta` of each request.
    pub(crate) client: &'a Map<Box<RawValue>>,
    /// The members that this call adds to `_meta`.
    pub(crate) call: &'a Object,
    /// How the server is asked whether stale results are current, if it can be.
    pub(crate) revalidation: Option<&'static dyn Revalidation>,
}

/// The key of a result that is not cached, or not fresh.
pub(crate) struct CacheMiss {
    pub(super) revision: Revision,
    pub(super) method: &'static str,
    pub(super) params: String,
    /// The generation of the method when the request was sent: a result that was invalidated since
    /// is not stored.
    pub(super) generation: u64,
    pub(super) revalidation: Option<&'static dyn Revalidation>,
}

/// A stale result, which may still be the current one.
pub(crate) struct StaleResult {
    /// The result as JSON.
    pub(crate) text: Arc<str>,
    /// The version of its contents.
    pub(crate) version: Arc<str>,
    pub(crate) revalidation: &'static dyn Revalidation,
    pub(super) scope: Scope,
}

/// The outcome of a lookup.
pub(crate) enum Lookup {
    /// The cached result, as JSON.
    Cached(Arc<str>),
    /// The cached result must not be used before the server has said that its version is current.
    /// Otherwise, the response may be stored when it arrives.
    Stale(StaleResult, CacheMiss),
    /// The cached result is not current any more. The server sent this response to the call when it
    /// was asked.
    Received(Result<Box<RawValue>, CallError>, CacheMiss),
    /// No result is cached. The response may be stored when it arrives.
    Miss(CacheMiss),
    /// The result must not be cached.
    Uncacheable,
}

impl CacheMiss {
    pub(super) fn key(&self, scope: &Scope) -> Key {
        Key {
            scope: scope.clone(),
            revision: self.revision,
            method: self.method,
            params: self.params.clone(),
        }
    }

    /// Returns how the result is revalidated, if each use of it is.
    pub(super) fn always_stale(&self) -> Option<&'static dyn Revalidation> {
        let by = self.revalidation?;
        (by.method() == self.method).then_some(by)
    }

    /// Returns the version of the contents in a result, if the server can be asked for it.
    pub(super) fn version(&self, text: &str) -> Option<String> {
        let by = self.revalidation?;
        by.version(self.method, &self.params, text)
    }
}

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
}
