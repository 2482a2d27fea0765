//! [`PostBatch`]: the requests of one POST in a session.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_types::RequestId;
use mcp_types::rpc::ErrorObject;

use super::stream::Stream;
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::dispatch::request_task::RequestTask;
use crate::protocol::error::rejection::Rejection;
use crate::protocol::message::Answer;
use crate::transport::http::session::handle::{InFlightGuard, SessionHandle};

/// The requests of one POST: a single request, or those of a batch, whose responses form one
/// message.
#[derive(Default)]
pub(crate) struct PostBatch {
    requests: Vec<BatchRequest>,
    answers: Vec<Answer>,
    batch: bool,
}

/// A request, and its registration if it was not ready at once.
struct BatchRequest(RequestTask, Option<InFlightGuard>);

impl PostBatch {
    pub(crate) fn answer(&mut self, answer: Answer) {
        self.answers.push(answer);
    }

    pub(crate) fn call(&mut self, call: RequestTask) {
        // Nearly always there is only one.
        self.requests.reserve_exact(1);
        self.requests
            .push(BatchRequest(call.end_with_server(), None));
    }

    /// Marks the requests as a batch, so that the response is an array.
    pub(crate) fn set_batch(&mut self) {
        self.batch = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.answers.is_empty()
    }

    /// Registers the pending requests, so that the client can cancel them.
    pub(crate) fn register(&mut self, handle: &Arc<SessionHandle>, stream: &Arc<Stream>) {
        let mut duplicates = Vec::new();
        self.requests.retain_mut(|request| {
            let Some(id) = request.0.id() else {
                return true;
            };
            let guard = handle.register(id, stream);
            let is_registered = guard.is_some();
            if !is_registered {
                duplicates.push(in_flight(id));
            }
            request.1 = guard;
            is_registered
        });
        self.answers.append(&mut duplicates);
    }

    /// Cancels a request.
    pub(crate) fn cancel(&mut self, cancellation: &Cancellation) {
        self.requests.retain(|request| {
            let is_other = request.0.id() != Some(&cancellation.id);
            if !is_other {
                let ended = &request.0.cx.state.ended;
                ended.set_reason(cancellation.reason.as_deref());
            }
            is_other
        });
    }

    /// Polls the requests. Returns the response, or `None` if the client cancelled all requests.
    /// May be called with a waker that does nothing.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Answer>> {
        if !self.batch
            && let [request] = &mut self.requests[..]
        {
            let answer = Pin::new(&mut request.0).poll(task);
            if answer.is_ready() {
                self.requests.clear();
            }
            return answer.map(Some);
        }
        let answers = &mut self.answers;
        self.requests
            .retain_mut(|request| match Pin::new(&mut request.0).poll(task) {
                Poll::Ready(answer) => {
                    answers.push(answer);
                    false
                }
                Poll::Pending => true,
            });
        if !self.requests.is_empty() {
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

/// Creates the response to a request that has the id of a request in flight.
pub(crate) fn in_flight(id: &RequestId) -> Answer {
    let message = "a request with this id is still in flight";
    Answer::error(
        Some(id),
        &ErrorObject::invalid_request(message),
        Rejection::Malformed,
    )
}
