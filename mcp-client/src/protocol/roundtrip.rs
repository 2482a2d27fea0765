//! [`exchange`]: a request and the reply to it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_types::Request;
use mcp_types::v2025_11_25::InitializeRequest;
use mcp_types::{RequestId, rpc};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until, timeout};

use crate::protocol::connection::Core;
use crate::protocol::error::{CallError, TransportError};
use crate::protocol::link::Outgoing;
use crate::protocol::pending::{Progress, Reply, Waiting};

/// Sends a request, whose params may depend on its id, and waits for its result. Dropping the
/// future gives the request up.
pub(crate) async fn exchange<P: Serialize>(
    core: &Arc<Core>,
    method: &'static str,
    mut wait: Wait,
    params: impl FnOnce(i64) -> P,
) -> Result<Box<RawValue>, CallError> {
    let waiting = core.calls.open(wait.progress.clone());
    let id = RequestId::from(waiting.id);
    let sent = AtomicBool::new(false);
    let mut message = Vec::with_capacity(256);
    let params = params(waiting.id);
    let written = rpc::write_request(&mut message, &id, method, Some(&params));
    // Not kept while the answer is awaited.
    drop(params);
    written.map_err(|error| {
        let source = error.into();
        CallError::Params { method, source }
    })?;
    let request = Outgoing {
        #[cfg(feature = "http")]
        id: waiting.id,
        #[cfg(feature = "http")]
        method,
        message,
        sent: &sent,
    };
    wait.begun = Instant::now();
    let mut given_up = GivenUp {
        core,
        waiting,
        sent: &sent,
        // A handshake is not to be cancelled.
        may_end: method != InitializeRequest::METHOD,
        unheard: false,
    };
    let reply = tokio::select! {
        // An answer that is there is not too late.
        biased;
        reply = given_up.exchange(request) => reply,
        () = wait.passed() => {
            let after = wait.begun.elapsed();
            return Err(CallError::Timeout { method, after });
        }
    };
    given_up.unheard = matches!(&reply, Reply::Lost(why) if why.loses_one_message());
    match reply {
        Reply::Result(text) => Ok(text),
        Reply::Error(source) => Err(CallError::Refused { method, source }),
        Reply::Malformed(source) => Err(CallError::Message { method, source }),
        Reply::Lost(source) => Err(CallError::Lost { method, source }),
    }
}

/// Sends a notification, in the time of a call: the server may not read it, or, over HTTP, not
/// answer it.
pub(crate) async fn notify(
    core: &Arc<Core>,
    method: &'static str,
    message: Vec<u8>,
) -> Result<(), CallError> {
    let after = core.limits.call_time;
    let sent = timeout(after, core.link.notify(core, message)).await;
    let sent = sent.map_err(|_| CallError::Timeout { method, after })?;
    sent.map_err(|source| CallError::Lost {
        method,
        source: Arc::new(source),
    })
}

/// A call that the server hears of when nobody waits for it any more.
struct GivenUp<'a> {
    core: &'a Arc<Core>,
    waiting: Waiting,
    sent: &'a AtomicBool,
    may_end: bool,
    /// Whether it was given up for a message that may have been the answer to another call.
    unheard: bool,
}

impl GivenUp<'_> {
    async fn exchange(&mut self, request: Outgoing<'_>) -> Reply {
        let reply = &mut self.waiting.reply;
        let reply = tokio::select! {
            // What was answered is answered, whatever becomes of the connection.
            biased;
            reply = &mut *reply => reply,
            sent = self.core.link.request(self.core, request) => match sent {
                Ok(()) => reply.await,
                Err(error) => reply
                    .try_recv()
                    .or_else(|_| Ok(Reply::Lost(Arc::new(error)))),
            },
        };
        reply.unwrap_or_else(|_| Reply::Lost(Arc::new(TransportError::Closed)))
    }
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        let sent = self.sent.load(Ordering::Relaxed);
        let open = self.unheard || self.waiting.is_open();
        if sent && open && self.may_end && !self.core.link.ends_by_closing(self.core) {
            self.core.cancel(self.waiting.id);
        }
    }
}

/// How long to wait.
#[derive(Clone)]
pub(crate) struct Wait {
    /// From the beginning, or from the last progress.
    pub(crate) time: Duration,
    /// In all, where progress makes it longer.
    pub(crate) most: Option<Duration>,
    pub(crate) progress: Option<Arc<Progress>>,
    begun: Instant,
}

impl Wait {
    /// Without a bound.
    pub(crate) fn endless() -> Self {
        Self::new(Duration::MAX)
    }

    pub(crate) fn new(time: Duration) -> Self {
        Self {
            time,
            most: None,
            progress: None,
            begun: Instant::now(),
        }
    }

    async fn passed(&self) {
        let Some(most) = self.most else {
            return passed(self.begun, self.time).await;
        };
        let Some(end) = deadline(self.begun, most) else {
            return pending().await;
        };
        loop {
            let last = self.progress.as_ref().map(|progress| progress.last());
            let last = last.map_or(self.begun, |last| self.begun.max(last));
            let until = deadline(last, self.time).map_or(end, |next| end.min(next));
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// When a time that begins at `from` has passed; `None` where that is so late that it need not be
/// waited for, and near the end of what an [`Instant`] can say.
fn deadline(from: Instant, time: Duration) -> Option<Instant> {
    const CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
    from.checked_add(time).filter(|_| time < CENTURY)
}

/// Ends when a time has passed, if it can.
async fn passed(begun: Instant, time: Duration) {
    match deadline(begun, time) {
        Some(end) => sleep_until(end).await,
        None => pending().await,
    }
}
