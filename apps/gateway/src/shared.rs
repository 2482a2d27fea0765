//! [`Shared`]: what all requests of a gateway share.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use mcp_server::types::LoggingLevel;
use mcp_server::types::uri::canonical;
use mcp_server::{Change, ClientSession, Context, HandlerError, Server};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;

use crate::announcements::{Params, addressed};
use crate::fault::{OnReport, UpstreamFault};
use crate::names::Names;
use crate::upstream::Upstream;
use crate::upstream::connection::Identity;
use crate::upstream::follower::OnMissed;
use crate::upstream::pool::{Notices, Pool};
use crate::upstream::refresh::Lists;
use crate::upstream::traffic::OnChange;

/// What all requests of a gateway share.
pub(crate) struct Shared {
    upstreams: watch::Sender<Upstreams>,
    pub(crate) sessions: Sessions,
    pub(crate) cleaner: OnceLock<AbortHandle>,
    pub(crate) on_report: Option<OnReport>,
    /// The servers that are left out, by name, with the reasons.
    left_out: Mutex<BTreeMap<String, UpstreamFault>>,
}

impl Shared {
    pub(crate) fn new(upstreams: Vec<Arc<Behind>>, on_report: Option<OnReport>) -> Self {
        Self {
            on_report,
            upstreams: watch::Sender::new(Upstreams::new(upstreams)),
            sessions: Sessions::default(),
            cleaner: OnceLock::new(),
            left_out: Mutex::default(),
        }
    }

    /// Returns the upstreams as they are now, in their order.
    pub(crate) fn upstreams(&self) -> Arc<[Arc<Behind>]> {
        Arc::clone(&self.upstreams.borrow().all)
    }

    /// Returns the upstreams that the client of a request may know of, in their order. For the others,
    /// nothing is sent on behalf of this client.
    pub(crate) fn upstreams_for(&self, cx: &Context) -> Arc<[Arc<Behind>]> {
        let all = self.upstreams();
        let is_presented = |behind: &&Arc<Behind>| behind.pool.upstream.is_presented_to(cx);
        if all.iter().all(|behind| is_presented(&behind)) {
            return all;
        }
        all.iter().filter(is_presented).cloned().collect()
    }

    /// Returns what is notified when the upstreams change.
    pub(crate) fn changes(&self) -> watch::Receiver<Upstreams> {
        self.upstreams.subscribe()
    }

    /// Returns the upstreams in the order in which names and URIs are searched: everything could be
    /// a name of an upstream without a prefix.
    pub(crate) fn searched(&self) -> Arc<[Arc<Behind>]> {
        Arc::clone(&self.upstreams.borrow().searched)
    }

    /// Returns the upstream if there is only one.
    pub(crate) fn only(&self) -> Option<Arc<Behind>> {
        match &*self.upstreams() {
            [only] => Some(Arc::clone(only)),
            _ => None,
        }
    }

    /// Changes the upstreams.
    pub(crate) fn replace<E>(
        &self,
        change: impl FnOnce(Vec<Arc<Behind>>) -> Result<Vec<Arc<Behind>>, E>,
    ) -> Result<(), E> {
        let mut result = Ok(());
        self.upstreams
            .send_if_modified(|upstreams| match change(upstreams.all.to_vec()) {
                Ok(changed) => {
                    *upstreams = Upstreams::new(changed);
                    true
                }
                Err(error) => {
                    result = Err(error);
                    false
                }
            });
        result
    }

    /// Returns the servers that are left out.
    pub(crate) fn left_out(&self) -> MutexGuard<'_, BTreeMap<String, UpstreamFault>> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops what is not used any more.
    pub(crate) fn clean(&self) {
        for behind in self.upstreams().iter() {
            behind.pool.close_idle();
            behind.lists.remove_ended();
        }
        self.sessions.remove_ended();
    }
}

/// The upstreams of a gateway.
pub(crate) struct Upstreams {
    /// In the order in which they were added.
    all: Arc<[Arc<Behind>]>,
    /// In the order in which names and URIs are searched.
    searched: Arc<[Arc<Behind>]>,
}

impl Upstreams {
    fn new(all: Vec<Arc<Behind>>) -> Self {
        let mut searched = all.clone();
        searched.sort_by_key(|behind| behind.names.prefix().is_none());
        Self {
            all: all.into(),
            searched: searched.into(),
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(cleaner) = self.cleaner.get() {
            cleaner.abort();
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let upstreams = self.upstreams();
        let names = upstreams.iter().map(|behind| &behind.pool.upstream.name);
        f.debug_list().entries(names).finish()
    }
}

/// An upstream with its connections, its lists and the names that clients of the gateway see.
pub(crate) struct Behind {
    pub(crate) pool: Arc<Pool>,
    pub(crate) lists: Arc<Lists>,
    pub(crate) names: Names,
}

impl Behind {
    pub(crate) fn new(
        upstream: Upstream,
        names: Names,
        identity: Identity,
        server: Arc<OnceLock<Server>>,
        on_report: Option<OnReport>,
    ) -> Self {
        let uris = names.uris.clone();
        let lists = Arc::new_cyclic(|this: &Weak<Lists>| {
            let lists = this.clone();
            let pool = Arc::new_cyclic(|pool: &Weak<Pool>| {
                let (pool, compared, missed) = (pool.clone(), lists.clone(), lists);
                let on_change: OnChange = Arc::new(move |change, announced| {
                    let mut params = None;
                    // What the gateway itself has found out is in the lists already.
                    if let Some((text, owner)) = announced {
                        if let Some(pool) = pool.upgrade() {
                            pool.lists.note(&change);
                        }
                        params = addressed(text, owner);
                        if params.is_none() && !matches!(change, Change::Resource(_)) {
                            if let Some(lists) = compared.upgrade() {
                                lists.collect(change);
                            }
                            return;
                        }
                    }
                    let change = match change {
                        Change::Resource(uri) => {
                            Change::Resource(uris.presented(&uri).into_owned())
                        }
                        change => change,
                    };
                    if let Some(server) = server.get() {
                        announce(server, change, params.as_ref());
                    }
                });
                let on_missed: OnMissed = Arc::new(move || {
                    if let Some(lists) = missed.upgrade() {
                        lists.compare_all();
                    }
                });
                let notices = Notices {
                    on_change,
                    on_missed,
                };
                Pool::new(upstream, identity, notices, on_report)
            });
            Lists::new(pool, this.clone())
        });
        Self {
            pool: Arc::clone(lists.pool()),
            lists,
            names,
        }
    }
}

/// Announces a change to the clients of the gateway, with what its params have beside it.
fn announce(server: &Server, change: Change, params: Option<&Params>) {
    let Some(params) = params else {
        return server.announce(change);
    };
    if let Err(error) = server.announce_with(change.clone(), params) {
        tracing::debug!(%error, "the params of an announcement are not passed on");
        server.announce(change);
    }
}

/// A channel that is closed when upstreams have answered, or has the error of one that has no place
/// for a subscription.
pub(crate) type Begun = oneshot::Receiver<HandlerError>;

/// A subscription of a client that a task repeats at the upstreams. It ends when this is dropped.
pub(crate) struct Repeated(pub(crate) AbortHandle);

impl Drop for Repeated {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What sessions of clients have set, by their keys.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, SessionSettings>>);

struct SessionSettings {
    session: ClientSession,
    log_level: Option<LoggingLevel>,
    /// The subscriptions at upstreams, by the URIs that the client knows, in their canonical form:
    /// the server limits the number of these.
    subscriptions: HashMap<String, Repeated>,
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, SessionSettings>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, session: &ClientSession, change: impl FnOnce(&mut SessionSettings)) {
        let mut all = self.all();
        // A process that has forgotten a session may get its requests again.
        let known = all.get(session.key());
        if known.is_some_and(|known| known.session.has_ended()) && !session.has_ended() {
            all.remove(session.key());
        }
        let settings = all
            .entry(session.key().to_owned())
            .or_insert_with(|| SessionSettings {
                session: session.clone(),
                log_level: None,
                subscriptions: HashMap::new(),
            });
        change(settings);
    }

    /// Remembers the level of log messages, for connections that are made later.
    pub(crate) fn set_log_level(&self, session: &ClientSession, level: LoggingLevel) {
        self.change(session, |settings| settings.log_level = Some(level));
    }

    pub(crate) fn log_level(&self, session: &ClientSession) -> Option<LoggingLevel> {
        self.all().get(session.key())?.log_level
    }

    /// Starts a subscription at upstreams, unless there is one, and keeps it until the client
    /// unsubscribes or its session ends.
    pub(crate) fn subscribe(
        &self,
        session: &ClientSession,
        uri: &str,
        start: impl FnOnce() -> (Repeated, Begun),
    ) -> Option<Begun> {
        let mut begun = None;
        self.change(session, |settings| {
            if let Entry::Vacant(entry) = settings.subscriptions.entry(canonical(uri).into_owned())
            {
                let (repeated, begins) = start();
                entry.insert(repeated);
                begun = Some(begins);
            }
        });
        begun
    }

    pub(crate) fn unsubscribe(&self, session: &ClientSession, uri: &str) {
        self.change(session, |settings| {
            settings.subscriptions.remove(&*canonical(uri));
        });
    }

    /// Forgets the sessions that have ended.
    fn remove_ended(&self) {
        self.all()
            .retain(|_, settings| !settings.session.has_ended());
    }
}
