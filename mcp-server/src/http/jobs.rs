//! [`Jobs`]: the requests of one POST in a session.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;

use super::entry::{Entry, Seat};
use crate::engine::{Answer, Call, Refused};

/// The requests of one POST: one, or those of a batch, whose answers are one message. Resolves to
/// the answer; to `None` where the client gave all of them up.
#[derive(Default)]
pub(super) struct Jobs {
    calls: Vec<Job>,
    answers: Vec<Answer>,
    batch: bool,
}

struct Job {
    call: Call,
    /// There from when it could not be answered at once.
    seat: Option<Seat>,
}

impl Jobs {
    pub(super) fn answer(&mut self, answer: Answer) {
        self.answers.push(answer);
    }

    pub(super) fn call(&mut self, call: Call) {
        self.calls.push(Job { call, seat: None });
    }

    /// Makes the answers one message, however many there are.
    pub(super) fn set_batch(&mut self) {
        self.batch = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.answers.is_empty()
    }

    /// Lets the client give up what is not answered yet.
    pub(super) fn sit(&mut self, entry: &Arc<Entry>) {
        let mut twice = Vec::new();
        self.calls.retain_mut(|job| {
            let Some(id) = job.call.id() else {
                return true;
            };
            job.seat = entry.seat(id);
            if job.seat.is_none() {
                twice.push(in_flight(id));
            }
            job.seat.is_some()
        });
        self.answers.append(&mut twice);
    }

    /// The answer, if it is there. Safe to call outside of a task that goes on.
    pub(super) fn poll_all(&mut self, task: &mut Context<'_>) -> Poll<Option<Answer>> {
        let answers = &mut self.answers;
        self.calls.retain_mut(|job| {
            if job.seat.as_mut().is_some_and(|seat| seat.is_given_up(task)) {
                return false;
            }
            match Pin::new(&mut job.call).poll(task) {
                Poll::Ready(answer) => {
                    answers.push(answer);
                    false
                }
                Poll::Pending => true,
            }
        });
        if !self.calls.is_empty() {
            return Poll::Pending;
        }
        if !self.batch {
            return Poll::Ready(self.answers.pop());
        }
        if self.answers.is_empty() {
            return Poll::Ready(None);
        }
        let mut message = Vec::from(*b"[");
        for (at, answer) in self.answers.iter().enumerate() {
            if at > 0 {
                message.push(b',');
            }
            message.extend_from_slice(&answer.message);
        }
        message.push(b']');
        let refused = None;
        Poll::Ready(Some(Answer { message, refused }))
    }
}

impl Future for Jobs {
    type Output = Option<Answer>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Answer>> {
        self.poll_all(task)
    }
}

/// The answer to a request with the id of another one that is not answered yet.
pub(super) fn in_flight(id: &RequestId) -> Answer {
    let what = "a request with this id is still in flight";
    Answer::error(
        Some(id),
        &ErrorObject::invalid_request(what),
        Refused::Malformed,
    )
}
