//! [`Cache`]: caches results for as long as the server allows.

mod key;
mod store;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(feature = "versioned-resources")]
use mcp_types::ResourceContentChangedNotification;
use mcp_types::json::{Map, Number, Object};
use mcp_types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    Notification, PromptListChangedNotification, ReadResourceRequest, Request,
    ResourceListChangedNotification, ResourceUpdatedNotification, ToolListChangedNotification,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::protocol::caching::is_cacheable;
use crate::protocol::params::Params;
use store::{Key, Scope, Store};

/// The longest time for which a result is cached: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Caches results of servers of the newest revision for as long as they allow (`ttlMs`, page
/// "Caching" of the specification): pages of lists, contents of resources, and the description of
/// the server. Results without `ttlMs`, or with 0, are not cached; older revisions have none.
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
}

/// The key of a result that is not cached yet.
pub(crate) struct CacheMiss {
    method: &'static str,
    params: String,
    /// The generation of the method when the request was sent: a result that was invalidated since is
    /// not stored.
    generation: u64,
}

/// The outcome of a lookup.
pub(crate) enum Lookup {
    /// The cached result.
    Cached(Arc<str>),
    /// No result is cached. The response may be stored when it arrives.
    Miss(CacheMiss),
    /// The result must not be cached.
    Uncacheable,
}

impl ClientCache {
    /// `capabilities` are those of the client, as JSON.
    pub(crate) fn new(cache: Cache, capabilities: &str) -> Self {
        let own = Scope::Own(cache.store().next_client());
        let shared = cache.server.as_ref().map(|server| Scope::Shared {
            server: Arc::clone(server),
            capabilities: capabilities.into(),
        });
        Self { cache, own, shared }
    }

    /// Looks up the result of a call. If it has to be `fresh`, only prepares to store it. `client` and
    /// `call` are the members that they add to `_meta`.
    pub(crate) fn look_up(
        &self,
        method: &'static str,
        params: &Params<'_>,
        client: &Map<Box<RawValue>>,
        call: &Object,
        fresh: bool,
    ) -> Lookup {
        if !is_cacheable(method) {
            return Lookup::Uncacheable;
        }
        let Some(params) = key::params(params, client, call) else {
            return Lookup::Uncacheable;
        };
        let mut store = self.cache.store();
        let mut miss = CacheMiss {
            method,
            params,
            generation: store.generation(method),
        };
        for scope in [Some(&self.own), self.shared.as_ref()] {
            let Some(scope) = scope.filter(|_| !fresh) else {
                continue;
            };
            let key = Key {
                scope: scope.clone(),
                method,
                params: miss.params,
            };
            if let Some(text) = store.get(&key, Instant::now()) {
                return Lookup::Cached(text);
            }
            miss.params = key.params;
        }
        Lookup::Miss(miss)
    }

    /// Stores a result if the server allows it.
    pub(crate) fn insert(&self, miss: CacheMiss, text: &str) {
        #[derive(Deserialize)]
        struct Hints {
            #[serde(rename = "ttlMs")]
            ttl: Number,
            #[serde(rename = "cacheScope")]
            scope: String,
        }
        let Ok(hints) = serde_json::from_str::<Hints>(text) else {
            return;
        };
        let ttl = hints.ttl.to_i64().and_then(|ttl| u64::try_from(ttl).ok());
        let ttl = Duration::from_millis(ttl.unwrap_or_default()).min(LONGEST);
        if ttl.is_zero() {
            return;
        }
        let shared = self.shared.as_ref().filter(|_| hints.scope == "public");
        let key = Key {
            scope: shared.unwrap_or(&self.own).clone(),
            method: miss.method,
            params: miss.params,
        };
        let expiry = Instant::now() + ttl;
        self.cache
            .store()
            .insert(key, text, expiry, miss.generation);
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
                self.invalidate_resource(key::uri(params));
            }
            #[cfg(feature = "versioned-resources")]
            ResourceContentChangedNotification::METHOD => {
                // Lists contain the version of resources.
                self.invalidate(ListResourcesRequest::METHOD);
                self.invalidate_resource(key::resource(params));
            }
            _ => {}
        }
    }

    /// Drops the results of a resource, or of all resources if the URI is unknown.
    fn invalidate_resource(&self, uri: Option<String>) {
        let method = ReadResourceRequest::METHOD;
        let Some(uri) = uri else {
            return self.invalidate(method);
        };
        // The URI may be that of a sub-resource, or of a containing one.
        self.invalidate_where(method, |params| {
            let cached = key::uri(params).unwrap_or_default();
            cached.starts_with(&uri) || uri.starts_with(&cached)
        });
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
