//! [`StreamExecutor`]: runs the streams of an HTTP/2 connection, and resets those that the client
//! does not read.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::Executor;
use pin_project_lite::pin_project;
use tokio::time::{Sleep, sleep};

tokio::task_local! {
    /// The progress of the stream whose task is polled.
    static CURRENT: Arc<StreamProgress>;
}

/// The progress of a stream's response. HTTP/2 requests more of a body only when the client's
/// flow-control window is open.
#[derive(Debug, Default)]
pub(crate) struct StreamProgress {
    /// Whether the response has more data that HTTP/2 has not requested.
    waiting: AtomicBool,
    /// The number of frames passed to HTTP/2.
    frames: AtomicUsize,
}

impl StreamProgress {
    /// Returns the progress of the stream that is polled, or `None` outside of HTTP/2.
    pub(crate) fn current() -> Option<Arc<Self>> {
        let progress = CURRENT.try_with(Arc::clone).ok()?;
        progress.waiting.store(true, Ordering::Release);
        Some(progress)
    }

    /// Records that HTTP/2 requests more data.
    pub(crate) fn set_requested(&self) {
        self.waiting.store(false, Ordering::Release);
    }

    /// Records that a frame was passed to HTTP/2.
    pub(crate) fn add_frame(&self) {
        self.frames.fetch_add(1, Ordering::AcqRel);
        self.waiting.store(true, Ordering::Release);
    }
}

/// Runs each stream of a connection in a task. A stream is dropped, and thereby reset, if the
/// client does not open its flow-control window within a time limit.
#[derive(Clone, Debug)]
pub(crate) struct StreamExecutor {
    limit: Duration,
}

impl StreamExecutor {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future + Send + 'static,
{
    fn execute(&self, future: F) {
        // Not aborted here: the future ends when its connection does.
        tokio::spawn(StreamTask {
            future,
            progress: Arc::default(),
            limit: self.limit,
            seen: 0,
            timer: None,
        });
    }
}

pin_project! {
    struct StreamTask<F> {
        #[pin]
        future: F,
        progress: Arc<StreamProgress>,
        limit: Duration,
        // The number of frames when the timer was started.
        seen: usize,
        timer: Option<Pin<Box<Sleep>>>,
    }
}

impl<F: Future> Future for StreamTask<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let future = this.future;
        let polled = CURRENT.sync_scope(Arc::clone(this.progress), || future.poll(task));
        if polled.is_ready() {
            return Poll::Ready(());
        }
        if !this.progress.waiting.load(Ordering::Acquire) {
            *this.timer = None;
            return Poll::Pending;
        }
        let frames = this.progress.frames.load(Ordering::Acquire);
        if *this.seen != frames {
            *this.seen = frames;
            *this.timer = None;
        }
        let limit = *this.limit;
        let timer = this.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(timer.as_mut().poll(task));
        tracing::debug!("reset an HTTP/2 stream that the client does not read");
        Poll::Ready(())
    }
}
