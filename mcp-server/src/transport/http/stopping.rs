//! What is still accepted over HTTP while the server stops: answers that handlers in flight wait
//! for, and cancellations. Everything else is refused with 503. The same messages are accepted when
//! requests in flight have all permits.

use http::request::Parts;
use mcp_types::rpc::{self, EnvelopeError, Message};

use super::header_names::METHOD;
use super::session::requests;
use crate::protocol::answer::{Answer, Rejection};
use crate::protocol::dispatch::Parsed;
use crate::protocol::methods::CANCELLED;
use crate::protocol::request_task::shutting_down;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;

/// Returns `true` if the body of a POST has to be read to know whether it is accepted while the
/// server stops.
pub(crate) fn may_be_accepted(parts: &Parts) -> bool {
    requests::session_id(parts).is_some()
        || parts
            .headers
            .get(METHOD)
            .is_some_and(|method| method == CANCELLED)
}

/// Returns `true` for answers and cancellations.
fn concerns_request_in_flight(message: &Message<'_>) -> bool {
    match message {
        Message::Result { .. } | Message::Error { .. } => true,
        Message::Notification { method, .. } => method == CANCELLED,
        Message::Request { .. } => false,
    }
}

impl Endpoint {
    /// Returns `true` if a POST is an answer or a cancellation in a session of this process.
    pub(crate) fn is_for_request_in_flight(&self, parts: &Parts, text: &[u8]) -> bool {
        let session = requests::session_id(parts);
        session.is_some_and(|id| self.sessions.here(id).is_some())
            && rpc::parse(text).is_ok_and(|message| concerns_request_in_flight(&message))
    }

    /// Returns `true` if the server is shutting down.
    pub(crate) fn is_stopping(&self) -> bool {
        self.server.stopping.is_set()
    }

    /// Refuses requests while the server stops.
    pub(crate) fn check_running(&self) -> Result<(), Refusal> {
        if self.is_stopping() {
            return Err(Refusal::ShuttingDown);
        }
        Ok(())
    }

    /// Refuses a message while the server stops, unless it concerns a request in flight.
    pub(crate) fn check_message(&self, message: &Message<'_>) -> Result<(), Refusal> {
        if self.is_stopping() && !concerns_request_in_flight(message) {
            return Err(Refusal::ShuttingDown);
        }
        Ok(())
    }

    /// As [`check_message`](Self::check_message), for a message that is not parsed yet. Texts that
    /// are no single message pass.
    pub(crate) fn check_text(&self, text: &[u8]) -> Result<(), Refusal> {
        if self.is_stopping()
            && let Ok(message) = rpc::parse(text)
        {
            return self.check_message(&message);
        }
        Ok(())
    }

    /// Removes what is not accepted while the server stops, and returns the answers to the requests
    /// that were removed from a batch.
    ///
    /// # Errors
    ///
    /// [`Refusal::ShuttingDown`] if nothing is left.
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
            // It is answered with what is wrong about it.
            Err(_) => true,
        });
        Ok(refused)
    }
}
