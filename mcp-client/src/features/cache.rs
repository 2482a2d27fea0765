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

    /// Sets the number of results.
    #[must_use]
    pub fn entries(self, most: usize) -> Self {
        self.store().limit(Some(most), None);
        self
    }

    /// Sets the bytes of results and their keys.
    #[must_use]
    pub fn bytes(self, most: usize) -> Self {
        self.store().limit(None, Some(most));
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
        self.store().forget(|_| true);
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

/// The key of a result that is not cached.
pub(crate) struct Missing {
    method: &'static str,
    params: String,
    /// The age of the method when the request was sent: a result that a change has outdated since is
    /// not stored.
    age: u64,
}

/// The outcome of a lookup.
pub(crate) enum Found {
    /// The cached result.
    Kept(Arc<str>),
    /// No result is cached. The response may be stored when it arrives.
    Missing(Missing),
    /// The result must not be cached.
    Never,
}

impl ClientCache {
    /// `capabilities` are those of the client, as JSON.
    pub(crate) fn new(cache: Cache, capabilities: &str) -> Self {
        let own = Scope::Own(cache.store().client());
        let shared = cache.server.as_ref().map(|server| Scope::Shared {
            server: Arc::clone(server),
            capabilities: capabilities.into(),
        });
        Self { cache, own, shared }
    }

    /// Looks up the result of a call. If it has to be `fresh`, only prepares to store it. `client` and
    /// `call` are the members that they add to `_meta`.
    pub(crate) fn find(
        &self,
        method: &'static str,
        params: &Params<'_>,
        client: &Map<Box<RawValue>>,
        call: &Object,
        fresh: bool,
    ) -> Found {
        if !is_cacheable(method) {
            return Found::Never;
        }
        let Some(params) = key::params(params, client, call) else {
            return Found::Never;
        };
        let mut store = self.cache.store();
        let mut missing = Missing {
            method,
            params,
            age: store.age(method),
        };
        for scope in [Some(&self.own), self.shared.as_ref()] {
            let Some(scope) = scope.filter(|_| !fresh) else {
                continue;
            };
            let key = Key {
                scope: scope.clone(),
                method,
                params: missing.params,
            };
            if let Some(text) = store.get(&key, Instant::now()) {
                return Found::Kept(text);
            }
            missing.params = key.params;
        }
        Found::Missing(missing)
    }

    /// Stores a result if the server allows it.
    pub(crate) fn keep(&self, missing: Missing, text: &str) {
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
            method: missing.method,
            params: missing.params,
        };
        let until = Instant::now() + ttl;
        self.cache.store().put(key, text, until, missing.age);
    }

    /// Drops the results that a notification outdates.
    pub(crate) fn notice(&self, notification: &str, params: &str) {
        match notification {
            ToolListChangedNotification::METHOD => self.forget(ListToolsRequest::METHOD),
            PromptListChangedNotification::METHOD => self.forget(ListPromptsRequest::METHOD),
            ResourceListChangedNotification::METHOD => {
                self.forget(ListResourcesRequest::METHOD);
                self.forget(ListResourceTemplatesRequest::METHOD);
            }
            ResourceUpdatedNotification::METHOD => {
                self.changed(key::uri(params));
            }
            #[cfg(feature = "versioned-resources")]
            ResourceContentChangedNotification::METHOD => {
                // Lists contain the version of resources.
                self.forget(ListResourcesRequest::METHOD);
                self.changed(key::resource(params));
            }
            _ => {}
        }
    }

    /// Drops the results of a resource, or of all resources if the URI is unknown.
    fn changed(&self, uri: Option<String>) {
        let method = ReadResourceRequest::METHOD;
        let Some(uri) = uri else {
            return self.forget(method);
        };
        // The URI may be that of a sub-resource, or of a containing one.
        self.forget_where(method, |params| {
            let kept = key::uri(params).unwrap_or_default();
            kept.starts_with(&uri) || uri.starts_with(&kept)
        });
    }

    /// Drops the results of a method.
    pub(crate) fn forget(&self, method: &'static str) {
        self.forget_where(method, |_| true);
    }

    /// Drops the results that only this client may use.
    pub(crate) fn forget_own(&self) {
        self.cache.store().forget(|key| key.scope == self.own);
    }

    fn forget_where(&self, method: &'static str, params: impl Fn(&str) -> bool) {
        let server = self.cache.server.as_deref();
        self.cache.store().changed(method, |key| {
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
        self.cache.store().leave(|key| key.scope == self.own);
    }
}
