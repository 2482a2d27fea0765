//! [`Calls`]: requests of ours that wait for an answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::rpc::{EnvelopeError, ErrorObject};
use mcp_types::{ProgressNotificationParams, RequestId};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::protocol::error::TransportError;

/// What becomes of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(ErrorObject),
    /// An answer, to judge by its id, but no message.
    Malformed(EnvelopeError),
    Lost(Arc<TransportError>),
}

/// What hears of the progress of a call.
pub(crate) type OnProgress = Box<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// The progress of a call, as far as somebody wants to hear of it.
pub(crate) struct Progress {
    heard: Box<dyn Fn(ProgressNotificationParams) + Send + Sync>,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new(heard: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            heard,
            last: Mutex::new(Instant::now()),
        })
    }

    /// When the server last said something.
    pub(crate) fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, params: ProgressNotificationParams) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        (self.heard)(params);
    }
}

/// All requests that wait.
#[derive(Default)]
pub(crate) struct Calls {
    next: AtomicI64,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    waiting: HashMap<i64, Slot>,
    /// Why nothing will be answered any more.
    lost: Option<Arc<TransportError>>,
}

struct Slot {
    reply: oneshot::Sender<Reply>,
    progress: Option<Arc<Progress>>,
}

/// A request that waits, until this is dropped.
pub(crate) struct Waiting {
    calls: Arc<Calls>,
    pub(crate) id: i64,
    pub(crate) reply: oneshot::Receiver<Reply>,
}

impl Calls {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins, with an id of its own.
    pub(crate) fn open(self: &Arc<Self>, progress: Option<Arc<Progress>>) -> Waiting {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = oneshot::channel();
        let mut table = self.table();
        if let Some(lost) = &table.lost {
            // The receiver is right here.
            let _ = sender.send(Reply::Lost(Arc::clone(lost)));
        } else {
            let slot = Slot {
                reply: sender,
                progress,
            };
            table.waiting.insert(id, slot);
        }
        drop(table);
        Waiting {
            calls: Arc::clone(self),
            id,
            reply,
        }
    }

    /// Hands a reply over; `false` where nobody waits for it.
    pub(crate) fn reply(&self, id: &RequestId, reply: Reply) -> bool {
        let Some(id) = number(id) else {
            return false;
        };
        let slot = self.table().waiting.remove(&id);
        slot.is_some_and(|slot| slot.reply.send(reply).is_ok())
    }

    /// Whether somebody waits for an answer.
    pub(crate) fn waits(&self, id: i64) -> bool {
        self.table().waiting.contains_key(&id)
    }

    /// Hands progress over; `false` where nobody asked for it.
    pub(crate) fn progress(&self, id: i64, params: ProgressNotificationParams) -> bool {
        let table = self.table();
        let progress = table.waiting.get(&id).map(|slot| slot.progress.clone());
        drop(table);
        let Some(progress) = progress.flatten() else {
            return false;
        };
        progress.hear(params);
        true
    }

    /// Whether nothing will be answered any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.table().lost.is_some()
    }

    /// What waits now is not answered.
    pub(crate) fn fail(&self, error: TransportError) {
        let waiting = std::mem::take(&mut self.table().waiting);
        Self::tell(waiting, &Arc::new(error));
    }

    /// Nothing will be answered any more.
    pub(crate) fn lose(&self, error: TransportError) {
        let error = Arc::new(error);
        let waiting = {
            let mut table = self.table();
            table.lost.get_or_insert_with(|| Arc::clone(&error));
            std::mem::take(&mut table.waiting)
        };
        Self::tell(waiting, &error);
    }

    fn tell(waiting: HashMap<i64, Slot>, error: &Arc<TransportError>) {
        for slot in waiting.into_values() {
            // Who does not wait does not mind.
            let _ = slot.reply.send(Reply::Lost(Arc::clone(error)));
        }
    }
}

/// The number that an id of ours is. There are servers and gateways that make a text of it.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

impl Waiting {
    /// Whether the server is still at work on it, for all we know.
    pub(crate) fn is_open(&self) -> bool {
        self.calls.waits(self.id)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.calls.table().waiting.remove(&self.id);
    }
}
