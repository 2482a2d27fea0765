//! [`Cache`]: caches results for as long as the server allows.

pub(crate) mod key;
mod lookup;
mod store;

pub(crate) use lookup::{CacheMiss, Caller, Lookup, Revalidation, StaleResult};

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_types::json::Number;
use mcp_types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    Notification, PromptListChangedNotification, ReadResourceRequest, Request,
    ResourceListChangedNotification, ResourceUpdatedNotification, ToolListChangedNotification,
};
use serde::Deserialize;
use tokio::time::Instant;

use crate::protocol::caching::is_cacheable;
use crate::protocol::connection::Connection;
use crate::protocol::params::Params;
use store::{NewResult, Scope, Store, StoredResult};

/// Caches results of servers without sessions for as long as they allow (`ttlMs`, page
/// "Caching" of the specification): pages of lists, contents of resources, and the description of
/// the server. Results without `ttlMs`, or with 0, are not cached, except for
/// [revalidation](#revalidation); older revisions have none.
///
/// ```
/// # use mcp_client::{Cache, CallError, Client};
/// let builder = Client::builder("demo", "1.0.0").cache(Cache::new().entries(1000));
/// # async fn show(client: Client) -> Result<(), CallError> {
/// let tools = client.tools().one_page().await?;
/// // Answered from the cache, unless the call asks for a fresh result.
/// let tools = client.tools().one_page().await?;
/// let tools = client.tools().one_page().fresh().await?;
/// # Ok(())
/// # }
/// ```
///
/// The key of a result is its method and its params, without progress tokens and trace contexts in
/// `_meta`. Results of calls that were answered with questions are not cached. A notification of a
/// change, which a server sends to [subscriptions](crate::Client::listen), drops the cached results
/// concerned, and so does a cursor that the server rejects.
///
/// The results of a client are used by this client alone and dropped with it: each client is an
/// authorization context of its own. Only results that the server marks as `public` are shared, and
/// only between clients that were given the same server's [name](Self::of):
///
/// ```
/// # use mcp_client::{Cache, Client};
/// let cache = Cache::new().of("https://example.com/mcp");
/// let one = Client::builder("demo", "1.0.0").cache(cache.clone());
/// let another = Client::builder("demo", "1.0.0").cache(cache);
/// ```
///
/// # Revalidation
///
/// If both sides announced the proposal `versioned-resources`, contents that say their version are
/// kept when they are stale, also if they were never fresh: for a day since the server last said
/// that they are current. The next call sends the version in a `resources/get`. If it is still the
/// current one, the server does not send the contents, and the call returns those in the cache.
///
/// * Results of `resources/get` have no `ttlMs`, so each use is revalidated. Changed contents are
///   in the response to the same request.
/// * For stale results of `resources/read`, changed contents cost a second request, because
///   `resources/get` does not return all of them. After a change, the client therefore reads the
///   resource without asking first, until two results in a row have the same version.
///
/// A version belongs to the contents. Other members, such as a title or `httpUrl`, may be as old as
/// the contents in the cache. Results whose contents belong to several resources are not
/// revalidated.
///
/// # Limits
///
/// When the cache is full, the least recently used results are dropped.
#[derive(Clone)]
pub struct Cache {
    store: Arc<Mutex<Store>>,
    /// The server whose public results are shared.
    server: Option<Arc<str>>,
}

impl Cache {
    /// Creates an empty cache for 256 results of 8 MiB in total.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: Arc::default(),
            server: None,
        }
    }

    /// Sets the maximum number of results.
    #[must_use]
    pub fn entries(self, most: usize) -> Self {
        self.store().set_limits(Some(most), None);
        self
    }

    /// Sets the maximum size of results and their keys, in bytes.
    #[must_use]
    pub fn bytes(self, most: usize) -> Self {
        self.store().set_limits(None, Some(most));
        self
    }

    /// Returns the same cache for clients of one server, which share its public results. The name
    /// must identify the server, as its URL does.
    #[must_use]
    pub fn of(&self, server: impl Into<String>) -> Self {
        Self {
            store: Arc::clone(&self.store),
            server: Some(server.into().into()),
        }
    }

    /// Drops all results.
    pub fn clear(&self) {
        self.store().invalidate_all(|_| true);
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = self.store();
        f.debug_struct("Cache")
            .field("server", &self.server)
            .field("entries", &store.len())
            .field("bytes", &store.bytes())
            .finish_non_exhaustive()
    }
}

/// The cache as one client uses it.
pub(crate) struct ClientCache {
    cache: Cache,
    own: Scope,
    /// The scope of public results. It contains the capabilities of the client, because results may
    /// depend on them.
    shared: Option<Scope>,
    revalidation: Option<&'static dyn Revalidation>,
}

impl ClientCache {
    /// `capabilities` are those of the client, as JSON.
    pub(crate) fn new(
        cache: Cache,
        capabilities: &str,
        revalidation: Option<&'static dyn Revalidation>,
    ) -> Self {
        let own = Scope::Own(cache.store().next_client());
        let shared = cache.server.as_ref().map(|server| Scope::Shared {
            server: Arc::clone(server),
            capabilities: capabilities.into(),
        });
        Self {
            cache,
            own,
            shared,
            revalidation,
        }
    }

    /// Returns how the server of a connection is asked whether stale results are current.
    pub(crate) fn revalidation(&self, by: &Connection) -> Option<&'static dyn Revalidation> {
        self.revalidation.filter(|known| known.is_negotiated(by))
    }

    /// Looks up the result of a call. If it has to be `fresh`, only prepares to store it.
    pub(crate) fn look_up(
        &self,
        method: &'static str,
        params: &Params<'_>,
        caller: Caller<'_>,
        fresh: bool,
    ) -> Lookup {
        let is_always_stale = caller.revalidation.is_some_and(|by| by.method() == method);
        if !is_always_stale && !is_cacheable(method) {
            return Lookup::Uncacheable;
        }
        // The program asks for another version than the one that it has, whatever the cache has.
        let fresh = fresh || is_always_stale && params.contains(key::VERSION);
        let Some(params) = key::params(params, caller.client, caller.call) else {
            return Lookup::Uncacheable;
        };
        let mut store = self.cache.store();
        let miss = CacheMiss {
            revision: caller.revision,
            method,
            params,
            generation: store.generation(method),
            revalidation: caller.revalidation,
        };
        let mut stale = None;
        for scope in [Some(&self.own), self.shared.as_ref()] {
            let Some(scope) = scope.filter(|_| !fresh) else {
                continue;
            };
            let key = miss.key(scope);
            match store.get(&key, Instant::now()) {
                Some(StoredResult::Fresh(text)) => return Lookup::Cached(text),
                // If the contents change all the time, asking first would only cost a request more.
                Some(StoredResult::Stale { is_changing, .. })
                    if is_changing && !is_always_stale => {}
                Some(StoredResult::Stale { text, version, .. }) => {
                    stale = stale.or(caller.revalidation.map(|revalidation| StaleResult {
                        text,
                        version,
                        revalidation,
                        scope: scope.clone(),
                    }));
                }
                None => {}
            }
        }
        match stale {
            Some(stale) => Lookup::Stale(stale, miss),
            None => Lookup::Miss(miss),
        }
    }

    /// Makes a stale result fresh again, because the server said that its version is current.
    pub(crate) fn renew(&self, stale: &StaleResult, miss: &CacheMiss) {
        let key = miss.key(&stale.scope);
        let mut store = self.cache.store();
        store.renew(&key, &stale.version, Instant::now());
    }

    /// Drops a stale result, because the server refuses the request now.
    pub(crate) fn remove(&self, stale: &StaleResult, miss: &CacheMiss) {
        let key = miss.key(&stale.scope);
        self.cache.store().remove(&key);
    }

    /// Stores a result if the server allows it.
    pub(crate) fn insert(&self, miss: &CacheMiss, text: &str) {
        #[derive(Deserialize)]
        struct Hints {
            #[serde(rename = "ttlMs")]
            ttl: Number,
            #[serde(rename = "cacheScope")]
            scope: String,
        }
        let hints = serde_json::from_str::<Hints>(text)
            .ok()
            .filter(|_| miss.always_stale().is_none());
        let ttl = hints
            .as_ref()
            .and_then(|hints| hints.ttl.to_i64())
            .and_then(|ttl| u64::try_from(ttl).ok());
        let is_public = hints.is_some_and(|hints| hints.scope == "public");
        let shared = self.shared.as_ref().filter(|_| is_public);
        let ttl = Duration::from_millis(ttl.unwrap_or_default());
        let version = miss.version(text);
        let key = miss.key(shared.unwrap_or(&self.own));
        if ttl.is_zero() && version.is_none() {
            // It can never be used.
            return self.cache.store().remove(&key);
        }
        let result = NewResult {
            text: text.into(),
            ttl,
            version,
            generation: miss.generation,
        };
        self.cache.store().insert(key, result, Instant::now());
    }

    /// Drops the results that a notification outdates.
    pub(crate) fn invalidate_by(&self, notification: &str, params: &str) {
        match notification {
            ToolListChangedNotification::METHOD => self.invalidate(ListToolsRequest::METHOD),
            PromptListChangedNotification::METHOD => self.invalidate(ListPromptsRequest::METHOD),
            ResourceListChangedNotification::METHOD => {
                self.invalidate(ListResourcesRequest::METHOD);
                self.invalidate(ListResourceTemplatesRequest::METHOD);
            }
            ResourceUpdatedNotification::METHOD => {
                self.invalidate_resource(key::uri(params).as_deref());
            }
            _ => {}
        }
    }

    /// Drops the results of a resource, or of all resources if the URI is unknown.
    pub(crate) fn invalidate_resource(&self, uri: Option<&str>) {
        let revalidated = self.revalidation.map(Revalidation::method);
        let methods = [Some(ReadResourceRequest::METHOD), revalidated];
        for method in methods.into_iter().flatten() {
            let Some(uri) = uri else {
                self.invalidate(method);
                continue;
            };
            // The URI may be that of a sub-resource, or of a containing one.
            self.invalidate_where(method, |params| {
                let cached = key::uri(params).unwrap_or_default();
                cached.starts_with(uri) || uri.starts_with(&cached)
            });
        }
    }

    /// Drops the results of a method.
    pub(crate) fn invalidate(&self, method: &'static str) {
        self.invalidate_where(method, |_| true);
    }

    /// Drops the results that only this client may use.
    pub(crate) fn clear_own(&self) {
        self.cache
            .store()
            .invalidate_all(|key| key.scope == self.own);
    }

    fn invalidate_where(&self, method: &'static str, params: impl Fn(&str) -> bool) {
        let server = self.cache.server.as_deref();
        self.cache.store().invalidate(method, |key| {
            let ours = match &key.scope {
                Scope::Shared { server: theirs, .. } => Some(&**theirs) == server,
                own @ Scope::Own(_) => *own == self.own,
            };
            ours && params(&key.params)
        });
    }
}

impl Drop for ClientCache {
    fn drop(&mut self) {
        self.cache.store().remove_where(|key| key.scope == self.own);
    }
}
