//! [`SessionHandle`]: a session in this process and its work in flight.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use mcp_types::RequestId;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::stream::Stream;
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::quota::PeerUsage;
use crate::protocol::quota::retained::RetainedBytes;
use crate::protocol::session::Session;
use crate::transport::http::peer_table::Idle;
use crate::util::lock::lock;

/// A session in this process. Dropping it cancels its work.
pub(crate) struct SessionHandle {
    pub(crate) session: Arc<Session>,
    /// The peer that initialized the session.
    pub(crate) peer: Arc<PeerUsage>,
    /// The memory that the session uses.
    pub(crate) retained: RetainedBytes,
    times: Mutex<Times>,
    /// The number of connections that read its streams.
    readers: AtomicUsize,
    work: Mutex<SessionWork>,
    /// The number of changes of the session that began, and that ended.
    changes: Mutex<[u64; 2]>,
    pub(crate) runtime: Handle,
}

/// A change of a session that is under way.
pub(crate) struct SessionChange(Arc<SessionHandle>);

impl Drop for SessionChange {
    fn drop(&mut self) {
        lock(&self.0.changes)[1] += 1;
    }
}

/// When the session was used.
struct Times {
    used: Instant,
    /// When the time of use was last written to the session store.
    saved: Instant,
}

/// The work of a session.
#[derive(Default)]
struct SessionWork {
    /// Whether the session has ended in this process. No more tasks may start.
    ended: bool,
    /// Requests that can be cancelled. A list, because for a few entries a search is faster than
    /// hashing.
    running: Vec<RunningRequest>,
    /// The number of requests registered so far.
    registered: u64,
    streams: Vec<WorkingStream>,
    announcements: Option<Arc<Stream>>,
    /// The number of messages to other processes about the stream of announcements that have not
    /// come back yet: what arrives before them was sent earlier.
    announcing: usize,
}

/// A request in flight.
struct RunningRequest {
    id: RequestId,
    /// Distinguishes the request from later ones with the same id.
    number: u64,
    stream: Weak<Stream>,
}

/// A stream and the task that works on it.
struct WorkingStream {
    stream: Weak<Stream>,
    task: AbortHandle,
}

impl SessionWork {
    fn is_running(&self, id: &RequestId) -> bool {
        self.running.iter().any(|running| running.id == *id)
    }
}

impl SessionHandle {
    /// Creates a handle. Must be called within a tokio runtime.
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
            changes: Mutex::default(),
            runtime: Handle::current(),
        })
    }

    pub(crate) fn id(&self) -> &str {
        self.session.id.as_deref().unwrap_or_default()
    }

    /// Returns the principal that owns the session.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.session.principal.as_deref()
    }

    /// Marks the session as used now.
    pub(crate) fn touch(&self) {
        lock(&self.times).used = Instant::now();
    }

    /// Marks the session as used now, unless it has been idle for `time`. Returns `true` if it was
    /// marked.
    pub(crate) fn touch_unless_idle(&self, time: Duration) -> bool {
        let now = Instant::now();
        let idle = now.duration_since(lock(&self.times).used);
        if idle >= time && !self.is_busy() {
            return false;
        }
        lock(&self.times).used = now;
        true
    }

    /// Returns `true` if a connection reads a stream or a request is in flight.
    pub(crate) fn is_busy(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0 || !lock(&self.work).running.is_empty()
    }

    /// Returns how long the session has been idle, or `None` while it is busy.
    pub(crate) fn idle(&self) -> Option<Duration> {
        self.idle_since().map(|since| since.elapsed())
    }

    fn idle_since(&self) -> Option<Instant> {
        (!self.is_busy()).then(|| lock(&self.times).used)
    }

    /// Returns `true` if the time of use was last written to the store at least `time` ago. Then
    /// the caller has to write it, and further calls return `false` for that time.
    pub(crate) fn claim_save(&self, time: Duration) -> bool {
        let mut times = lock(&self.times);
        let due = times.saved.elapsed() >= time;
        if due {
            times.saved = Instant::now();
        }
        due
    }

    /// Marks that the session changes, until the value is dropped.
    pub(crate) fn begin_change(self: &Arc<Self>) -> SessionChange {
        lock(&self.changes)[0] += 1;
        SessionChange(Arc::clone(self))
    }

    /// Returns the number of changes so far; `None` while the session changes.
    pub(crate) fn changes(&self) -> Option<u64> {
        let [began, ended] = *lock(&self.changes);
        (began == ended).then_some(ended)
    }

    /// Calls a function, unless the session changes or has changed since
    /// [`changes`](Self::changes) returned this. No change begins meanwhile.
    pub(crate) fn unless_changed(&self, since: Option<u64>, then: impl FnOnce()) {
        let [began, ended] = &*lock(&self.changes);
        if began == ended && since == Some(*ended) {
            then();
        }
    }

    /// Makes [`claim_save`](Self::claim_save) with `time` return `true` again after `pause`.
    pub(crate) fn save_within(&self, pause: Duration, time: Duration) {
        let mut times = lock(&self.times);
        let saved = Instant::now().checked_sub(time.saturating_sub(pause));
        times.saved = saved.unwrap_or(times.saved);
    }

    /// Spawns a task that works on a stream. It is aborted when the session ends. Returns `false`,
    /// and drops the task, if the session has ended already.
    pub(crate) fn run(
        &self,
        stream: &Arc<Stream>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> bool {
        let stream = Arc::downgrade(stream);
        // Spawned before locking, because a task that is dropped at once needs the lock.
        let task = tokio::spawn(task).abort_handle();
        let mut work = lock(&self.work);
        if work.ended {
            drop(work);
            task.abort();
            return false;
        }
        // Streams without references have no task any more.
        work.streams
            .retain(|working| working.stream.strong_count() > 0);
        work.streams.push(WorkingStream { stream, task });
        true
    }

    /// Returns `true` if a request with this id is in flight.
    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        lock(&self.work).is_running(id)
    }

    /// Registers a request until the returned guard is dropped. Returns `None` if a request with
    /// this id is in flight.
    pub(crate) fn register(
        self: &Arc<Self>,
        id: &RequestId,
        stream: &Arc<Stream>,
    ) -> Option<InFlightGuard> {
        let mut work = lock(&self.work);
        if work.is_running(id) {
            return None;
        }
        work.registered += 1;
        let number = work.registered;
        work.running.push(RunningRequest {
            id: id.clone(),
            number,
            stream: Arc::downgrade(stream),
        });
        let handle = Arc::downgrade(self);
        Some(InFlightGuard { handle, number })
    }

    /// Cancels a request. Returns `false` if no request with this id is in flight.
    pub(crate) fn cancel(&self, cancellation: &Cancellation) -> bool {
        let running = {
            let mut work = lock(&self.work);
            let at = work
                .running
                .iter()
                .position(|running| running.id == cancellation.id);
            at.map(|at| work.running.swap_remove(at))
        };
        let stream = running.and_then(|running| running.stream.upgrade());
        stream.is_some_and(|stream| {
            stream.cancel(cancellation.clone());
            true
        })
    }

    /// Returns the ids of the requests in flight that a stream belongs to.
    pub(crate) fn requests_of(&self, stream: &Arc<Stream>) -> Vec<RequestId> {
        let work = lock(&self.work);
        let of_stream = |running: &&RunningRequest| running.stream.as_ptr() == Arc::as_ptr(stream);
        let requests = work.running.iter().filter(of_stream);
        requests.map(|running| running.id.clone()).collect()
    }

    /// Finds a stream of this process.
    pub(crate) fn stream(&self, id: &str) -> Option<Arc<Stream>> {
        let work = lock(&self.work);
        let streams = work.streams.iter();
        let mut streams = streams.filter_map(|working| working.stream.upgrade());
        streams.find(|stream| !id.is_empty() && stream.id() == id)
    }

    /// Returns the stream of announcements, and `true` if it was created by this call. Returns
    /// `None` if the session has ended.
    pub(crate) fn announcements(
        &self,
        create: impl FnOnce() -> Arc<Stream>,
    ) -> Option<(Arc<Stream>, bool)> {
        let mut work = lock(&self.work);
        if work.ended {
            return None;
        }
        if let Some(stream) = &work.announcements {
            return Some((Arc::clone(stream), false));
        }
        let stream = create();
        work.announcements = Some(Arc::clone(&stream));
        Some((stream, true))
    }

    /// Notes that other processes are told about the stream of announcements.
    pub(crate) fn begin_announcing(&self) {
        lock(&self.work).announcing += 1;
    }

    /// Notes that at most so many messages about the stream of announcements do not come back.
    pub(crate) fn end_announcing(&self, most: usize) {
        let mut work = lock(&self.work);
        work.announcing = work.announcing.saturating_sub(most);
    }

    /// Ends the stream of announcements of this process, unless it has this id, or the message was
    /// sent before the one about it: the client reads that of another process from now on.
    pub(crate) fn end_announcements_except(&self, id: &str) {
        let mut work = lock(&self.work);
        let is_own = |stream: &Arc<Stream>| stream.id() == id;
        if work.announcements.as_ref().is_some_and(is_own) {
            work.announcing = work.announcing.saturating_sub(1);
        }
        if work.announcing > 0 {
            return;
        }
        let replaced = work.announcements.take_if(|stream| !is_own(stream));
        drop(work);
        if let Some(stream) = replaced {
            stream.end(None);
        }
    }

    /// Counts a connection that reads a stream, until the returned guard is dropped.
    pub(crate) fn connect(self: &Arc<Self>) -> ConnectionGuard {
        self.readers.fetch_add(1, Ordering::AcqRel);
        ConnectionGuard(Arc::clone(self))
    }

    /// Cancels all work and prevents new work.
    pub(crate) fn end(&self) {
        self.session.writes.close();
        self.session.end();
        let ended = SessionWork {
            ended: true,
            ..SessionWork::default()
        };
        let work = std::mem::replace(&mut *lock(&self.work), ended);
        for working in work.streams {
            working.task.abort();
            if let Some(stream) = working.stream.upgrade() {
                stream.disconnect_readers();
            }
        }
        if let Some(stream) = work.announcements {
            stream.disconnect_readers();
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

/// A guard for a request in flight.
pub(crate) struct InFlightGuard {
    handle: Weak<SessionHandle>,
    number: u64,
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let Some(handle) = self.handle.upgrade() else {
            return;
        };
        lock(&handle.work)
            .running
            .retain(|running| running.number != self.number);
        // With readers, the last of them marks the session as used when it disconnects.
        if handle.readers.load(Ordering::Acquire) == 0 {
            handle.touch();
        }
    }
}

/// A guard for a connection that reads a stream of a session.
pub(crate) struct ConnectionGuard(Arc<SessionHandle>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::AcqRel);
        self.0.touch();
    }
}
