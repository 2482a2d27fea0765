//! [`Pool`]: the connections to one upstream.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::{ClientCapabilities, Revision, ServerCapabilities, SubscriptionFilter};
use mcp_server::{ClientSession, HandlerError};
use tokio::sync::{Notify, Semaphore, SemaphorePermit, watch};
use tokio::time::{Instant, timeout};

use super::connection::{Identity, Lease, Link, LinkKey, Purpose};
use super::follower::Follower;
use super::header_params::HeaderParams;
use super::list_cache::ListCache;
use super::owner::Owner;
use super::traffic::OnChange;
use super::{Kind, Upstream, UpstreamStatus};

/// After a failure, connections are refused for this time, which doubles with each further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// For whom a connection is used, and how.
pub(crate) struct Wanted {
    pub(crate) key: LinkKey,
    pub(crate) session: Option<ClientSession>,
    pub(crate) capabilities: ClientCapabilities,
    /// Whether no other call may use the connection, because what the upstream sends beside the
    /// result has to belong to this one.
    pub(crate) is_exclusive: bool,
}

/// The connections to one upstream.
pub(crate) struct Pool {
    pub(crate) upstream: Upstream,
    identity: Identity,
    on_change: OnChange,
    calls: Semaphore,
    /// Notified when a use of a connection ends.
    freed: Arc<Notify>,
    state: Mutex<PoolState>,
    pub(crate) lists: ListCache,
    pub(crate) header_params: HeaderParams,
    /// Follows the changes of the lists of a modern upstream.
    follower: Mutex<Option<Follower>>,
    /// Subscriptions end when this is dropped, and with them their connections.
    open: watch::Sender<()>,
}

#[derive(Default)]
struct PoolState {
    links: Vec<Arc<Link>>,
    /// What the last connection told of the upstream.
    about: Option<About>,
    failure: Option<Failure>,
}

/// What a connection told of the upstream.
struct About {
    revision: Revision,
    capabilities: ServerCapabilities,
    instructions: Option<String>,
}

/// The last failure to connect.
struct Failure {
    until: Instant,
    pause: Duration,
}

/// A connection that is used for a call.
pub(crate) struct Connected<'a> {
    pub(crate) client: Client,
    lease: Lease,
    _permit: SemaphorePermit<'a>,
}

impl Connected<'_> {
    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.lease.link
    }
}

impl Pool {
    pub(crate) fn new(upstream: Upstream, identity: Identity, on_change: OnChange) -> Self {
        Self {
            calls: Semaphore::new(upstream.limits.calls.clamp(1, Semaphore::MAX_PERMITS)),
            upstream,
            identity,
            on_change,
            freed: Arc::default(),
            state: Mutex::default(),
            lists: ListCache::default(),
            header_params: HeaderParams::default(),
            follower: Mutex::default(),
            open: watch::Sender::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> &str {
        &self.upstream.name
    }

    /// Connects to an upstream that was not connected before, and returns its revision.
    pub(crate) async fn learn_revision(&self, wanted: &Wanted) -> Result<Revision, HandlerError> {
        let lease = self.lease(wanted, &Purpose::List).await?;
        Ok(self.client_of(&lease, wanted).await?.revision())
    }

    /// Returns the revision of the upstream, if it was connected before.
    pub(crate) fn revision(&self) -> Option<Revision> {
        self.state().about.as_ref().map(|about| about.revision)
    }

    /// Returns the capabilities of the upstream, if it was connected before.
    pub(crate) fn capabilities(&self) -> Option<ServerCapabilities> {
        self.state()
            .about
            .as_ref()
            .map(|about| about.capabilities.clone())
    }

    /// Returns the instructions of the upstream.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.state().about.as_ref()?.instructions.clone()
    }

    /// Returns `true` if the upstream announces changes of a list.
    pub(crate) fn announces(&self, kind: Kind) -> bool {
        let Some(known) = self.capabilities() else {
            return false;
        };
        let announced = match kind {
            Kind::Tool => known.tools.and_then(|tools| tools.list_changed),
            Kind::Prompt => known.prompts.and_then(|prompts| prompts.list_changed),
            Kind::Resource | Kind::ResourceTemplate => {
                known.resources.and_then(|resources| resources.list_changed)
            }
        };
        announced == Some(true)
    }

    pub(crate) fn status(&self) -> UpstreamStatus {
        let state = self.state();
        UpstreamStatus {
            name: self.upstream.name.clone(),
            revision: state.about.as_ref().map(|about| about.revision),
            connections: state
                .links
                .iter()
                .filter(|link| link.connected().is_some())
                .count(),
            is_failing: state.failure.is_some(),
        }
    }

    pub(crate) fn on_change(&self) -> OnChange {
        Arc::clone(&self.on_change)
    }

    /// Connects, to learn what the upstream can do. The connection is used by clients that cannot
    /// be asked anything.
    pub(crate) async fn probe(&self) -> Result<(), HandlerError> {
        let wanted = Wanted {
            key: LinkKey {
                owner: Owner::Anonymous,
                capabilities: "{}".to_owned(),
            },
            session: None,
            capabilities: ClientCapabilities::new(),
            is_exclusive: false,
        };
        self.learn_revision(&wanted).await.map(drop)
    }

    /// Returns a connection, which is connected.
    pub(crate) async fn connect(
        &self,
        wanted: &Wanted,
        purpose: Purpose,
    ) -> Result<Connected<'_>, HandlerError> {
        let time = self.upstream.limits.connect_time;
        let permit = timeout(time, self.calls.acquire()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(self.overloaded("calls"));
        };
        let lease = self.lease(wanted, &purpose).await?;
        let client = self.client_of(&lease, wanted).await?;
        Ok(Connected {
            client,
            lease,
            _permit: permit,
        })
    }

    /// Returns a connection for a subscription, and its client. Does not wait for a connection: a
    /// client waits for the answers of all upstreams.
    pub(crate) async fn listen(&self, wanted: &Wanted) -> Result<(Lease, Client), HandlerError> {
        let lease = self.try_lease(wanted, &Purpose::Subscription);
        let lease = lease.ok_or_else(|| self.overloaded("subscriptions"))?;
        let client = self.client_of(&lease, wanted).await?;
        Ok((lease, client))
    }

    /// Returns what tells a subscription that the upstream was removed.
    pub(crate) fn open(&self) -> watch::Receiver<()> {
        self.open.subscribe()
    }

    /// Returns the connections of a session.
    pub(crate) fn of_session(&self, session: &str) -> Vec<Arc<Link>> {
        let state = self.state();
        let links = state.links.iter().filter(|link| {
            let own = link.session.as_ref();
            own.is_some_and(|own| own.key() == session)
        });
        links.cloned().collect()
    }

    fn overloaded(&self, what: &str) -> HandlerError {
        let text = format!(
            "the server `{}` behind the gateway has too many {what}",
            self.name()
        );
        HandlerError::internal(text).temporary()
    }

    /// Finds a connection or adds one, and uses it. Waits while there are too many.
    async fn lease(&self, wanted: &Wanted, purpose: &Purpose) -> Result<Lease, HandlerError> {
        let waiting = async {
            loop {
                // Registered before the connections are looked at, so that no end is missed.
                let mut freed = pin!(self.freed.notified());
                freed.as_mut().enable();
                if let Some(lease) = self.try_lease(wanted, purpose) {
                    return lease;
                }
                freed.await;
            }
        };
        let lease = timeout(self.upstream.limits.connect_time, waiting).await;
        lease.map_err(|_| self.overloaded("connections"))
    }

    /// Finds a connection or adds one, and uses it. `None` if there are too many.
    fn try_lease(&self, wanted: &Wanted, purpose: &Purpose) -> Option<Lease> {
        let is_call = matches!(purpose, Purpose::Call(_));
        let mut dropped = Vec::new();
        let mut state = self.state();
        // The connection that was used last is the most likely one to have the caller's state.
        let mut own = state
            .links
            .iter()
            .rev()
            .filter(|link| link.key == wanted.key);
        let found = own
            .find(|link| !link.is_closed() && (!is_call || link.is_free(wanted.is_exclusive)))
            .cloned();
        let listened = found.as_ref().is_some_and(|link| link.has_subscriptions());
        if matches!(purpose, Purpose::Subscription) && !listened {
            let links = state.links.iter();
            let listened = links.filter(|link| link.has_subscriptions()).count();
            if listened >= (self.upstream.limits.connections / 2).max(1) {
                return None;
            }
        }
        let link = if let Some(link) = found {
            link
        } else {
            // The clients of connections are dropped when the lock is released.
            dropped.extend(state.links.extract_if(.., |link| link.is_closed()));
            if state.links.len() >= self.upstream.limits.connections {
                let idle = state
                    .links
                    .iter()
                    .enumerate()
                    .filter(|(_, link)| link.is_idle());
                // Those of the caller first, so that one client cannot close those of all others.
                let oldest = idle
                    .max_by_key(|(_, link)| (link.key.owner == wanted.key.owner, link.idle_time()));
                let oldest = oldest.map(|(at, _)| at);
                dropped.push(state.links.swap_remove(oldest?));
            }
            let (key, session) = (wanted.key.clone(), wanted.session.clone());
            let (on_change, freed) = (Arc::clone(&self.on_change), Arc::clone(&self.freed));
            let link = Arc::new(Link::new(key, session, on_change, freed));
            state.links.push(Arc::clone(&link));
            link
        };
        Some(Lease::new(link, purpose.clone(), wanted.is_exclusive))
    }

    /// Returns the client of a connection. The first of its users connects, and the others wait.
    async fn client_of(&self, lease: &Lease, wanted: &Wanted) -> Result<Client, HandlerError> {
        let link = &lease.link;
        let connect = async || {
            self.check_pause()?;
            let builder = link.builder(&self.upstream, &self.identity, &wanted.capabilities);
            let connecting = (self.upstream.connector)(builder);
            // Noted before the next user of the connection may try.
            match timeout(self.upstream.limits.connect_time, connecting).await {
                Ok(Ok(client)) => {
                    self.note_success(&client);
                    Ok(client)
                }
                Ok(Err(error)) => {
                    self.note_failure();
                    let text = format!("upstream `{}`: {error}", self.name());
                    Err(self.refused().logged_as(text))
                }
                Err(_) => {
                    self.note_failure();
                    let text = format!("connecting to `{}` takes too long", self.name());
                    Err(self.refused().logged_as(text))
                }
            }
        };
        link.client(connect).await.cloned()
    }

    /// Without the cause, which may contain addresses and the output of programs.
    fn refused(&self) -> HandlerError {
        let name = self.name();
        let text = format!("the server `{name}` behind the gateway cannot be reached");
        HandlerError::internal(text).temporary()
    }

    /// Refuses connections for some time after a failure.
    fn check_pause(&self) -> Result<(), HandlerError> {
        let state = self.state();
        let paused = state.failure.as_ref().map(|failure| failure.until);
        if paused.is_some_and(|until| Instant::now() < until) {
            return Err(self.refused());
        }
        Ok(())
    }

    fn note_success(&self, client: &Client) {
        let mut state = self.state();
        state.about = Some(About {
            revision: client.revision(),
            capabilities: client.server_capabilities(),
            instructions: client.instructions(),
        });
        state.failure = None;
        drop(state);
        self.follow_lists(client);
    }

    fn note_failure(&self) {
        let mut state = self.state();
        let last = state.failure.as_ref().map(|failure| failure.pause * 2);
        let pause = last.unwrap_or(FIRST_PAUSE).min(LONGEST_PAUSE);
        let until = Instant::now() + pause;
        state.failure = Some(Failure { until, pause });
    }

    /// Follows the changes of the lists, unless another connection does. Upstreams with sessions
    /// announce changes on each connection.
    fn follow_lists(&self, client: &Client) {
        let mut follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        let is_followed = follower.as_ref().is_some_and(|known| !known.has_ended());
        if client.revision().is_modern() && !is_followed {
            let filter = SubscriptionFilter::new()
                .tools_list_changed(true)
                .prompts_list_changed(true)
                .resources_list_changed(true);
            // One that has ended has missed changes.
            let is_again = follower.is_some();
            *follower = Some(Follower::of_changes(
                client,
                filter,
                self.on_change(),
                None,
                self.open(),
                is_again,
            ));
        }
    }

    /// Closes connections that have not been used for long, and those of sessions that have ended.
    pub(crate) fn close_idle(&self) {
        let most = self.upstream.limits.idle_time;
        let is_over = |link: &mut Arc<Link>| {
            let ended = link.session.as_ref().is_some_and(ClientSession::has_ended);
            link.is_closed()
                || (ended && !link.is_busy())
                || (link.is_idle() && link.idle_time() > most)
        };
        let closed: Vec<_> = self.state().links.extract_if(.., is_over).collect();
        drop(closed);
        self.freed.notify_waiters();
    }
}
