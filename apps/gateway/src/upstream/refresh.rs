//! [`Lists`]: requests each list of an upstream once for all clients that need it.
//!
//! A client that lists several upstreams does not wait long for one that does not answer: it gets the
//! list without it. The task that requests the list goes on. It tries again after failures, with
//! growing pauses. When it has the list, and the client was sent another one, a change is announced.
//!
//! Many upstreams announce changes although nothing has changed. So a change that an upstream
//! announces is only passed on if a list differs from the one that a client was sent.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp_server::{Change, ClientSession, HandlerError, PeerKey};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::list_cache::{List, ListKey, digest};
use super::lists::{ListMethod, Query, check_names};
use super::pool::Pool;
use super::shares::share;
use crate::fault::UpstreamFault;

/// The time that a client of several upstreams waits for the answer of one of them.
const PATIENCE: Duration = Duration::from_millis(750);

/// The maximum number of tasks for the lists of an upstream.
const TASKS: usize = 64;

/// The pauses after failures, and the number of attempts.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
const ATTEMPTS: usize = 10;

/// The number of times that a list is requested again at once because it changed meanwhile.
const CHANGES: usize = 3;

/// The time in which the same change of the lists of several clients is announced once.
const JUST_TOLD: Duration = Duration::from_secs(10);

/// The maximum number of lists of clients that are remembered for comparisons.
const SENT: usize = 512;

/// The time in which announcements of an upstream are collected before its lists are compared. Some
/// upstreams announce a change of each kind when they start.
const COLLECTING: Duration = Duration::from_millis(100);

/// The lists of an upstream.
pub(crate) struct Lists {
    pool: Arc<Pool>,
    this: Weak<Self>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: HashMap<ListKey, Refresh>,
    sent: HashMap<ListKey, Sent>,
    /// The changes that may not be found by comparison, because there were too many lists.
    forgotten: HashSet<Change>,
    /// The number of lists and announcements that clients were sent so far.
    steps: u64,
    /// When each change was announced last, also as a number of steps.
    announced: HashMap<Change, (u64, Instant)>,
    /// The changes that the upstream has announced, until the lists are compared.
    collected: Vec<Change>,
    collecting: Option<AbortHandle>,
}

/// A task that requests a list.
struct Refresh {
    /// The peer in whose share the task is.
    peer: PeerKey,
    change: Change,
    phase: watch::Receiver<Phase>,
    /// Whether a change has to be announced, because clients were sent another list.
    is_awaited: Arc<AtomicBool>,
    task: AbortHandle,
}

#[derive(Clone)]
enum Phase {
    Connecting(Instant),
    Listing(Instant),
    /// The last attempt failed. Another one may follow.
    Failed(Arc<HandlerError>),
    Done(List),
}

/// The list that a client was sent last.
struct Sent {
    query: Query,
    /// When it was sent, as a number of steps.
    at: u64,
    /// `None` if the client was sent a part of the list.
    digest: Option<u64>,
}

/// How long a client waits for a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Not long, as the lists of other upstreams are known.
    Short,
    /// Until the request succeeds or fails.
    Long,
}

/// The answer to a client that lists.
pub(crate) enum Listed {
    /// The list, or the last one if the upstream has not answered yet.
    List(List),
    /// The upstream has not answered yet.
    Late,
    Failed(Arc<HandlerError>),
}

impl Lists {
    pub(crate) fn new(pool: Arc<Pool>, this: Weak<Self>) -> Self {
        Self {
            pool,
            this,
            state: Mutex::default(),
        }
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a list, from the cache if it is current.
    pub(crate) async fn list(&self, query: &Query, wait: Wait) -> Listed {
        let key = query.key();
        if let Some(list) = self.pool.lists.get(&key) {
            self.state().note_sent(query, Some(list.digest));
            return Listed::List(list);
        }
        let Some((mut phase, is_awaited)) = self.start(query, false) else {
            // Without a task, the client waits.
            return match fetch(&self.pool, query, |_| {}).await {
                Ok(list) => {
                    self.state().note_sent(query, Some(list.digest));
                    Listed::List(list)
                }
                Err(error) => Listed::Failed(Arc::new(error)),
            };
        };
        let patience = match wait {
            Wait::Short => Some(self.pool.connecting_patience()),
            Wait::Long => None,
        };
        settled(&mut phase, patience).await;
        // The task ends with the lock, so it either is done now or sees that it is awaited.
        let mut state = self.state();
        let now = phase.borrow().clone();
        let (listed, digest) = match now {
            Phase::Done(list) => {
                let digest = list.digest;
                state.note_sent(query, Some(digest));
                return Listed::List(list);
            }
            Phase::Failed(error) => (Listed::Failed(error), digest(&[])),
            Phase::Connecting(_) | Phase::Listing(_) => match self.pool.lists.last(&key) {
                Some(last) => {
                    let digest = last.digest;
                    (Listed::List(last), digest)
                }
                None => (Listed::Late, digest(&[])),
            },
        };
        state.note_sent(query, Some(digest));
        is_awaited.store(true, Ordering::Release);
        listed
    }

    /// Notes that a client was sent a page of an upstream: with its digest if it is the whole list.
    pub(crate) fn note_sent(&self, query: &Query, digest: Option<u64>) {
        self.state().note_sent(query, digest);
    }

    /// Forgets the lists of sessions that have ended.
    pub(crate) fn remove_ended(&self) {
        self.state().sent.retain(|_, sent| !sent.has_ended());
    }

    /// Notes that a client subscribes, which was not told of earlier changes.
    pub(crate) fn note_subscriber(&self) {
        self.state().announced.clear();
    }

    /// Notes that a client was sent a list without this upstream, although it may just have answered.
    pub(crate) fn note_left_out(&self, query: &Query) {
        let key = query.key();
        let mut state = self.state();
        state.note_sent(query, Some(digest(&[])));
        state.running.retain(|_, known| !known.task.is_finished());
        let is_changed = match state.running.get(&key) {
            Some(known) => {
                known.is_awaited.store(true, Ordering::Release);
                false
            }
            None => self
                .pool
                .lists
                .last(&key)
                .is_some_and(|list| !list.items.is_empty()),
        };
        drop(state);
        if is_changed {
            self.announce(query.list.change());
        }
    }

    /// Compares the lists soon, because the upstream has announced a change.
    pub(crate) fn collect(&self, change: Change) {
        let mut state = self.state();
        if !state.collected.contains(&change) {
            state.collected.push(change);
        }
        let lists = self.this.clone();
        state.collecting.get_or_insert_with(|| {
            let comparing = async move {
                sleep(COLLECTING).await;
                if let Some(lists) = lists.upgrade() {
                    let changes = lists.state().end_collecting();
                    lists.compare(&changes, true);
                }
            };
            tokio::spawn(comparing).abort_handle()
        });
    }

    /// Compares all lists, because announcements were missed.
    pub(crate) fn compare_all(&self) {
        self.pool.lists.expire();
        let mut changes: Vec<Change> = ListMethod::all().map(ListMethod::change).collect();
        changes.dedup();
        // A client without a connection is not told of other changes either.
        self.compare(&changes, false);
    }

    /// Requests the lists of all clients again. What differs from the lists that clients were sent is
    /// announced. `has_changed` is whether a change is announced that cannot be looked at, because no
    /// client with a connection was sent a list.
    fn compare(&self, changes: &[Change], has_changed: bool) {
        let (queries, requested, mut unknown) = {
            let mut state = self.state();
            state.sent.retain(|_, sent| !sent.has_ended());
            let unknown: Vec<Change> = changes
                .iter()
                .filter(|change| state.forgotten.remove(*change))
                .cloned()
                .collect();
            let sent = state.sent.values().map(|sent| sent.query.clone());
            let running = state
                .running
                .values()
                .filter(|known| !known.task.is_finished());
            let requested: Vec<Change> = running.map(|known| known.change.clone()).collect();
            (sent.collect::<Vec<_>>(), requested, unknown)
        };
        for change in changes {
            let mut is_compared = requested.contains(change);
            for query in &queries {
                if query.list.change() == *change && self.pool.has_link(&query.wanted.key) {
                    is_compared = true;
                    if self.start(query, true).is_none() {
                        unknown.push(change.clone());
                    }
                }
            }
            if has_changed && !is_compared {
                unknown.push(change.clone());
            }
        }
        unknown.dedup();
        for change in unknown {
            self.announce(change);
        }
    }

    fn announce(&self, change: Change) {
        self.state().note_announced(&change);
        (self.pool.on_change())(change, None);
    }

    /// Starts the task that requests a list, unless it runs. `None` if there are too many tasks, of
    /// this client or together.
    fn start(
        &self,
        query: &Query,
        awaited: bool,
    ) -> Option<(watch::Receiver<Phase>, Arc<AtomicBool>)> {
        let key = query.key();
        let mut state = self.state();
        state.running.retain(|_, known| !known.task.is_finished());
        if let Some(known) = state.running.get(&key) {
            known.is_awaited.fetch_or(awaited, Ordering::AcqRel);
            return Some((known.phase.clone(), Arc::clone(&known.is_awaited)));
        }
        let peer = &query.wanted.peer;
        let own = state.running.values().filter(|known| known.peer == *peer);
        let most = share(peer, TASKS, self.pool.upstream.limits.shares);
        if state.running.len() >= TASKS || own.count() >= most {
            return None;
        }
        let (sender, phase) = watch::channel(Phase::Connecting(Instant::now()));
        let is_awaited = Arc::new(AtomicBool::new(awaited));
        let running = run(
            self.this.clone(),
            Arc::clone(&self.pool),
            query.clone(),
            sender,
            Arc::clone(&is_awaited),
        );
        let refresh = Refresh {
            peer: peer.clone(),
            change: query.list.change(),
            phase: phase.clone(),
            is_awaited: Arc::clone(&is_awaited),
            task: tokio::spawn(running).abort_handle(),
        };
        state.running.insert(key, refresh);
        Some((phase, is_awaited))
    }

    /// Ends a task with the list that it has requested.
    fn finish(
        &self,
        query: &Query,
        list: List,
        is_current: bool,
        phase: &watch::Sender<Phase>,
        is_awaited: &AtomicBool,
    ) {
        let mut state = self.state();
        let key = query.key();
        state.running.remove(&key);
        // One that changes too often to be compared differs.
        let digest = Some(list.digest).filter(|_| is_current);
        phase.send_replace(Phase::Done(list));
        let sent = state.sent.get_mut(&key);
        let sent = sent.filter(|sent| {
            is_awaited.load(Ordering::Acquire) && (sent.digest != digest || digest.is_none())
        });
        let Some(sent) = sent else {
            return;
        };
        sent.digest = digest;
        let (change, at) = (query.list.change(), sent.at);
        // Everybody was just told, so the client requests the list again.
        let told = state.announced.get(&change);
        if told.is_some_and(|(told, when)| *told > at && when.elapsed() < JUST_TOLD) {
            return;
        }
        drop(state);
        self.announce(change);
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        let state = self.state();
        let running = state.running.values().map(|refresh| &refresh.task);
        for task in running.chain(&state.collecting) {
            task.abort();
        }
    }
}

impl State {
    fn note_sent(&mut self, query: &Query, digest: Option<u64>) {
        let key = query.key();
        self.steps += 1;
        let at = self.steps;
        if let Some(sent) = self.sent.get_mut(&key) {
            // Clients without sessions may share the key, and have different lists now.
            let is_shared = query.wanted.session.is_none() && sent.digest != digest;
            sent.digest = digest.filter(|_| !is_shared);
            sent.at = at;
            return;
        }
        if self.sent.len() >= SENT {
            self.sent.retain(|_, sent| !sent.has_ended());
        }
        if self.sent.len() >= SENT {
            self.remove_one();
        }
        let query = query.clone();
        self.sent.insert(key, Sent { query, at, digest });
    }

    /// Forgets a list of the peer with the most of them.
    fn remove_one(&mut self) {
        let mut counts: HashMap<&PeerKey, usize> = HashMap::new();
        for sent in self.sent.values() {
            *counts.entry(&sent.query.wanted.peer).or_default() += 1;
        }
        let count = |sent: &Sent| counts.get(&sent.query.wanted.peer).copied();
        let most = self.sent.iter().max_by_key(|(_, sent)| count(sent));
        if let Some(key) = most.map(|(key, _)| key.clone())
            && let Some(sent) = self.sent.remove(&key)
        {
            self.forgotten.insert(sent.query.list.change());
        }
    }

    fn note_announced(&mut self, change: &Change) {
        self.steps += 1;
        let now = (self.steps, Instant::now());
        self.announced.insert(change.clone(), now);
    }

    fn end_collecting(&mut self) -> Vec<Change> {
        self.collecting = None;
        std::mem::take(&mut self.collected)
    }
}

impl Sent {
    fn has_ended(&self) -> bool {
        let session = self.query.wanted.session.as_ref();
        session.is_some_and(ClientSession::has_ended)
    }
}

/// Waits until a task has the list or has failed. With the patience for a connection, it waits no
/// longer than this for one, and no longer than [`PATIENCE`] for the answer.
async fn settled(phase: &mut watch::Receiver<Phase>, patience: Option<Duration>) {
    loop {
        let until = match &*phase.borrow_and_update() {
            Phase::Done(_) | Phase::Failed(_) => return,
            Phase::Connecting(since) => patience.map(|patience| *since + patience),
            Phase::Listing(since) => patience.map(|_| *since + PATIENCE),
        };
        let overdue = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = phase.changed() => if changed.is_err() {
                return;
            },
            () = overdue => return,
        }
    }
}

/// Requests a list until it succeeds, or too many attempts have failed.
async fn run(
    lists: Weak<Lists>,
    pool: Arc<Pool>,
    query: Query,
    phase: watch::Sender<Phase>,
    is_awaited: Arc<AtomicBool>,
) {
    let (mut pause, mut failures, mut changes) = (FIRST_PAUSE, 0, 0);
    loop {
        let generation = pool.lists.generation();
        let enter = |next| {
            phase.send_replace(next);
        };
        match fetch(&pool, &query, enter).await {
            Ok(_) if pool.lists.generation() != generation && changes < CHANGES => changes += 1,
            Ok(list) => {
                if let Some(lists) = lists.upgrade() {
                    let is_current = pool.lists.generation() == generation;
                    lists.finish(&query, list, is_current, &phase, &is_awaited);
                }
                return;
            }
            Err(error) => {
                phase.send_replace(Phase::Failed(Arc::new(error)));
                failures += 1;
                let session = query.wanted.session.as_ref();
                if failures >= ATTEMPTS || session.is_some_and(ClientSession::has_ended) {
                    // What has changed is announced at the next comparison.
                    if let Some(lists) = lists.upgrade()
                        && is_awaited.load(Ordering::Acquire)
                    {
                        lists.state().forgotten.insert(query.list.change());
                    }
                    return;
                }
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                phase.send_replace(Phase::Connecting(Instant::now()));
            }
        }
    }
}

/// Requests a list, and keeps it in the cache.
async fn fetch(pool: &Pool, query: &Query, enter: impl Fn(Phase)) -> Result<List, HandlerError> {
    let generation = pool.lists.generation();
    let connected = query.connect(pool).await?;
    enter(Phase::Listing(Instant::now()));
    let time = pool.upstream.limits.connect_time;
    let pages = timeout(time, query.pages(pool, &connected)).await;
    let (list, kept) =
        pages.unwrap_or_else(|_| Err(pool.faults.report(&UpstreamFault::Slow, None)))?;
    check_names(pool, query.list, &list.items);
    let peer = query.wanted.peer.clone();
    pool.lists
        .insert(query.key(), peer, generation, list.clone(), kept);
    Ok(list)
}
