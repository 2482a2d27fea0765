//! Who works on a stream: lets its requests run, and moves what they say to the store.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use mcp_types::RequestId;

use super::stream::{Stream, set};
use crate::protocol::answer::Answer;
use crate::protocol::error_text::Chain;
use crate::transport::http::session::post_batch::PostBatch;
use crate::transport::http::session::stream_buffer::StreamBuffer;

impl Stream {
    /// Lets requests run until all are answered or given up.
    pub(crate) async fn work(&self, mut jobs: PostBatch) -> Option<Answer> {
        let mut pump = pin!(self.pump());
        poll_fn(|task| {
            loop {
                for id in self.awake() {
                    jobs.give_up(&id);
                }
                if let Poll::Ready(last) = jobs.poll(task) {
                    return Poll::Ready(last);
                }
                // It goes on for ever.
                let _ = pump.as_mut().poll(task);
                if self.rests(task) {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// What was given up meanwhile. Nobody has to wake who is at work.
    fn awake(&self) -> Vec<RequestId> {
        let mut state = self.state();
        state.worker = None;
        std::mem::take(&mut state.given_up)
    }

    /// Whether there is nothing to do until the task is woken.
    fn rests(&self, task: &Context<'_>) -> bool {
        let mut state = self.state();
        set(&mut state.worker, task);
        state.given_up.is_empty()
    }

    /// Waits until all is said.
    pub(crate) async fn ended(&self) {
        self.wait(|state| state.over).await;
    }

    /// Waits for something, as who works on the stream: one task at a time.
    async fn wait(&self, done: fn(&StreamBuffer) -> bool) {
        poll_fn(|task| {
            let mut state = self.state();
            if done(&state) {
                return Poll::Ready(());
            }
            set(&mut state.worker, task);
            Poll::Pending
        })
        .await;
    }

    /// Moves what is said to the store, for ever. Safe to drop.
    pub(crate) async fn pump(&self) {
        loop {
            self.wait(StreamBuffer::is_behind).await;
            self.step().await;
        }
    }

    /// Moves the rest to the store, and ends the stream there.
    pub(crate) async fn finish(&self) {
        while self.step().await {}
        let number = self.state().last() + 1;
        self.append(number, None).await;
    }

    /// Moves one event to the store. Returns `false` if no event is waiting.
    async fn step(&self) -> bool {
        let next = {
            let state = self.state();
            let at = usize::try_from(state.stored - state.left).unwrap_or(usize::MAX);
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

    async fn append(&self, number: u64, message: Option<Bytes>) {
        let Some(_writing) = self.session.writes.begin() else {
            return;
        };
        let kept = self
            .store
            .append(self.session_id(), self.id(), number, message);
        if let Err(error) = kept.await {
            tracing::error!(error = %Chain(&error), "an event cannot be kept");
        }
    }
}
