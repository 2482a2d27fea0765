//! [`Pool`]: the connections to one upstream.

use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::{
    ClientCapabilities, Implementation, Revision, ServerCapabilities, SubscriptionFilter,
};
use mcp_server::{HandlerError, PeerKey};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::connection::{
    Connected, Identity, Lease, Link, LinkKey, LinkRequest, ListenError, Purpose,
};
use super::failures::Failures;
use super::faults::Faults;
use super::follower::{Follower, OnMissed};
use super::header_params::HeaderParams;
use super::list_cache::ListCache;
use super::open_tasks::OpenTasks;
use super::room::{REPLACED_AFTER, make_room};
use super::shares::{Slots, share};
use super::traffic::OnChange;
use super::{Kind, Upstream, UpstreamStatus};
use crate::fault::{OnReport, UpstreamFault};

/// How long a client of several upstreams waits at least for a connection to one, and to one that
/// failed last.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);
const SHORT_PATIENCE: Duration = Duration::from_millis(750);

/// The connections to one upstream.
pub(crate) struct Pool {
    pub(crate) upstream: Upstream,
    identity: Identity,
    notices: Notices,
    pub(crate) faults: Faults,
    /// The calls and lists that the server works on.
    pub(crate) slots: Arc<Slots>,
    subscriptions: Slots,
    /// Notified when a use of a connection ends, or a user is asked.
    freed: Arc<Notify>,
    state: Mutex<PoolState>,
    /// Closes connections that were removed.
    ending: Mutex<JoinSet<()>>,
    pub(crate) lists: ListCache,
    pub(crate) header_params: HeaderParams,
    /// Whether the names of tools in the settings were looked for.
    pub(crate) has_checked_names: AtomicBool,
    /// The tasks of its users.
    pub(crate) open_tasks: OpenTasks,
    /// Follows the changes of the lists of a modern upstream.
    follower: Mutex<Option<Follower>>,
    /// Subscriptions end when this is dropped, and with them their connections.
    open: watch::Sender<()>,
}

/// What is called when something happens to an upstream.
pub(crate) struct Notices {
    pub(crate) on_change: OnChange,
    pub(crate) on_missed: OnMissed,
}

#[derive(Default)]
struct PoolState {
    links: Vec<Arc<Link>>,
    /// What the last connection told of the upstream.
    about: Option<About>,
    failures: Failures,
    /// Whether the gateway has been closed: no connection is added any more.
    is_closed: bool,
}

/// What a connection told of the upstream.
struct About {
    revision: Revision,
    capabilities: ServerCapabilities,
    info: Option<Implementation>,
    instructions: Option<String>,
    /// How long it took to connect.
    took: Duration,
}

impl Pool {
    pub(crate) fn new(
        upstream: Upstream,
        identity: Identity,
        notices: Notices,
        on_report: Option<OnReport>,
    ) -> Self {
        Self {
            faults: Faults::new(&upstream.name, on_report),
            slots: Arc::new(Slots::new(upstream.limits.calls, upstream.limits.shares)),
            subscriptions: Slots::new(upstream.limits.subscriptions, upstream.limits.shares),
            open_tasks: OpenTasks::new(upstream.limits.tasks, upstream.limits.shares),
            upstream,
            identity,
            notices,
            freed: Arc::default(),
            state: Mutex::default(),
            ending: Mutex::default(),
            lists: ListCache::default(),
            header_params: HeaderParams::default(),
            has_checked_names: AtomicBool::new(false),
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
    pub(crate) async fn learn_revision(
        &self,
        wanted: &LinkRequest,
    ) -> Result<Revision, HandlerError> {
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

    /// Returns the name, the version and the title of the upstream.
    pub(crate) fn info(&self) -> Option<Implementation> {
        self.state().about.as_ref()?.info.clone()
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
            is_failing: state.failures.is_failing(),
            fault: self.faults.last(),
        }
    }

    /// Returns how long a client of several upstreams waits for a connection to this one: twice as
    /// long as the last one took, and not long if it failed.
    pub(crate) fn connecting_patience(&self) -> Duration {
        let state = self.state();
        if state.failures.is_failing() {
            return SHORT_PATIENCE;
        }
        let took = state
            .about
            .as_ref()
            .map_or(Duration::ZERO, |about| about.took);
        took.saturating_mul(2).max(FIRST_PATIENCE)
    }

    /// Returns `true` if there is a connection for a client.
    pub(crate) fn has_link(&self, key: &LinkKey) -> bool {
        self.state().links.iter().any(|link| link.key == *key)
    }

    pub(crate) fn on_change(&self) -> OnChange {
        Arc::clone(&self.notices.on_change)
    }

    pub(crate) fn on_missed(&self) -> OnMissed {
        Arc::clone(&self.notices.on_missed)
    }

    /// Connects, to learn what the upstream can do. The connection is used by clients that cannot
    /// be asked anything.
    pub(crate) async fn probe(&self) -> Result<(), HandlerError> {
        let wanted = LinkRequest {
            key: LinkKey::probe(),
            // The gateway itself.
            peer: PeerKey::Connection(0),
            session: None,
            capabilities: ClientCapabilities::new(),
            is_exclusive: false,
        };
        self.learn_revision(&wanted).await.map(drop)
    }

    /// Closes the connection of [`probe`](Self::probe), unless a client uses it.
    pub(crate) fn close_probe(&self) {
        let key = LinkKey::probe();
        let closed = |link: &mut Arc<Link>| link.key == key && link.is_idle();
        let closed: Vec<_> = self.state().links.extract_if(.., closed).collect();
        self.end(&closed);
    }

    /// Returns a connection, which is connected.
    pub(crate) async fn connect(
        &self,
        wanted: &LinkRequest,
        purpose: Purpose,
    ) -> Result<Connected, HandlerError> {
        let slot = async {
            match &purpose {
                Purpose::Call(call) => {
                    call.begin().await;
                    None
                }
                Purpose::List | Purpose::Subscription => self.slots.wait(&wanted.peer).await,
            }
        };
        let slot = timeout(self.upstream.limits.connect_time, slot).await;
        let slot = slot.map_err(|_| self.overloaded("calls"))?;
        let mut lease = self.lease(wanted, &purpose).await?;
        lease.slot = slot;
        let client = self.client_of(&lease, wanted).await?;
        Ok(Connected::new(client, lease))
    }

    /// Returns a connection for a subscription, and its client. Hardly waits for a connection: a client
    /// waits for the answers of all upstreams.
    pub(crate) async fn listen(
        &self,
        wanted: &LinkRequest,
    ) -> Result<(Lease, Client), ListenError> {
        let full = || ListenError::Full(self.overloaded("subscriptions"));
        let slot = self.subscriptions.try_take(&wanted.peer).ok_or_else(full)?;
        let freed = self.freed.notified();
        let mut lease = self.try_lease(wanted, &Purpose::Subscription);
        if lease.is_none() {
            // A connection that is idle may be too young to be replaced now.
            let _ = timeout(REPLACED_AFTER, freed).await;
            lease = self.try_lease(wanted, &Purpose::Subscription);
        }
        let mut lease = lease.ok_or_else(full)?;
        lease.slot = Some(slot);
        let client = self.client_of(&lease, wanted).await;
        Ok((lease, client.map_err(ListenError::Failed)?))
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
    async fn lease(&self, wanted: &LinkRequest, purpose: &Purpose) -> Result<Lease, HandlerError> {
        let waiting = async {
            loop {
                // Registered before the connections are looked at, so that no end is missed.
                let mut freed = pin!(self.freed.notified());
                freed.as_mut().enable();
                if let Some(lease) = self.try_lease(wanted, purpose) {
                    return Ok(lease);
                }
                if self.state().is_closed {
                    return Err(HandlerError::internal("the gateway is closed"));
                }
                // Some connections may be replaced later.
                let _ = timeout(REPLACED_AFTER, freed).await;
            }
        };
        let lease = timeout(self.upstream.limits.connect_time, waiting).await;
        lease.map_err(|_| self.overloaded("connections"))?
    }

    /// Finds a connection or adds one, and uses it. `None` if there are too many, the peer has its
    /// share, or the gateway has been closed.
    fn try_lease(&self, wanted: &LinkRequest, purpose: &Purpose) -> Option<Lease> {
        let mut removed = Vec::new();
        let lease = self.leased(wanted, purpose, &mut removed);
        self.end(&removed);
        lease
    }

    fn leased(
        &self,
        wanted: &LinkRequest,
        purpose: &Purpose,
        removed: &mut Vec<Arc<Link>>,
    ) -> Option<Lease> {
        let is_call = matches!(purpose, Purpose::Call(_));
        let mut state = self.state();
        if state.is_closed {
            return None;
        }
        // The connection that was used last is the most likely one to have the caller's state.
        let mut own = state
            .links
            .iter()
            .rev()
            .filter(|link| link.key == wanted.key && !link.has_ended_session());
        let found = own
            .find(|link| !link.is_closed() && (!is_call || link.is_free(wanted.is_exclusive)))
            .cloned();
        let is_listened = found.as_ref().is_some_and(|link| link.has_subscriptions());
        if matches!(purpose, Purpose::Subscription) && !is_listened {
            let places = (self.upstream.limits.connections / 2).max(1);
            let links = state.links.iter();
            let peers = links.filter(|link| link.has_subscriptions());
            let peers: Vec<_> = peers.map(|link| link.peer()).collect();
            let own = peers.iter().filter(|peer| **peer == wanted.peer).count();
            if peers.len() >= places
                || own >= share(&wanted.peer, places, self.upstream.limits.shares)
            {
                return None;
            }
        }
        let link = if let Some(link) = found {
            link
        } else {
            removed.extend(state.links.extract_if(.., |link| link.is_closed()));
            let limits = &self.upstream.limits;
            if !make_room(&mut state.links, wanted, limits, removed) {
                return None;
            }
            let (key, session) = (wanted.key.clone(), wanted.session.clone());
            let (on_change, freed) = (self.on_change(), Arc::clone(&self.freed));
            let link = Link::new(key, session, wanted.peer.clone(), on_change, freed);
            let link = Arc::new(link);
            state.links.push(Arc::clone(&link));
            link
        };
        let peer = wanted.peer.clone();
        Some(Lease::new(link, peer, purpose.clone(), wanted.is_exclusive))
    }

    /// Returns the client of a connection. The first of its users connects, and the others wait.
    async fn client_of(&self, lease: &Lease, wanted: &LinkRequest) -> Result<Client, HandlerError> {
        let link = &lease.link;
        let cause = &wanted.key.capabilities;
        let connect = async || {
            if self.state().failures.is_paused(cause) {
                return Err(self.faults.paused().temporary());
            }
            let builder = link.builder(&self.upstream, &self.identity, &wanted.capabilities);
            let connecting = (self.upstream.connector)(builder);
            let begun = Instant::now();
            // Noted before the next user of the connection may try.
            match timeout(self.upstream.limits.connect_time, connecting).await {
                Ok(Ok(client)) => {
                    self.note_success(cause, &client, begun.elapsed());
                    Ok(client)
                }
                Ok(Err(error)) => {
                    self.state().failures.note(cause);
                    let fault = UpstreamFault::of_connect(&error);
                    Err(self.faults.report(&fault, Some(&error)).temporary())
                }
                Err(_) => {
                    self.state().failures.note(cause);
                    Err(self.faults.report(&UpstreamFault::Slow, None).temporary())
                }
            }
        };
        link.client(connect).await.cloned()
    }

    fn note_success(&self, cause: &str, client: &Client, took: Duration) {
        let mut state = self.state();
        state.about = Some(About {
            revision: client.revision(),
            capabilities: client.server_capabilities(),
            info: client.server_info(),
            instructions: client.instructions(),
            took,
        });
        state.failures.note_success(cause);
        drop(state);
        self.faults.clear();
        self.follow_lists(client);
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
                self.on_missed(),
                None,
                self.open(),
                is_again,
            ));
        }
    }

    /// Closes connections in the background.
    fn end(&self, links: &[Arc<Link>]) {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        while ending.try_join_next().is_some() {}
        for client in links.iter().filter_map(|link| link.connected()) {
            let client = client.clone();
            ending.spawn(async move { client.close().await });
        }
    }

    /// Closes all connections, and waits until their programs have exited. Nothing connects
    /// afterwards.
    pub(crate) async fn close(&self) {
        let links = {
            let mut state = self.state();
            state.is_closed = true;
            std::mem::take(&mut state.links)
        };
        self.freed.notify_waiters();
        self.end(&links);
        let ending =
            std::mem::take(&mut *self.ending.lock().unwrap_or_else(PoisonError::into_inner));
        ending.join_all().await;
    }

    /// Closes connections that have not been used for long, and those of sessions that have ended.
    pub(crate) fn close_idle(&self) {
        let most = self.upstream.limits.idle_time;
        let is_over = |link: &mut Arc<Link>| {
            let ended = link.has_ended_session();
            link.is_closed()
                || (ended && !link.is_busy())
                || (link.is_idle() && link.idle_time() > most)
        };
        let closed: Vec<_> = self.state().links.extract_if(.., is_over).collect();
        self.end(&closed);
        self.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use mcp_client::{ByteStream, ClientBuilder};
    use mcp_server::Server;

    use super::*;

    #[tokio::test]
    async fn nothing_connects_after_the_end() {
        let server = Server::builder("server", "1").build().expect("valid");
        let upstream = Upstream::new("a", move |builder: ClientBuilder| {
            builder.connect(ByteStream::of(server.in_memory()))
        });
        let identity = Identity {
            name: "gateway".to_owned(),
            version: "1".to_owned(),
        };
        let notices = Notices {
            on_change: Arc::new(|_, _| {}),
            on_missed: Arc::new(|| {}),
        };
        let pool = Pool::new(upstream, identity, notices, None);
        pool.probe().await.expect("connected");
        pool.close().await;
        let error = pool.probe().await.expect_err("closed");
        assert_eq!(error.message(), "the gateway is closed");
    }
}
