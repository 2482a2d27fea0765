//! [`SessionHandle`]: a session at this process, with its work in flight, which ends with it.

use std::fmt::Write as _;
use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use mcp_types::RequestId;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::stream::Stream;
use crate::protocol::quota::PeerUsage;
use crate::protocol::retained::RetainedBytes;
use crate::protocol::session::Session;
use crate::transport::http::ids::new_id;
use crate::transport::http::peer_table::Idle;
use crate::transport::http::refusal::Refusal;

/// A session at this process.
pub(crate) struct SessionHandle {
    pub(crate) session: Arc<Session>,
    /// The peer that began it.
    pub(crate) peer: Arc<PeerUsage>,
    /// The memory that it keeps for its peer.
    pub(crate) retained: RetainedBytes,
    times: Mutex<Times>,
    /// Connections that read its streams.
    readers: AtomicUsize,
    work: Mutex<SessionWork>,
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
struct SessionWork {
    /// Whether the session has ended here. No task begins any more.
    ended: bool,
    /// Requests that can be given up. They are few, and to look at all of them costs less than to
    /// hash one.
    running: Vec<RunningRequest>,
    /// How many there were.
    seats: u64,
    streams: Vec<WorkingStream>,
    announcements: Option<Arc<Stream>>,
}

/// A request that a task works on.
struct RunningRequest {
    id: RequestId,
    seat: u64,
    stream: Weak<Stream>,
}

/// A stream that a task works on.
struct WorkingStream {
    stream: Weak<Stream>,
    task: AbortHandle,
}

impl SessionWork {
    fn is_running(&self, id: &RequestId) -> bool {
        self.running.iter().any(|running| running.id == *id)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionHandle {
    /// Needs a runtime around it.
    pub(crate) fn new(session: Arc<Session>, peer: Arc<PeerUsage>) -> Arc<Self> {
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

    pub(crate) fn id(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// The runtime that serves the session.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The principal that the session belongs to.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.session.principal.as_deref()
    }

    pub(crate) fn touch(&self) {
        locked(&self.times).used = Instant::now();
    }

    /// Notes that it is used, unless nothing happened for so long.
    pub(crate) fn is_used_within(&self, time: Duration) -> bool {
        let now = Instant::now();
        let silent = now.duration_since(locked(&self.times).used);
        if silent >= time && !self.is_busy() {
            return false;
        }
        locked(&self.times).used = now;
        true
    }

    /// Whether anything happens.
    pub(crate) fn is_busy(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0 || !locked(&self.work).running.is_empty()
    }

    /// How long nothing happened, as far as it is idle at all.
    pub(crate) fn idle(&self) -> Option<Duration> {
        self.idle_since().map(|since| since.elapsed())
    }

    fn idle_since(&self) -> Option<Instant> {
        (!self.is_busy()).then(|| locked(&self.times).used)
    }

    /// Whether other processes were told so long ago; they are from now on.
    pub(crate) fn is_unsaved_for(&self, time: Duration) -> bool {
        let mut times = locked(&self.times);
        let due = times.saved.elapsed() >= time;
        if due {
            times.saved = Instant::now();
        }
        due
    }

    /// Works on a stream until that ends, or the session. Returns `false` where the session has
    /// ended already: the task is dropped.
    pub(crate) fn run(
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
        work.streams.push(WorkingStream { stream, task });
        true
    }

    /// Whether a request with this id is in flight.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        locked(&self.work).is_running(id)
    }

    /// Notes that a request is in flight, until what is returned is dropped; `None` where there is
    /// one with its id.
    pub(crate) fn seat(
        self: &Arc<Self>,
        id: &RequestId,
        stream: &Arc<Stream>,
    ) -> Option<InFlightGuard> {
        let mut work = locked(&self.work);
        if work.is_running(id) {
            return None;
        }
        work.seats += 1;
        let seat = work.seats;
        work.running.push(RunningRequest {
            id: id.clone(),
            seat,
            stream: Arc::downgrade(stream),
        });
        let entry = Arc::downgrade(self);
        Some(InFlightGuard { entry, seat })
    }

    /// Gives a request up; `false` where there is none with that id.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
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
    pub(crate) fn stream_name(&self) -> Result<String, Refusal> {
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
    pub(crate) fn stream(&self, id: &str) -> Option<Arc<Stream>> {
        let work = locked(&self.work);
        let streams = work.streams.iter();
        let mut streams = streams.filter_map(|working| working.stream.upgrade());
        streams.find(|stream| !id.is_empty() && stream.id() == id)
    }

    /// The stream of announcements, made where there is none yet; `true` where it is new. Returns
    /// `None` where the session has ended.
    pub(crate) fn announcements(
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
    pub(crate) fn listens_elsewhere(&self, name: &str) {
        let mut work = locked(&self.work);
        let ours = work.announcements.take_if(|stream| stream.id() != name);
        drop(work);
        if let Some(stream) = ours {
            stream.end(None);
        }
    }

    /// Counts a connection, until what is returned is dropped.
    pub(crate) fn reading(self: &Arc<Self>) -> ConnectionGuard {
        self.readers.fetch_add(1, Ordering::AcqRel);
        ConnectionGuard(Arc::clone(self))
    }

    /// Gives all work up, and refuses what is still to come.
    pub(crate) fn end(&self) {
        self.session.writes.close();
        let ended = SessionWork {
            ended: true,
            ..SessionWork::default()
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

impl Idle for Arc<SessionHandle> {
    type Since = Instant;

    fn idle_since(&self) -> Option<Instant> {
        self.as_ref().idle_since()
    }
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        self.end();
    }
}

/// A request in flight.
pub(crate) struct InFlightGuard {
    entry: Weak<SessionHandle>,
    seat: u64,
}

impl Drop for InFlightGuard {
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
pub(crate) struct ConnectionGuard(Arc<SessionHandle>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}
