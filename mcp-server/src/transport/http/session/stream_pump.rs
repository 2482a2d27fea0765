//! The task that works on a stream: runs its requests, and moves their messages to the event store.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use mcp_types::peer_text::Chain;
use tokio::time::{Instant, sleep, timeout};

use super::stream::{Stream, register_waker};
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::message::Answer;
use crate::protocol::store::StoreError;
use crate::transport::http::session::post_batch::PostBatch;
use crate::transport::http::session::stream::StreamBuffer;

/// The time for which an event that cannot be stored is kept, and in which all that remain when a
/// stream ends have to be stored.
const STORE_TIME: Duration = Duration::from_secs(60);
/// The pause after the store failed for the first time. It doubles with every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause after the store failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

impl Stream {
    /// Runs requests until all are answered or cancelled.
    pub(crate) async fn run_requests(&self, mut post_batch: PostBatch) -> Option<Answer> {
        let mut pump = pin!(self.pump());
        poll_fn(|task| {
            loop {
                for cancellation in self.take_cancelled() {
                    post_batch.cancel(&cancellation);
                }
                if let Poll::Ready(answer) = post_batch.poll(task) {
                    return Poll::Ready(answer);
                }
                // The pump never finishes.
                let _ = pump.as_mut().poll(task);
                if self.register_worker(task) {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Takes the cancellations, and removes the waker, because the task is running.
    fn take_cancelled(&self) -> Vec<Cancellation> {
        let mut state = self.state();
        state.worker_waker = None;
        std::mem::take(&mut state.cancelled)
    }

    /// Registers the waker. Returns `true` if there is nothing to do until the task is woken.
    fn register_worker(&self, task: &Context<'_>) -> bool {
        let mut state = self.state();
        register_waker(&mut state.worker_waker, task);
        state.cancelled.is_empty()
    }

    /// Waits until the stream has ended.
    pub(crate) async fn wait_ended(&self) {
        self.wait(|state| state.ended).await;
    }

    /// Waits for a condition. For the task that works on the stream: only one task at a time.
    async fn wait(&self, done: fn(&StreamBuffer) -> bool) {
        poll_fn(|task| {
            let mut state = self.state();
            if done(&state) {
                return Poll::Ready(());
            }
            register_waker(&mut state.worker_waker, task);
            Poll::Pending
        })
        .await;
    }

    /// Moves events to the store. Never finishes. Cancel safe.
    pub(crate) async fn pump(&self) {
        loop {
            self.wait(StreamBuffer::is_behind).await;
            self.store_next().await;
        }
    }

    /// Moves the remaining events to the store, and ends the stream there. Gives up after
    /// [`STORE_TIME`], because the permit of the request is kept until then.
    pub(crate) async fn finish(&self) {
        let finished = timeout(STORE_TIME, async {
            while self.store_next().await {}
            let number = self.state().last_number() + 1;
            self.append(number, None).await;
        });
        if finished.await.is_err() {
            tracing::error!(
                "the end of a stream was not stored: a client that resumes it will miss events"
            );
        }
    }

    /// Moves one event to the store. Returns `false` if no event is waiting.
    async fn store_next(&self) -> bool {
        let next = {
            let state = self.state();
            let at = usize::try_from(state.stored - state.removed).unwrap_or(usize::MAX);
            let message = state.events.get(at).cloned();
            message.map(|message| (state.stored + 1, message))
        };
        let Some((number, message)) = next else {
            return false;
        };
        self.append(number, Some(message)).await;
        self.trim(|state| state.stored = number);
        true
    }

    /// Creates the stream in the event store, unless that has happened.
    pub(crate) async fn open(&self) -> Result<(), StoreError> {
        if let Some((_, about)) = self.name.get()
            && !self.is_stored.load(Ordering::Acquire)
        {
            let (stores, about) = (&self.server.stores, about.to_bytes());
            stores.open_stream(self.key(), &about, self.kept()).await?;
            self.is_stored.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// Returns the time for which the event store keeps the stream.
    pub(crate) fn kept(&self) -> Duration {
        self.server.limits.session_idle_time.saturating_mul(2)
    }

    async fn try_append(&self, number: u64, message: Option<Bytes>) -> Result<(), StoreError> {
        self.open().await?;
        let stores = &self.server.stores;
        let appended = stores.append_event(self.key(), number, message, self.kept());
        appended.await
    }

    /// Appends an event to the store, and tries again while the store fails: an event that the
    /// client may have seen must not be missing when it resumes. Ends when the session does, or
    /// after [`STORE_TIME`], so that a request does not wait for ever.
    async fn append(&self, number: u64, message: Option<Bytes>) {
        let mut pause = FIRST_PAUSE;
        let started = Instant::now();
        loop {
            let error = {
                let Some(_writing) = self.session.writes.begin() else {
                    return;
                };
                match self.try_append(number, message.clone()).await {
                    Ok(()) => return,
                    Err(error) => error,
                }
            };
            if started.elapsed() > STORE_TIME {
                tracing::error!(
                    error = %Chain(&error),
                    "an event was not stored: a client that resumes its stream will miss it"
                );
                return;
            }
            if pause == FIRST_PAUSE {
                tracing::warn!(error = %Chain(&error), "cannot store an event; trying again");
            }
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}
