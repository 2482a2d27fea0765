//! [`Pool`]: the connections to one upstream.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::{ClientCapabilities, Revision, ServerCapabilities, SubscriptionFilter};
use mcp_server::{ClientSession, HandlerError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use super::connection::{Identity, Lease, Link, LinkKey, Owner};
use super::follower::Follower;
use super::header_params::HeaderParams;
use super::list_cache::ListCache;
use super::traffic::{OnChange, RunningCall};
use super::{Kind, Upstream, UpstreamStatus};
use crate::error::unreachable;

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
    state: Mutex<PoolState>,
    pub(crate) lists: ListCache,
    pub(crate) header_params: HeaderParams,
    /// Follows the changes of the lists of a modern upstream.
    follower: Mutex<Option<Follower>>,
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
            state: Mutex::default(),
            lists: ListCache::default(),
            header_params: HeaderParams::default(),
            follower: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> &str {
        &self.upstream.name
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
        self.listen(&wanted).await.map(drop)
    }

    /// Returns a connection for a call. It is connected.
    pub(crate) async fn connect(
        &self,
        wanted: &Wanted,
        call: &Arc<RunningCall>,
    ) -> Result<Connected<'_>, HandlerError> {
        let time = self.upstream.limits.connect_time;
        let permit = timeout(time, self.calls.acquire()).await;
        let Ok(Ok(permit)) = permit else {
            return Err(self.overloaded("calls"));
        };
        let lease = self.lease(wanted, |link| Lease::for_call(link, call))?;
        self.client_of(&lease, wanted).await?;
        Ok(Connected {
            lease,
            _permit: permit,
        })
    }

    /// Returns a connection for a subscription, and its client.
    pub(crate) async fn listen(&self, wanted: &Wanted) -> Result<(Lease, Client), HandlerError> {
        let lease = self.lease(wanted, Lease::for_subscription)?;
        let client = self.client_of(&lease, wanted).await?;
        Ok((lease, client))
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

    /// Finds a connection or adds one, and uses it.
    fn lease(
        &self,
        wanted: &Wanted,
        used: impl FnOnce(Arc<Link>) -> Lease,
    ) -> Result<Lease, HandlerError> {
        let mut dropped = Vec::new();
        let mut state = self.state();
        // The connection that was used last is the most likely one to have the caller's state.
        let mut own = state
            .links
            .iter()
            .rev()
            .filter(|link| link.key == wanted.key);
        let found = own
            .find(|link| !(link.is_closed() || wanted.is_exclusive && link.is_busy()))
            .cloned();
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
                let oldest = idle.max_by_key(|(_, link)| link.idle_time());
                let oldest = oldest.map(|(at, _)| at);
                let at = oldest.ok_or_else(|| self.overloaded("connections"))?;
                dropped.push(state.links.swap_remove(at));
            }
            let (key, session) = (wanted.key.clone(), wanted.session.clone());
            let link = Arc::new(Link::new(key, session, Arc::clone(&self.on_change)));
            state.links.push(Arc::clone(&link));
            link
        };
        Ok(used(link))
    }

    /// Connects if nobody did.
    async fn client_of(&self, lease: &Lease, wanted: &Wanted) -> Result<Client, HandlerError> {
        let link = &lease.link;
        if let Some(client) = link.connected() {
            return Ok(client.clone());
        }
        let failed = || {
            let text = format!(
                "the server `{}` behind the gateway cannot be reached",
                self.name()
            );
            HandlerError::internal(text).temporary()
        };
        let paused = self.state().failure.as_ref().map(|failure| failure.until);
        if paused.is_some_and(|until| Instant::now() < until) {
            self.forget(link);
            return Err(failed());
        }
        let connecting = link.client(&self.upstream, &self.identity, &wanted.capabilities);
        let error = match timeout(self.upstream.limits.connect_time, connecting).await {
            Ok(Ok(client)) => {
                let mut state = self.state();
                state.about = Some(About {
                    revision: client.revision(),
                    capabilities: client.server_capabilities(),
                    instructions: client.instructions(),
                });
                state.failure = None;
                drop(state);
                self.follow_lists(client);
                return Ok(client.clone());
            }
            Ok(Err(error)) => unreachable(self.name(), &error),
            Err(_) => failed().logged_as(format!("connecting to `{}` takes too long", self.name())),
        };
        self.forget(link);
        let mut state = self.state();
        let last = state.failure.as_ref().map(|failure| failure.pause * 2);
        let pause = last.unwrap_or(FIRST_PAUSE).min(LONGEST_PAUSE);
        let until = Instant::now() + pause;
        state.failure = Some(Failure { until, pause });
        Err(error)
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
            let on_change = Arc::clone(&self.on_change);
            *follower = Some(Follower::spawn(client.listen(filter), on_change, None));
        }
    }

    fn forget(&self, link: &Arc<Link>) {
        self.state().links.retain(|known| !Arc::ptr_eq(known, link));
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
    }
}
