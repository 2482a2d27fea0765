//! Selects the messages that are accepted over HTTP while the server stops: responses that handlers
//! in flight wait for, and cancellations. Everything else is rejected with 503. The same messages
//! are accepted while requests in flight hold all permits.

use http::request::Parts;
use mcp_types::rpc;
use mcp_types::rpc::{EnvelopeError, Message};
use mcp_wire::http_headers::METHOD;

use crate::protocol::dispatch::Parsed;
use crate::protocol::dispatch::request_task::shutting_down;
use crate::protocol::error::rejection::Rejection;
use crate::protocol::message::Answer;
use crate::protocol::message::methods::CANCELLED;
use crate::transport::http::endpoint::{Endpoint, session};
use crate::transport::http::refusal::Refusal;

/// Returns `true` if a POST may be accepted while the server stops. Its body decides.
pub(crate) fn may_be_accepted(parts: &Parts) -> bool {
    session::session_id(parts).is_some()
        || parts
            .headers
            .get(METHOD)
            .is_some_and(|method| method == CANCELLED)
}

/// Returns `true` for responses and cancellations.
fn concerns_request_in_flight(message: &Message<'_>) -> bool {
    match message {
        Message::Result { .. } | Message::Error { .. } => true,
        Message::Notification { method, .. } => method == CANCELLED,
        Message::Request { .. } => false,
    }
}

impl Endpoint {
    /// Returns `true` if a POST is a response or a cancellation in a session of this process.
    pub(crate) fn is_for_request_in_flight(&self, parts: &Parts, text: &[u8]) -> bool {
        let session = session::session_id(parts);
        session.is_some_and(|id| self.sessions.local(id).is_some())
            && rpc::parse(text).is_ok_and(|message| concerns_request_in_flight(&message))
    }

    /// Returns `true` if the server is shutting down.
    pub(crate) fn is_stopping(&self) -> bool {
        self.server.stopping.is_set()
    }

    /// Rejects requests while the server stops.
    pub(crate) fn check_running(&self) -> Result<(), Refusal> {
        if self.is_stopping() {
            return Err(Refusal::ShuttingDown);
        }
        Ok(())
    }

    /// Rejects a message while the server stops, unless it concerns a request in flight.
    pub(crate) fn check_message(&self, message: &Message<'_>) -> Result<(), Refusal> {
        if self.is_stopping() && !concerns_request_in_flight(message) {
            return Err(Refusal::ShuttingDown);
        }
        Ok(())
    }

    /// As [`check_message`](Self::check_message), for a message that is not parsed yet. Accepts
    /// texts that are not a single message.
    pub(crate) fn check_text(&self, text: &[u8]) -> Result<(), Refusal> {
        if self.is_stopping()
            && let Ok(message) = rpc::parse(text)
        {
            return self.check_message(&message);
        }
        Ok(())
    }

    /// Removes the messages that are not accepted while the server stops, and returns the responses
    /// to the requests that were removed from a batch.
    ///
    /// # Errors
    ///
    /// [`Refusal::ShuttingDown`] if no message is accepted.
    pub(crate) fn keep_accepted(&self, read: &mut Parsed<'_>) -> Result<Vec<Answer>, Refusal> {
        if !self.is_stopping() {
            return Ok(Vec::new());
        }
        let messages = match read {
            Parsed::One(message) => return self.check_message(message).map(|()| Vec::new()),
            Parsed::Batch(messages) => messages,
        };
        let is_accepted = |message: &Result<Message<'_>, EnvelopeError>| {
            message.as_ref().is_ok_and(concerns_request_in_flight)
        };
        if !messages.iter().any(is_accepted) {
            return Err(Refusal::ShuttingDown);
        }
        let mut refused = Vec::new();
        messages.retain(|message| match message {
            Ok(Message::Request { id, .. }) => {
                let answer = Answer::error(Some(id), &shutting_down(), Rejection::Malformed);
                refused.push(answer);
                false
            }
            Ok(message) => concerns_request_in_flight(message),
            // The response describes the error.
            Err(_) => true,
        });
        Ok(refused)
    }
}
