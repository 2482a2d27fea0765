//! [`Traffic`]: what an upstream sends on its own, and the calls that it belongs to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::middleware::{Direction, Middleware, Next, Notification, Outcome, Request};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{Change, Context};
use serde_json::value::RawValue;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::timeout;

use super::answer::answer;
use super::owner::Owner;
use super::shares::{Slot, Slots};
use crate::error::short;

/// The notifications that a slow client may leave unread before further ones are dropped.
const NOTES: usize = 256;

/// The maximum size of them in bytes, unless a single one is larger.
const NOTES_BYTES: u32 = 4 << 20;

/// What says that the user has finished what a page asked for. It arrives after the call, so it is kept
/// for the next one.
const COMPLETE: &str = "notifications/elicitation/complete";

/// The maximum number of such notifications that are kept, and of the bytes of their params.
const LATE: usize = 16;
const LATE_BYTES: usize = 4 << 10;

/// Receives the changes that an upstream announces, with its own URIs. If there was a notification,
/// also its params, and for whom the connection is.
pub(crate) type OnChange = Arc<dyn Fn(Change, Option<(&RawValue, &Owner)>) + Send + Sync>;

/// Notifications for the client of a call, each with its part of [`NOTES_BYTES`].
pub(crate) type Notes = mpsc::Receiver<(Note, OwnedSemaphorePermit)>;

/// A notification of an upstream for the client of a call.
pub(crate) struct Note {
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
}

impl Note {
    /// Returns the size of the params.
    fn bytes(&self) -> usize {
        self.params.as_ref().map_or(0, |params| params.get().len())
    }
}

/// A call that runs on a connection.
pub(crate) struct RunningCall {
    /// The request of the client.
    pub(crate) cx: Context,
    notes: mpsc::Sender<(Note, OwnedSemaphorePermit)>,
    /// The bytes that further notifications may have.
    room: Arc<Semaphore>,
    /// The number of questions that are asked with the request of the client.
    asking: watch::Sender<usize>,
    /// Notified when the upstream reports progress.
    progressed: Notify,
    /// Whether the upstream has the request and has not answered it.
    is_open: AtomicBool,
    /// The place of the call among those of the upstream, unless a user is asked.
    slot: Mutex<Option<Slot>>,
    slots: Arc<Slots>,
}

impl RunningCall {
    /// Creates a call, and what receives the notifications for its client.
    pub(crate) fn new(cx: Context, slots: &Arc<Slots>) -> (Arc<Self>, Notes) {
        let (notes, received) = mpsc::channel(NOTES);
        let call = Self {
            cx,
            notes,
            room: Arc::new(Semaphore::new(NOTES_BYTES as usize)),
            asking: watch::Sender::new(0),
            progressed: Notify::new(),
            is_open: AtomicBool::new(false),
            slot: Mutex::default(),
            slots: Arc::clone(slots),
        };
        (Arc::new(call), received)
    }

    fn slot(&self) -> MutexGuard<'_, Option<Slot>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the place of the call among those of the upstream.
    pub(crate) async fn begin(&self) {
        let slot = self.slots.wait(&self.cx.peer_key()).await;
        *self.slot() = slot;
    }

    /// Waits until no question is asked with the request of the client. Calls of a session share a
    /// connection, so a question may be one of another call.
    pub(crate) async fn asked(&self) {
        // Fails only if the sender is dropped, and `self` owns it.
        let _ = self
            .asking
            .subscribe()
            .wait_for(|asking| *asking == 0)
            .await;
    }

    /// Notes that the upstream gets the request, or that it has answered it.
    pub(crate) fn set_open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Release);
    }

    /// Returns `true` if the upstream may work on the request.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Notes that the upstream has reported progress.
    pub(crate) fn note_progress(&self) {
        self.progressed.notify_one();
    }

    /// Passes a notification on. One that the client does not read in time is dropped.
    pub(crate) fn note(&self, note: Note) {
        let bytes = u32::try_from(note.bytes()).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).try_acquire_many_owned(bytes.min(NOTES_BYTES));
        let sent = room.is_ok_and(|room| self.notes.try_send((note, room)).is_ok());
        if !sent {
            tracing::debug!(
                "a notification of an upstream is dropped: the client reads too slowly"
            );
        }
    }
}

/// The calls that run on a connection, and what happens to messages beside them.
pub(crate) struct Traffic {
    running: Mutex<Vec<Arc<RunningCall>>>,
    /// Notifications that arrived while no call ran.
    late: Mutex<Vec<Note>>,
    on_change: OnChange,
    owner: Owner,
    /// Whether the upstream may still work on a call that has ended for its client.
    has_leftover: AtomicBool,
    /// The number of questions that clients are asked.
    asking: watch::Sender<usize>,
    /// Notified when a user is asked: the connection may be needed more by others.
    freed: Arc<Notify>,
}

impl Traffic {
    pub(crate) fn new(on_change: OnChange, owner: Owner, freed: Arc<Notify>) -> Self {
        Self {
            running: Mutex::default(),
            late: Mutex::default(),
            on_change,
            owner,
            has_leftover: AtomicBool::new(false),
            asking: watch::Sender::new(0),
            freed,
        }
    }

    /// Returns `true` if the calls may be those of several clients.
    fn is_shared(&self) -> bool {
        self.owner == Owner::Anonymous
    }

    fn running(&self) -> MutexGuard<'_, Vec<Arc<RunningCall>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn late(&self) -> MutexGuard<'_, Vec<Note>> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, call: &Arc<RunningCall>) {
        self.running().push(Arc::clone(call));
        self.late().drain(..).for_each(|note| call.note(note));
    }

    pub(crate) fn remove(&self, call: &Arc<RunningCall>) {
        // An upstream may ignore that a call was cancelled, and ask later.
        if self.is_shared() && call.is_open() {
            self.has_leftover.store(true, Ordering::Release);
        }
        self.running().retain(|known| !Arc::ptr_eq(known, call));
    }

    /// Returns `true` if what the upstream sends may belong to a client whose call has ended.
    pub(crate) fn has_leftover(&self) -> bool {
        self.has_leftover.load(Ordering::Acquire)
    }

    /// Returns the call that began last, unless a message could be one for another client.
    fn latest(&self) -> Option<Arc<RunningCall>> {
        let running = self.running();
        if self.is_shared() && (running.len() > 1 || self.has_leftover()) {
            return None;
        }
        running.last().cloned()
    }

    /// Notes that a user is asked with the request of a call. The upstream waits meanwhile, so the
    /// call needs no place.
    pub(crate) fn begin_question<'a>(&'a self, call: &'a RunningCall) -> Question<'a> {
        for asking in [&self.asking, &call.asking] {
            asking.send_modify(|asking| *asking += 1);
        }
        *call.slot() = None;
        self.freed.notify_waiters();
        Question {
            traffic: self,
            call,
        }
    }

    /// Returns the number of questions that clients are asked.
    pub(crate) fn asking(&self) -> usize {
        *self.asking.borrow()
    }

    /// Waits until an upstream has had a call for `time` without a report of progress. The time
    /// begins again after each question: the upstream waits while the client answers.
    pub(crate) async fn overdue(&self, call: &RunningCall, time: Duration) {
        let mut asking = self.asking.subscribe();
        loop {
            // Fails only if the sender is dropped, and `self` owns it.
            let _ = asking.wait_for(|asking| *asking == 0).await;
            let moved = async {
                tokio::select! {
                    _ = asking.changed() => {}
                    () = call.progressed.notified() => {}
                }
            };
            if timeout(time, moved).await.is_err() {
                return;
            }
        }
    }

    /// Passes a notification on to the call to which it belongs, or to the next one.
    fn note(&self, note: Note) {
        if let Some(call) = self.latest() {
            return call.note(note);
        }
        let is_kept = note.method == COMPLETE && !self.is_shared() && note.bytes() <= LATE_BYTES;
        let mut late = self.late();
        if is_kept && late.len() < LATE {
            late.push(note);
        } else {
            tracing::debug!(
                method = short(&note.method),
                "a notification of an upstream is dropped: it belongs to no call"
            );
        }
    }

    /// Returns the change that a notification announces.
    fn change(notification: &Notification) -> Option<Change> {
        Some(match notification.method() {
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => {
                #[derive(serde::Deserialize)]
                struct Updated {
                    uri: String,
                }
                let updated = serde_json::from_str::<Updated>(notification.params().get());
                Change::Resource(updated.ok()?.uri)
            }
            _ => return None,
        })
    }
}

/// The notifications that the connection itself handles, and those of tasks, which belong to
/// subscriptions.
const HANDLED: [&str; 6] = [
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "notifications/subscriptions/acknowledged",
    "notifications/tasks",
    "notifications/tasks/status",
];

/// The middleware of a connection.
pub(crate) struct Routing(pub(crate) Arc<Traffic>);

impl Middleware for Routing {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        if request.direction() == Direction::ToServer {
            return next.run(request).await;
        }
        loop {
            let Some(call) = self.0.latest() else {
                let text = "the gateway has no request of a client to which this belongs";
                return Err(ErrorObject::internal_error(text).into());
            };
            let answered = {
                let _question = self.0.begin_question(&call);
                answer(&call.cx, &request).await
            };
            // The client cancelled that request: another one of its session may be the one.
            if answered.is_ok() || !call.cx.is_cancelled() {
                return answered;
            }
            self.0.remove(&call);
        }
    }

    fn notify(&self, notification: Notification) -> Option<Notification> {
        if notification.direction() == Direction::ToServer {
            return Some(notification);
        }
        if let Some(change) = Traffic::change(&notification) {
            (self.0.on_change)(change, Some((notification.params(), &self.0.owner)));
        } else if !HANDLED.contains(&notification.method()) {
            self.0.note(Note {
                method: notification.method().to_owned(),
                params: Some(notification.params().to_owned()),
            });
        }
        Some(notification)
    }
}

/// A question that a user is asked with the request of a call.
pub(crate) struct Question<'a> {
    traffic: &'a Traffic,
    call: &'a RunningCall,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        // What was answered does not wait for a place. Without one it is not counted: there are at
        // most as many of these calls as connections whose users were asked.
        let mut slot = self.call.slot();
        if slot.is_none() {
            *slot = self.call.slots.try_take(&self.call.cx.peer_key());
        }
        drop(slot);
        for asking in [&self.traffic.asking, &self.call.asking] {
            asking.send_modify(|asking| *asking -= 1);
        }
    }
}
