//! [`DetachedTable`]: the calls that outlive the rounds of their request, see
//! [`Context::detached`](crate::Context::detached).

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use mcp_types::rpc::{self, Message};
use mcp_types::{Notification, ProgressNotification, ProgressToken, json};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::limits::Limits;
use crate::protocol::message::{MessageSink, TrySend};
use crate::protocol::quota::peer_key::PeerKey;
use crate::util::lock::lock;

/// The running calls of a server, by their ids. Ids are random, and only the sealed state of the
/// request contains them. `C` is the context that a call has.
pub(crate) struct DetachedTable<C>(Mutex<HashMap<String, Arc<DetachedCall<C>>>>);

impl<C> Default for DetachedTable<C> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<C> DetachedTable<C> {
    pub(crate) fn get(&self, id: &str) -> Option<Arc<DetachedCall<C>>> {
        lock(&self.0).get(id).cloned()
    }

    /// Adds a call, unless there are too many, in total or of its peer.
    pub(crate) fn add(&self, id: &str, call: &Arc<DetachedCall<C>>, limits: &Limits) -> bool {
        let mut calls = lock(&self.0);
        let of_peer = calls.values().filter(|known| known.peer == call.peer);
        if calls.len() >= limits.detached_calls || of_peer.count() >= limits.detached_per_peer {
            return false;
        }
        calls.insert(id.to_owned(), Arc::clone(call));
        true
    }

    pub(crate) fn remove(&self, id: &str) {
        lock(&self.0).remove(id);
    }
}

/// A call that outlives the rounds of its request.
pub(crate) struct DetachedCall<C> {
    peer: PeerKey,
    /// The context that the call has.
    pub(crate) cx: C,
    pub(crate) sink: Arc<RoundSink>,
    state: Mutex<CallState>,
    /// Notified when the state changes.
    pub(crate) changed: Notify,
}

#[derive(Default)]
struct CallState {
    /// Whether a request waits for the call.
    is_attached: bool,
    is_cancelled: bool,
    is_taken: bool,
    result: Option<Result<Box<RawValue>, HandlerError>>,
}

/// What the task of a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallPhase {
    /// A request waits for the call.
    Attached,
    /// No request waits: the client works on the questions.
    Suspended,
    /// The client does not want the call any more.
    Cancelled,
    /// The result was returned to the client.
    Taken,
}

impl<C> DetachedCall<C> {
    pub(crate) fn new(peer: PeerKey, cx: C, sink: Arc<RoundSink>) -> Self {
        Self {
            peer,
            cx,
            sink,
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    pub(crate) fn phase(&self) -> CallPhase {
        let state = lock(&self.state);
        if state.is_cancelled {
            CallPhase::Cancelled
        } else if state.is_taken {
            CallPhase::Taken
        } else if state.is_attached {
            CallPhase::Attached
        } else {
            CallPhase::Suspended
        }
    }

    /// Lets a request wait for the call. Returns `false` if another one does.
    pub(crate) fn attach(
        &self,
        sink: &Arc<dyn MessageSink>,
        progress_token: Option<ProgressToken>,
    ) -> bool {
        if std::mem::replace(&mut lock(&self.state).is_attached, true) {
            return false;
        }
        self.sink.set(Some(Round::of(sink, progress_token)));
        self.changed.notify_waiters();
        true
    }

    /// The request does not wait any more. Cancels the call, unless the client is to answer
    /// questions.
    pub(crate) fn detach(&self, is_suspended: bool) {
        self.sink.set(None);
        {
            let mut state = lock(&self.state);
            state.is_attached = false;
            state.is_cancelled |= !is_suspended && !state.is_taken;
        }
        self.changed.notify_waiters();
    }

    pub(crate) fn finish(&self, result: Result<Box<RawValue>, HandlerError>) {
        lock(&self.state).result = Some(result);
        self.changed.notify_waiters();
    }

    /// Returns the result, once.
    pub(crate) fn take(&self) -> Option<Result<Box<RawValue>, HandlerError>> {
        let result = {
            let mut state = lock(&self.state);
            let result = state.result.take()?;
            state.is_taken = true;
            result
        };
        self.changed.notify_waiters();
        Some(result)
    }
}

/// Sends the messages of a call with the request that waits for it. What is sent between two
/// rounds is discarded.
#[derive(Default)]
pub(crate) struct RoundSink(Mutex<Option<Round>>);

/// The request that waits for a call.
#[derive(Clone)]
struct Round {
    sink: Arc<dyn MessageSink>,
    progress_token: Option<ProgressToken>,
}

impl RoundSink {
    fn set(&self, round: Option<Round>) {
        *lock(&self.0) = round;
    }

    fn round(&self) -> Option<Round> {
        let round = lock(&self.0);
        round.clone()
    }
}

impl Round {
    fn of(sink: &Arc<dyn MessageSink>, progress_token: Option<ProgressToken>) -> Self {
        Self {
            sink: Arc::clone(sink),
            progress_token,
        }
    }

    /// Returns a message in the form for this round: progress has the token of its request. `None`
    /// if the client does not want it.
    fn message(&self, message: &[u8]) -> Option<Vec<u8>> {
        let Ok(Message::Notification { method, params, .. }) = rpc::parse(message) else {
            return Some(message.to_owned());
        };
        if method != ProgressNotification::METHOD {
            return Some(message.to_owned());
        }
        let token = self.progress_token.as_ref()?;
        let mut params: json::Object = json::from_str(params?.get()).ok()?;
        params.insert("progressToken", json::to_value(token).ok()?);
        let mut changed = Vec::with_capacity(message.len());
        rpc::write_notification(&mut changed, &method, Some(&params)).ok()?;
        Some(changed)
    }
}

impl MessageSink for RoundSink {
    fn try_send(&self, message: &[u8]) -> TrySend {
        let round = self.round();
        let message = round.as_ref().and_then(|round| round.message(message));
        match (round, message) {
            (Some(round), Some(message)) => round.sink.try_send(&message),
            _ => TrySend::Queued,
        }
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let round = self.round();
        Box::pin(async move {
            if let Some(round) = round {
                round.sink.ready().await;
            }
        })
    }
}
