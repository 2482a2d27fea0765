//! [`RequestTask`]: a request whose handler runs.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use mcp_types::RequestId;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::rpc::ErrorObject;
use tokio::time::{Sleep, sleep};
use tracing::Span;

#[cfg(feature = "http")]
use crate::protocol::core::Core;
use crate::protocol::core::{Context, RequestState, ResponseFuture};
use crate::protocol::dispatch::error_report::failure;
use crate::protocol::dispatch::{trace, watchdog};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::{RETRY_SOON, Rejection};
use crate::protocol::message::{Answer, error_message};
use crate::protocol::metrics::operations::OperationOutcome;

/// A request whose handler runs. Resolves to its answer. Dropping it cancels the request.
///
/// Different tasks may poll it one after the other. It needs a tokio runtime with time enabled.
pub(crate) struct RequestTask {
    pub(crate) cx: Context,
    running: ResponseFuture,
    span: Span,
    limit: Option<Duration>,
    timer: Timer,
    /// `true` once the request was counted in the metrics.
    counted: bool,
    /// Ends the request when the server has been shutting down for the grace time.
    #[cfg(feature = "http")]
    shutdown: Option<Shutdown>,
}

impl RequestTask {
    pub(crate) fn new(
        cx: Context,
        running: ResponseFuture,
        span: Span,
        limit: Option<Duration>,
    ) -> Self {
        Self {
            cx,
            running,
            span,
            limit,
            timer: Timer::default(),
            counted: false,
            #[cfg(feature = "http")]
            shutdown: None,
        }
    }

    /// Ends the request with an error when the server has been shutting down for the grace time.
    ///
    /// For requests over HTTP: a stack that the service is mounted in does not know the grace time,
    /// so the request has to end by itself.
    #[cfg(feature = "http")]
    pub(crate) fn end_with_server(mut self) -> Self {
        self.shutdown = Some(Shutdown::default());
        self
    }

    /// Returns the id by which the request can be cancelled.
    pub(crate) fn id(&self) -> Option<&RequestId> {
        self.cx.request_id()
    }

    fn answer(&mut self, result: Result<Vec<u8>, HandlerError>) -> Answer {
        match result {
            Ok(message) => {
                tracing::debug!(bytes = message.len(), "request answered");
                self.counted = true;
                self.cx.count_result();
                Answer {
                    message,
                    refused: None,
                }
            }
            Err(error) => {
                let (error, rejection) = failure(error, &self.cx);
                self.failure(&error, rejection)
            }
        }
    }

    fn failure(&mut self, error: &ErrorObject, refused: Option<Rejection>) -> Answer {
        tracing::debug!(code = error.code, "request answered with an error");
        self.counted = true;
        self.cx.count(OperationOutcome::Error);
        trace::failed(&self.span, error);
        Answer {
            message: error_message(self.cx.request_id(), error),
            refused,
        }
    }
}

impl Future for RequestTask {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Answer> {
        let this = self.get_mut();
        let span = this.span.clone();
        let _entered = span.enter();
        let state = Some(&this.cx.state);
        match catch_watched(state, || this.running.as_mut().poll(task)) {
            Ok(Poll::Ready(result)) => return Poll::Ready(this.answer(result)),
            Ok(Poll::Pending) => {}
            Err(Panicked) => return Poll::Ready(this.failure(&panicked(), None)),
        }
        #[cfg(feature = "http")]
        if let Some(shutdown) = &mut this.shutdown
            && shutdown.poll(this.cx.core(), task).is_ready()
        {
            tracing::warn!("a request is ended: the grace time is over");
            return Poll::Ready(this.failure(&shutting_down(), None));
        }
        let Some(limit) = this.limit else {
            return Poll::Pending;
        };
        match this.timer.poll(limit, task) {
            Poll::Ready(()) => {
                tracing::warn!(?limit, "request took too long");
                let error = ErrorObject::internal_error("the request took too long");
                Poll::Ready(this.failure(&error, None))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for RequestTask {
    fn drop(&mut self) {
        if !self.counted {
            self.cx.count(OperationOutcome::Cancelled);
        }
        self.cx.state.ended.set();
    }
}

/// The time limit of a request. A poll without a change is cheap.
#[derive(Default)]
struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    /// The waker that is registered with the timer.
    waker: Option<Waker>,
}

impl Timer {
    fn poll(&mut self, limit: Duration, task: &mut TaskContext<'_>) -> Poll<()> {
        let waker = task.waker();
        // A waker that does nothing belongs to a caller that polls again at once.
        if waker.will_wake(Waker::noop()) {
            return Poll::Pending;
        }
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(limit)));
        let known = self.waker.as_ref();
        if known.is_some_and(|known| known.will_wake(waker)) && !sleep.is_elapsed() {
            return Poll::Pending;
        }
        self.waker = Some(waker.clone());
        sleep.as_mut().poll(task)
    }
}

/// Returns the error for requests that do not finish before the server stops.
pub(crate) fn shutting_down() -> ErrorObject {
    ErrorObject::internal_error("the server is shutting down").retry_after(RETRY_SOON)
}

/// Waits until the server has been shutting down for the grace time.
#[cfg(feature = "http")]
#[derive(Default)]
struct Shutdown {
    over: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// The waker that is registered with the signal.
    waker: Option<Waker>,
}

#[cfg(feature = "http")]
impl Shutdown {
    fn poll(&mut self, server: &Arc<Core>, task: &mut TaskContext<'_>) -> Poll<()> {
        let waker = task.waker();
        // The caller polls again, from a task that can be woken.
        if waker.will_wake(Waker::noop()) {
            return Poll::Pending;
        }
        let known = self.waker.as_ref();
        if known.is_some_and(|known| known.will_wake(waker)) && !server.stopping.is_set() {
            return Poll::Pending;
        }
        self.waker = Some(waker.clone());
        let over = self.over.get_or_insert_with(|| {
            let server = server.clone();
            Box::pin(async move { server.grace_over().await })
        });
        over.as_mut().poll(task)
    }
}

/// The handler panicked. The panic was logged.
pub(crate) struct Panicked;

/// For how long the code of a handler may keep its thread, between two points where it awaits.
const BLOCKED: Duration = Duration::from_secs(1);

/// Runs the code of a handler. A panic ends only this request. Writes a warning if the code blocked
/// the thread: other requests, even their timeouts, may have waited for it.
pub(crate) fn catch<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_watched(None, run)
}

/// As [`catch`]. Also writes a warning if the code of the request does not return.
fn catch_watched<T>(
    request: Option<&Arc<RequestState>>,
    run: impl FnOnce() -> T,
) -> Result<T, Panicked> {
    let began = Instant::now();
    let _watched = request.map(|request| watchdog::watch(request, began));
    let returned = catch_unwind(AssertUnwindSafe(run)).map_err(|panic| log_panic(&*panic));
    let elapsed = began.elapsed();
    if elapsed >= BLOCKED {
        tracing::warn!(
            ?elapsed,
            "a handler blocked a thread: use `tokio::task::spawn_blocking` for work that does not await"
        );
    }
    returned
}

/// Writes a panic to the log.
fn log_panic(panic: &(dyn Any + Send)) -> Panicked {
    tracing::error!(panic = %PeerDisplay(text(panic)), "handler panicked");
    Panicked
}

/// Returns the output of a future; `None` if it panics.
pub(crate) async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|task| match catch(|| future.as_mut().poll(task)) {
        Ok(poll) => poll.map(Some),
        Err(Panicked) => Poll::Ready(None),
    })
    .await
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a value that is no text")
}

pub(crate) fn panicked() -> ErrorObject {
    ErrorObject::internal_error("internal error")
}

/// A running handler of a notification. Panics are caught.
pub(crate) struct Caught {
    running: Pin<Box<dyn Future<Output = ()> + Send>>,
    span: Span,
    cx: Context,
}

impl Caught {
    pub(crate) fn new(
        running: Pin<Box<dyn Future<Output = ()> + Send>>,
        span: Span,
        cx: Context,
    ) -> Self {
        Self { running, span, cx }
    }
}

impl Future for Caught {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<()> {
        let this = &mut *self;
        let _entered = this.span.enter();
        let polled = catch_watched(Some(&this.cx.state), || this.running.as_mut().poll(task));
        polled.unwrap_or(Poll::Ready(()))
    }
}
