//! [`Cache`]: results that need not be asked for again.

mod key;
mod store;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(feature = "versioned-resources")]
use mcp_types::ResourceContentChangedNotification;
use mcp_types::json::{Map, Number};
use mcp_types::{
    ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    Notification, PromptListChangedNotification, ReadResourceRequest, Request,
    ResourceListChangedNotification, ResourceUpdatedNotification, ToolListChangedNotification,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::protocol::caching::is_cacheable;
use key::params;
use store::{Key, Scope, Store};

/// Longer than this, nothing is kept: a day.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Keeps results of servers of the newest revision for as long as they say (`ttlMs`, page
/// "Caching" of the specification): lists, page by page, what resources hold, and what a server
/// says of itself. What says nothing, or 0, is not kept; results of older revisions say nothing.
///
/// ```
/// # use mcp_client::{Cache, CallError, Client};
/// let builder = Client::builder("demo", "1.0.0").cache(Cache::new().entries(1000));
/// # async fn show(client: Client) -> Result<(), CallError> {
/// let tools = client.tools().one_page().await?;
/// // Not asked for again, unless it must be.
/// let tools = client.tools().one_page().await?;
/// let tools = client.tools().one_page().fresh().await?;
/// # Ok(())
/// # }
/// ```
///
/// A result is found again by its method and the params that matter: not by progress tokens and
/// traces in `_meta`, but by all else that a program put there. Results of calls that were answered
/// with questions are not kept. A notification that something changed, which a server sends to
/// those who [listen](crate::Client::listen), drops what is kept of it, and so does a cursor that
/// the server does not know any more.
///
/// What is kept for one client is for this client alone, and dropped with it: each client is an
/// authorization context of its own. Only results that the server calls `public` may be shared,
/// and they are between clients that were given the same server's [name](Self::of):
///
/// ```
/// # use mcp_client::{Cache, Client};
/// let cache = Cache::new().of("https://example.com/mcp");
/// let one = Client::builder("demo", "1.0.0").cache(cache.clone());
/// let another = Client::builder("demo", "1.0.0").cache(cache);
/// ```
///
/// When the cache is full, what was not used for the longest time makes room.
#[derive(Clone)]
pub struct Cache {
    store: Arc<Mutex<Store>>,
    /// Who gave what is shared.
    server: Option<Arc<str>>,
}

impl Cache {
    /// An empty cache for 256 results of 8 MiB in all.
    #[must_use]
    pub fn new() -> Self {
        Self {
            store: Arc::default(),
            server: None,
        }
    }

    /// At most so many results.
    #[must_use]
    pub fn entries(self, most: usize) -> Self {
        self.store().limit(Some(most), None);
        self
    }

    /// At most so many bytes of results and of what they are found by.
    #[must_use]
    pub fn bytes(self, most: usize) -> Self {
        self.store().limit(None, Some(most));
        self
    }

    /// The same cache for clients of one server, who share what it calls public. The name has to
    /// tell servers apart: its address does.
    #[must_use]
    pub fn of(&self, server: impl Into<String>) -> Self {
        Self {
            store: Arc::clone(&self.store),
            server: Some(server.into().into()),
        }
    }

    /// Drops everything.
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

/// What is kept for one client.
pub(crate) struct ClientCache {
    cache: Cache,
    own: Scope,
    /// Where what is public stands: also by what the client can do, which a server may heed.
    shared: Option<Scope>,
}

/// A result that is not there yet.
pub(crate) struct Missing {
    method: &'static str,
    params: String,
    /// Whatever is dropped meanwhile, this would be as old.
    age: u64,
}

/// What became of looking for a result.
pub(crate) enum Found {
    /// It is there.
    Kept(Arc<str>),
    /// It may be kept when it comes.
    Missing(Missing),
    /// It is not to be kept.
    Never,
}

impl ClientCache {
    /// `capabilities` is what the client can do, as text.
    pub(crate) fn new(cache: Cache, capabilities: &str) -> Self {
        let own = Scope::Own(cache.store().client());
        let shared = cache.server.as_ref().map(|server| Scope::Shared {
            server: Arc::clone(server),
            capabilities: capabilities.into(),
        });
        Self { cache, own, shared }
    }

    /// Looks for the result of a call, or only makes ready to keep it where it has to be `fresh`.
    pub(crate) fn find(
        &self,
        method: &'static str,
        text: &str,
        known: &Map<Box<RawValue>>,
        meta: &mcp_types::json::Object,
        fresh: bool,
    ) -> Found {
        if !is_cacheable(method) {
            return Found::Never;
        }
        let Some(params) = params(text, known, meta) else {
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

    /// Keeps a result, if it wants to be kept.
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

    /// Drops what a notification speaks of.
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
                // Lists say which version there is.
                self.forget(ListResourcesRequest::METHOD);
                self.changed(key::resource(params));
            }
            _ => {}
        }
    }

    /// Drops what is kept of a resource, or, where it is not known which one, of all.
    fn changed(&self, uri: Option<String>) {
        let method = ReadResourceRequest::METHOD;
        let Some(uri) = uri else {
            return self.forget(method);
        };
        // It may speak of a part of what is kept, or of the whole.
        self.forget_where(method, |params| {
            let kept = key::uri(params).unwrap_or_default();
            kept.starts_with(&uri) || uri.starts_with(&kept)
        });
    }

    /// Drops what is kept of a method.
    pub(crate) fn forget(&self, method: &'static str) {
        self.forget_where(method, |_| true);
    }

    /// Drops what only this client may see.
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
