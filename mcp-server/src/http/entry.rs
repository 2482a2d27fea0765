//! [`Entry`]: a session at this process, with its work in flight, which ends with it.

use std::fmt::Write as _;
use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use mcp_types::RequestId;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::guard::Refusal;
use super::ids::new_id;
use super::peer_table::Idle;
use super::stream::Stream;
use crate::quota::PeerUsage;
use crate::retained::RetainedBytes;
use crate::session::Session;

/// A session at this process.
pub(super) struct Entry {
    pub(super) session: Arc<Session>,
    /// The peer that began it.
    pub(super) peer: Arc<PeerUsage>,
    /// The memory that it keeps for its peer.
    pub(super) retained: RetainedBytes,
    times: Mutex<Times>,
    /// Connections that read its streams.
    readers: AtomicUsize,
    work: Mutex<Work>,
    /// What the names of its streams begin with, and how many there were.
    names: OnceLock<String>,
    named: AtomicU64,
    runtime: Handle,
}

struct Times {
    used: Instant,
    /// When other processes were told that it is used.
    saved: Instant,
}

#[derive(Default)]
struct Work {
    /// Whether the session has ended here. No task begins any more.
    ended: bool,
    /// Requests that can be given up. They are few, and to look at all of them costs less than to
    /// hash one.
    running: Vec<Running>,
    /// How many there were.
    seats: u64,
    streams: Vec<Working>,
    announcements: Option<Arc<Stream>>,
}

/// A request that a task works on.
struct Running {
    id: RequestId,
    seat: u64,
    stream: Weak<Stream>,
}

/// A stream that a task works on.
struct Working {
    stream: Weak<Stream>,
    task: AbortHandle,
}

impl Work {
    fn is_running(&self, id: &RequestId) -> bool {
        self.running.iter().any(|running| running.id == *id)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    /// Needs a runtime around it.
    pub(super) fn new(session: Arc<Session>, peer: Arc<PeerUsage>) -> Arc<Self> {
        let now = Instant::now();
        let times = Times {
            used: now,
            saved: now,
        };
        Arc::new(Self {
            retained: RetainedBytes::new(&peer, session.memory()),
            session,
            peer,
            times: Mutex::new(times),
            readers: AtomicUsize::new(0),
            work: Mutex::default(),
            names: OnceLock::new(),
            named: AtomicU64::new(0),
            runtime: Handle::current(),
        })
    }

    pub(super) fn id(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// The runtime that serves the session.
    pub(super) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The principal that the session belongs to.
    pub(super) fn principal(&self) -> Option<&str> {
        self.session.principal.as_deref()
    }

    pub(super) fn touch(&self) {
        locked(&self.times).used = Instant::now();
    }

    /// Notes that it is used, unless nothing happened for so long.
    pub(super) fn is_used_within(&self, time: Duration) -> bool {
        let now = Instant::now();
        let silent = now.duration_since(locked(&self.times).used);
        if silent >= time && !self.is_busy() {
            return false;
        }
        locked(&self.times).used = now;
        true
    }

    /// Whether anything happens.
    pub(super) fn is_busy(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0 || !locked(&self.work).running.is_empty()
    }

    /// How long nothing happened, as far as it is idle at all.
    pub(super) fn idle(&self) -> Option<Duration> {
        self.idle_since().map(|since| since.elapsed())
    }

    fn idle_since(&self) -> Option<Instant> {
        (!self.is_busy()).then(|| locked(&self.times).used)
    }

    /// Whether other processes were told so long ago; they are from now on.
    pub(super) fn is_unsaved_for(&self, time: Duration) -> bool {
        let mut times = locked(&self.times);
        let due = times.saved.elapsed() >= time;
        if due {
            times.saved = Instant::now();
        }
        due
    }

    /// Works on a stream until that ends, or the session. Returns `false` where the session has
    /// ended already: the task is dropped.
    pub(super) fn run(
        &self,
        stream: &Arc<Stream>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        let stream = Arc::downgrade(stream);
        // Before the lock: a task that is dropped at once gives its seat up.
        let task = tokio::spawn(task).abort_handle();
        let mut work = locked(&self.work);
        if work.ended {
            drop(work);
            task.abort();
            return false;
        }
        // A task keeps its stream.
        work.streams
            .retain(|working| working.stream.strong_count() > 0);
        work.streams.push(Working { stream, task });
        true
    }

    /// Whether a request with this id is in flight.
    pub(super) fn is_running(&self, id: &RequestId) -> bool {
        locked(&self.work).is_running(id)
    }

    /// Notes that a request is in flight, until what is returned is dropped; `None` where there is
    /// one with its id.
    pub(super) fn seat(self: &Arc<Self>, id: &RequestId, stream: &Arc<Stream>) -> Option<Seat> {
        let mut work = locked(&self.work);
        if work.is_running(id) {
            return None;
        }
        work.seats += 1;
        let seat = work.seats;
        work.running.push(Running {
            id: id.clone(),
            seat,
            stream: Arc::downgrade(stream),
        });
        let entry = Arc::downgrade(self);
        Some(Seat { entry, seat })
    }

    /// Gives a request up; `false` where there is none with that id.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let running = {
            let mut work = locked(&self.work);
            let at = work.running.iter().position(|running| running.id == *id);
            at.map(|at| work.running.swap_remove(at))
        };
        let stream = running.and_then(|running| running.stream.upgrade());
        stream.is_some_and(|stream| {
            stream.give_up(id.clone());
            true
        })
    }

    /// A name for a new stream, which no other stream of the session has, be it at another process
    /// or at one that was here before.
    pub(super) fn stream_name(&self) -> Result<String, Refusal> {
        let names = if let Some(names) = self.names.get() {
            names
        } else {
            // Half of it is more than enough to differ from the few others.
            let fresh: String = new_id()?.chars().take(16).collect();
            self.names.get_or_init(|| fresh)
        };
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        // All beginnings have the same length, so that no two names are spelled alike.
        let mut name = String::with_capacity(names.len() + 8);
        name.push_str(names);
        let _ = write!(name, "{number:x}");
        Ok(name)
    }

    /// A stream with work in flight.
    pub(super) fn stream(&self, id: &str) -> Option<Arc<Stream>> {
        let work = locked(&self.work);
        let streams = work.streams.iter();
        let mut streams = streams.filter_map(|working| working.stream.upgrade());
        streams.find(|stream| !id.is_empty() && stream.id() == id)
    }

    /// The stream of announcements, made where there is none yet; `true` where it is new. Returns
    /// `None` where the session has ended.
    pub(super) fn announcements(
        &self,
        make: impl FnOnce() -> Arc<Stream>,
    ) -> Option<(Arc<Stream>, bool)> {
        let mut work = locked(&self.work);
        if work.ended {
            return None;
        }
        if let Some(stream) = &work.announcements {
            return Some((Arc::clone(stream), false));
        }
        let stream = make();
        work.announcements = Some(Arc::clone(&stream));
        Some((stream, true))
    }

    /// Another process announces from now on, on a stream of this name.
    pub(super) fn listens_elsewhere(&self, name: &str) {
        let mut work = locked(&self.work);
        let ours = work.announcements.take_if(|stream| stream.id() != name);
        drop(work);
        if let Some(stream) = ours {
            stream.end(None);
        }
    }

    /// Counts a connection, until what is returned is dropped.
    pub(super) fn reading(self: &Arc<Self>) -> Reading {
        self.readers.fetch_add(1, Ordering::AcqRel);
        Reading(Arc::clone(self))
    }

    /// Gives all work up, and refuses what is still to come.
    pub(super) fn end(&self) {
        self.session.writes.close();
        let ended = Work {
            ended: true,
            ..Work::default()
        };
        let work = std::mem::replace(&mut *locked(&self.work), ended);
        for working in work.streams {
            working.task.abort();
            if let Some(stream) = working.stream.upgrade() {
                stream.kick();
            }
        }
        if let Some(stream) = work.announcements {
            stream.kick();
        }
    }
}

impl Idle for Arc<Entry> {
    type Since = Instant;

    fn idle_since(&self) -> Option<Instant> {
        self.as_ref().idle_since()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.end();
    }
}

/// A request in flight.
pub(super) struct Seat {
    entry: Weak<Entry>,
    seat: u64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(entry) = self.entry.upgrade() else {
            return;
        };
        locked(&entry.work)
            .running
            .retain(|running| running.seat != self.seat);
        // Else that is done when the last of them goes.
        if entry.readers.load(Ordering::Acquire) == 0 {
            entry.touch();
        }
    }
}

/// A connection of a session.
pub(super) struct Reading(Arc<Entry>);

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}
