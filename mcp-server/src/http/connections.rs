//! [`Connections`]: the connections of a listener, and which of them is closed in favour of a new
//! one.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::task::Id;

use super::activity::{Activity, EventCounter};
use crate::limits::Limits;
use crate::quota::PeerKey;

/// How many of the longest idle connections are remembered when all have been looked at, so that
/// not every new connection has to look at all of them.
const REMEMBERED: usize = 64;

/// The connections of a listener.
pub(super) struct Connections {
    limit: usize,
    limit_per_peer: usize,
    events: EventCounter,
    by_task: HashMap<Id, Connection>,
    by_peer: HashMap<PeerKey, PeerConnections>,
    idle: IdleQueue,
}

struct Connection {
    activity: Arc<Activity>,
    peer: PeerKey,
}

#[derive(Default)]
struct PeerConnections {
    tasks: Vec<Id>,
    idle: IdleQueue,
}

/// No connection can be closed in favour of a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AllBusy;

impl Connections {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limit: limits.connections,
            limit_per_peer: limits.connections_per_peer,
            events: Arc::new(AtomicU64::new(0)),
            by_task: HashMap::new(),
            by_peer: HashMap::new(),
            idle: IdleQueue::default(),
        }
    }

    /// The activity of a connection that is new.
    pub(super) fn activity(&self) -> Arc<Activity> {
        Activity::new(&self.events)
    }

    /// Makes room for a connection of a peer. A peer that has its share already loses the one of
    /// its own connections that has been idle for longest.
    pub(super) fn make_room(&mut self, peer: &PeerKey) -> Result<(), AllBusy> {
        let full = self
            .by_peer
            .get(peer)
            .is_some_and(|own| own.tasks.len() >= self.limit_per_peer);
        if full {
            return self.evict_of(peer);
        }
        if self.by_task.len() < self.limit {
            return Ok(());
        }
        self.evict_any()
    }

    /// Adds a connection that is served by a task.
    pub(super) fn insert(&mut self, task: Id, peer: PeerKey, activity: Arc<Activity>) {
        let own = self.by_peer.entry(peer.clone()).or_default();
        own.tasks.push(task);
        self.by_task.insert(task, Connection { activity, peer });
    }

    /// Forgets a connection whose task has ended; one that was evicted is forgotten already.
    pub(super) fn remove(&mut self, task: Id) -> Option<Arc<Activity>> {
        let Connection { activity, peer } = self.by_task.remove(&task)?;
        if let Some(own) = self.by_peer.get_mut(&peer) {
            // New connections are at the end, and most do not live long.
            if let Some(at) = own.tasks.iter().rposition(|known| *known == task) {
                own.tasks.swap_remove(at);
            }
            if own.tasks.is_empty() {
                self.by_peer.remove(&peer);
            }
        }
        Some(activity)
    }

    /// Closes the connection that has been idle for longest.
    pub(super) fn evict_any(&mut self) -> Result<(), AllBusy> {
        let by_task = &self.by_task;
        let task = self.idle.next(by_task, || by_task.keys().copied());
        self.evict(task)
    }

    fn evict_of(&mut self, peer: &PeerKey) -> Result<(), AllBusy> {
        let by_task = &self.by_task;
        let task = self.by_peer.get_mut(peer).and_then(|own| {
            let PeerConnections { tasks, idle } = own;
            idle.next(by_task, || tasks.iter().copied())
        });
        self.evict(task)
    }

    fn evict(&mut self, task: Option<Id>) -> Result<(), AllBusy> {
        let evicted = task.and_then(|task| self.remove(task)).ok_or(AllBusy)?;
        evicted.evict();
        Ok(())
    }
}

/// The connections that were idle for longest when all of them were looked at last.
#[derive(Default)]
struct IdleQueue(VecDeque<(u64, Id)>);

impl IdleQueue {
    /// Takes the connection that has been idle for longest.
    fn next<T: Iterator<Item = Id>>(
        &mut self,
        by_task: &HashMap<Id, Connection>,
        all: impl FnOnce() -> T,
    ) -> Option<Id> {
        let idle_since = |task: &Id| by_task.get(task)?.activity.idle_since();
        while let Some((since, task)) = self.0.pop_front() {
            // It may have been used or closed meanwhile. Those that became idle later wait longer.
            if idle_since(&task) == Some(since) {
                return Some(task);
            }
        }
        let mut idle: Vec<_> = all()
            .filter_map(|task| Some((idle_since(&task)?, task)))
            .collect();
        if idle.len() > REMEMBERED {
            idle.select_nth_unstable_by_key(REMEMBERED, |(since, _)| *since);
            idle.truncate(REMEMBERED);
        }
        idle.sort_unstable_by_key(|(since, _)| *since);
        self.0 = idle.into();
        self.0.pop_front().map(|(_, task)| task)
    }
}
