//! [`PostBatch`]: the requests of one POST in a session.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;

use super::stream::Stream;
use crate::protocol::answer::{Answer, Rejection};
use crate::protocol::request_task::RequestTask;
use crate::transport::http::session::handle::{InFlightGuard, SessionHandle};

/// The requests of one POST: one, or those of a batch, whose answers are one message.
#[derive(Default)]
pub(crate) struct PostBatch {
    calls: Vec<Job>,
    answers: Vec<Answer>,
    batch: bool,
}

/// A request, with a seat from when it could not be answered at once.
struct Job(RequestTask, Option<InFlightGuard>);

impl PostBatch {
    pub(crate) fn answer(&mut self, answer: Answer) {
        self.answers.push(answer);
    }

    pub(crate) fn call(&mut self, call: RequestTask) {
        // Nearly always there is no other one.
        self.calls.reserve_exact(1);
        self.calls.push(Job(call.end_with_server(), None));
    }

    /// Makes the answers one message, however many there are.
    pub(crate) fn set_batch(&mut self) {
        self.batch = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.answers.is_empty()
    }

    /// Lets the client give up what is not answered yet.
    pub(crate) fn sit(&mut self, entry: &Arc<SessionHandle>, stream: &Arc<Stream>) {
        let mut twice = Vec::new();
        self.calls.retain_mut(|job| {
            let Some(id) = job.0.id() else {
                return true;
            };
            let seat = entry.seat(id, stream);
            let sits = seat.is_some();
            if !sits {
                twice.push(in_flight(id));
            }
            job.1 = seat;
            sits
        });
        self.answers.append(&mut twice);
    }

    /// Drops a request.
    pub(crate) fn give_up(&mut self, id: &RequestId) {
        self.calls.retain(|job| job.0.id() != Some(id));
    }

    /// The answer, if it is there; `None` where the client gave all requests up. Safe to call
    /// outside of a task that goes on.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Answer>> {
        if !self.batch
            && let [job] = &mut self.calls[..]
        {
            let answer = Pin::new(&mut job.0).poll(task);
            if answer.is_ready() {
                self.calls.clear();
            }
            return answer.map(Some);
        }
        let answers = &mut self.answers;
        self.calls
            .retain_mut(|job| match Pin::new(&mut job.0).poll(task) {
                Poll::Ready(answer) => {
                    answers.push(answer);
                    false
                }
                Poll::Pending => true,
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

/// The answer to a request with the id of another one that is not answered yet.
pub(crate) fn in_flight(id: &RequestId) -> Answer {
    let what = "a request with this id is still in flight";
    Answer::error(
        Some(id),
        &ErrorObject::invalid_request(what),
        Rejection::Malformed,
    )
}
