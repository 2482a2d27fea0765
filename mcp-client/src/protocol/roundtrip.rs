//! [`roundtrip`]: a request and the response to it.

use std::borrow::Cow;
use std::future::pending;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_types::headers::name_member;
use mcp_types::json::{self, Map};
use mcp_types::meta::PROTOCOL_VERSION;
use mcp_types::revision::VersionError;
use mcp_types::v2025_11_25::{InitializeRequest, InitializedNotification};
use mcp_types::{Notification, Request, Revision, rpc};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep_until, timeout};

use super::connection::{
    Connection, HeaderSource, OutgoingRequest, PendingRequest, Progress, Reply,
};
use super::error::{CallError, TransportError};
use super::middleware::{self, Direction, OutcomeFuture, Response};
use super::params::META;

/// Sends a request and waits for its result. The params may depend on the id of the request.
/// Dropping the future cancels the request.
pub(crate) async fn roundtrip<P: Serialize>(
    connection: &Arc<Connection>,
    method: impl Into<Cow<'static, str>>,
    mut time: CallTimeout,
    header_source: HeaderSource<'_>,
    params: impl FnOnce(i64) -> P,
) -> Result<Box<RawValue>, CallError> {
    let method = method.into();
    let pending = connection.pending.register(time.progress.clone());
    let params = params(pending.id);
    if !connection.layers.is_empty() {
        let text = json::to_raw(&params);
        drop(params);
        let text = text.map_err(|error| params_error(method.clone(), error))?;
        let reason = time.cancel_reason.clone();
        let revision = header_source.revision;
        let mut passing = pass(connection, pending, method.clone(), revision, reason, text);
        let response = within(connection, method, &mut time, passing.as_mut()).await?;
        return Ok(response.into_raw());
    }
    let mut message = Vec::with_capacity(256);
    let written = rpc::write_request(&mut message, &pending.id.into(), &method, Some(&params));
    // Freed before the wait for the response.
    drop(params);
    written.map_err(|error| params_error(method.clone(), error))?;
    let sent = AtomicBool::new(false);
    let reason = time.cancel_reason.clone();
    let mut request = CancelOnDrop::new(connection, pending, &sent, &method, reason);
    let exchange = pin!(request.exchange(method.clone(), header_source, message));
    within(connection, method, &mut time, exchange).await
}

/// Waits for a result until the timeout has elapsed.
async fn within<T>(
    connection: &Connection,
    method: Cow<'static, str>,
    time: &mut CallTimeout,
    result: Pin<&mut (impl Future<Output = Result<T, CallError>> + ?Sized)>,
) -> Result<T, CallError> {
    time.started = Instant::now();
    until_elapsed(connection, method, time, result).await
}

/// Waits for a result until a timeout that has begun has elapsed.
pub(crate) async fn until_elapsed<T>(
    connection: &Connection,
    method: Cow<'static, str>,
    time: &mut CallTimeout,
    result: Pin<&mut (impl Future<Output = Result<T, CallError>> + ?Sized)>,
) -> Result<T, CallError> {
    tokio::select! {
        // A response that has arrived wins over the timeout.
        biased;
        result = result => result,
        () = elapsed(connection, time) => {
            let after = time.started.elapsed();
            let output = connection.last_output.get();
            Err(CallError::Timeout { method, after, output })
        }
    }
}

fn params_error(method: Cow<'static, str>, error: impl Into<VersionError>) -> CallError {
    let source = error.into();
    CallError::Params { method, source }
}

/// Passes a request through the middleware. Behind the last layer, it is sent.
fn pass(
    connection: &Arc<Connection>,
    pending: PendingRequest,
    method: Cow<'static, str>,
    revision: Option<Revision>,
    reason: Option<CancelReason>,
    params: Box<RawValue>,
) -> OutcomeFuture {
    let shared = Arc::clone(connection);
    let sent_method = method.clone();
    let end = Box::new(move |params: Box<RawValue>| -> OutcomeFuture {
        Box::pin(async move {
            let sent = send_passed(&shared, pending, sent_method, revision, reason, params);
            sent.await.map(Response::raw)
        })
    });
    let form = revision.unwrap_or_else(|| connection.revision());
    let request = middleware::Request::new(Direction::ToServer, method, form, params);
    Box::pin(connection.layers.run(request, end))
}

/// Sends a request with the params that the last layer passed on. What HTTP headers repeat is read
/// from these params.
async fn send_passed(
    connection: &Arc<Connection>,
    pending: PendingRequest,
    method: Cow<'static, str>,
    revision: Option<Revision>,
    reason: Option<CancelReason>,
    params: Box<RawValue>,
) -> Result<Box<RawValue>, CallError> {
    let members = json::from_str::<Map<Box<RawValue>>>(params.get())
        .map_err(|error| params_error(method.clone(), error))?;
    let name: Option<String> = name_member(&method)
        .and_then(|name| members.get(name))
        .and_then(|name| json::from_str(name.get()).ok());
    let header_source = HeaderSource {
        revision: declared_revision(&members).or(revision),
        name: name.as_deref(),
        arguments: members.get("arguments").map(|arguments| arguments.get()),
    };
    let mut message = Vec::with_capacity(params.get().len() + 64);
    rpc::write_request(&mut message, &pending.id.into(), &method, Some(&params))
        .map_err(|error| params_error(method.clone(), error))?;
    let sent = AtomicBool::new(false);
    let mut request = CancelOnDrop::new(connection, pending, &sent, &method, reason);
    request.exchange(method, header_source, message).await
}

/// Returns the revision that `_meta` declares.
fn declared_revision(params: &Map<Box<RawValue>>) -> Option<Revision> {
    let meta: Map<Box<RawValue>> = json::from_str(params.get(META)?.get()).ok()?;
    let name: String = json::from_str(meta.get(PROTOCOL_VERSION)?.get()).ok()?;
    name.parse().ok()
}

/// Waits until the timeout has elapsed. It does not run while the transport pauses it.
pub(crate) async fn elapsed(connection: &Connection, time: &mut CallTimeout) {
    let mut pause_left = connection.limits.authorize_time;
    let Some(pause) = connection.sender.timeout_pause() else {
        return time.elapsed().await;
    };
    while !pause_left.is_zero() {
        tokio::select! {
            biased;
            () = pause.begun() => {
                let begun = Instant::now();
                // After the limit, the timeout runs again.
                let _ = timeout(pause_left, pause.over()).await;
                let paused = begun.elapsed();
                pause_left = pause_left.saturating_sub(paused);
                time.started += paused;
            }
            () = time.elapsed() => return,
        }
    }
    time.elapsed().await;
}

/// Sends a notification. Fails after the timeout of a call if the server does not read it, or does
/// not respond to the POST over HTTP.
pub(crate) async fn notify(
    connection: &Arc<Connection>,
    method: &str,
    message: Vec<u8>,
) -> Result<(), CallError> {
    let Some(message) = connection.layers.sent(message) else {
        if method == InitializedNotification::METHOD {
            let source = format!("a middleware dropped `{method}`").into();
            return Err(CallError::Client { source });
        }
        return Ok(());
    };
    let after = connection.limits.call_time;
    let sending = connection
        .sender
        .send_notification(connection, method, message);
    let sent = timeout(after, sending)
        .await
        .map_err(|_| CallError::Timeout {
            method: method.to_owned().into(),
            after,
            output: connection.last_output.get(),
        })?;
    sent.map_err(|source| CallError::Lost {
        method: method.to_owned().into(),
        source: Arc::new(source),
    })
}

/// Cancels a request on the server if the response is not awaited to the end.
struct CancelOnDrop<'a> {
    reason: Option<CancelReason>,
    connection: &'a Arc<Connection>,
    pending: PendingRequest,
    sent: &'a AtomicBool,
    cancellable: bool,
    /// Whether the request failed because of a message that may have been the response to another
    /// one, so that the server may still work on this one.
    lost_message: bool,
}

impl<'a> CancelOnDrop<'a> {
    fn new(
        connection: &'a Arc<Connection>,
        pending: PendingRequest,
        sent: &'a AtomicBool,
        method: &str,
        reason: Option<CancelReason>,
    ) -> Self {
        Self {
            reason,
            connection,
            pending,
            sent,
            // The specification forbids to cancel the handshake.
            cancellable: method != InitializeRequest::METHOD,
            lost_message: false,
        }
    }

    /// Sends the message of the request and waits for its result.
    async fn exchange(
        &mut self,
        method: Cow<'static, str>,
        header_source: HeaderSource<'_>,
        message: Vec<u8>,
    ) -> Result<Box<RawValue>, CallError> {
        #[cfg(not(feature = "http"))]
        let _ = header_source;
        let request = OutgoingRequest {
            #[cfg(feature = "http")]
            id: self.pending.id,
            #[cfg(feature = "http")]
            method: &method,
            #[cfg(feature = "http")]
            header_source,
            message,
            sent: self.sent,
        };
        match self.reply(request).await {
            Ok(Reply::Result(text)) => Ok(text),
            Ok(Reply::Error(source)) => Err(CallError::Refused {
                method,
                source,
                transport: None,
            }),
            Ok(Reply::Malformed(source)) => Err(CallError::Message { method, source }),
            Err(source) => {
                self.lost_message = source.loses_one_message();
                let Some(refusal) = source.refusal().cloned() else {
                    return Err(CallError::Lost { method, source });
                };
                self.cancellable = false;
                Err(CallError::Refused {
                    method,
                    source: refusal,
                    transport: Some(source),
                })
            }
        }
    }

    async fn reply(&mut self, request: OutgoingRequest<'_>) -> Result<Reply, Arc<TransportError>> {
        let reply = &mut self.pending.response;
        let sender = &self.connection.sender;
        let reply = tokio::select! {
            // A reply that has arrived wins over a failure of the connection.
            biased;
            reply = &mut *reply => reply,
            sent = sender.send_request(self.connection, request) => match sent {
                Ok(()) => reply.await,
                Err(error) => reply.try_recv().or_else(|_| Ok(Err(Arc::new(error)))),
            },
        };
        reply.unwrap_or_else(|_| Err(Arc::new(TransportError::Closed)))
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let sent = self.sent.load(Ordering::Relaxed);
        let unanswered = self.lost_message || self.pending.is_pending();
        let sender = &self.connection.sender;
        if sent && unanswered && self.cancellable && !sender.cancels_on_drop(self.connection) {
            let reason = self.reason.as_ref().and_then(|reason| reason());
            self.connection.cancel(self.pending.id, reason);
        }
    }
}

/// Returns why a request is cancelled, when it is.
pub(crate) type CancelReason = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// The timeout of a call, which reports of progress may extend, and the reason that its
/// cancellation has.
#[derive(Clone)]
pub(crate) struct CallTimeout {
    /// The timeout since the start, or since the last report of progress.
    pub(crate) time: Duration,
    /// The limit in total. Reports of progress extend the time only if this is set.
    pub(crate) most: Option<Duration>,
    pub(crate) progress: Option<Arc<Progress>>,
    pub(crate) cancel_reason: Option<CancelReason>,
    started: Instant,
}

impl CallTimeout {
    /// Creates a timeout that never elapses.
    pub(crate) fn endless() -> Self {
        Self::new(Duration::MAX)
    }

    pub(crate) fn new(time: Duration) -> Self {
        Self {
            time,
            most: None,
            progress: None,
            cancel_reason: None,
            started: Instant::now(),
        }
    }

    /// Begins now.
    pub(crate) fn restart(&mut self) {
        self.started = Instant::now();
    }

    /// Waits until the timeout has elapsed.
    async fn elapsed(&self) {
        let Some(most) = self.most else {
            return sleep_for(self.started, self.time).await;
        };
        let Some(end) = deadline(self.started, most) else {
            return pending().await;
        };
        loop {
            let last = self
                .progress
                .as_ref()
                .map(|progress| progress.last())
                .map_or(self.started, |last| self.started.max(last));
            let until = deadline(last, self.time).map_or(end, |next| end.min(next));
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// Returns the end of a time that begins at `from`, or `None` if it is more than a century away:
/// an [`Instant`] may not be able to represent it.
fn deadline(from: Instant, time: Duration) -> Option<Instant> {
    const CENTURY: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
    from.checked_add(time).filter(|_| time < CENTURY)
}

/// Waits until a time has elapsed since `started`; forever if that is too far away.
async fn sleep_for(started: Instant, time: Duration) {
    match deadline(started, time) {
        Some(end) => sleep_until(end).await,
        None => pending().await,
    }
}
