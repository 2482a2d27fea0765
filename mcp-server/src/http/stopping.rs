//! What is still accepted over HTTP while the server stops: answers that handlers in flight wait
//! for, and cancellations. Everything else is refused with 503. The same messages are accepted when
//! requests in flight have all permits.

use std::time::Duration;

use http::StatusCode;
use http::request::Parts;
use mcp_types::rpc::{self, EnvelopeError, Message};
use tokio::time::sleep;

use super::guard::Refusal;
use super::legacy;
use super::names::METHOD;
use super::service::Endpoint;
use crate::engine::{Answer, Read, Refused, shutting_down};
use crate::lifecycle::CANCELLED;
use crate::metrics::RefusalCause;
use crate::race::race;
use crate::server::Server;

pub(super) const SHUTTING_DOWN: Refusal = Refusal(
    StatusCode::SERVICE_UNAVAILABLE,
    "the server is shutting down",
);

/// How often [`Server::drain`] looks for requests in flight.
const DRAIN_INTERVAL: Duration = Duration::from_millis(10);

/// Returns `true` if the body of a POST has to be read to know whether it is accepted while the
/// server stops.
pub(super) fn may_be_accepted(parts: &Parts) -> bool {
    legacy::session_id(parts).is_some()
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
    pub(super) fn is_for_request_in_flight(&self, parts: &Parts, text: &[u8]) -> bool {
        let session = legacy::session_id(parts);
        session.is_some_and(|id| self.sessions.here(id).is_some())
            && rpc::parse(text).is_ok_and(|message| concerns_request_in_flight(&message))
    }

    /// Returns `true` if the server is shutting down.
    pub(super) fn is_stopping(&self) -> bool {
        self.server.inner.stopping.is_set()
    }

    /// Counts and returns the refusal of what is not accepted while the server stops.
    pub(super) fn refuse_when_stopping(&self) -> Refusal {
        self.count(RefusalCause::ShuttingDown);
        SHUTTING_DOWN
    }

    /// Refuses requests while the server stops.
    pub(super) fn check_running(&self) -> Result<(), Refusal> {
        if self.is_stopping() {
            return Err(self.refuse_when_stopping());
        }
        Ok(())
    }

    /// Refuses a message while the server stops, unless it concerns a request in flight.
    pub(super) fn check_message(&self, message: &Message<'_>) -> Result<(), Refusal> {
        if self.is_stopping() && !concerns_request_in_flight(message) {
            return Err(self.refuse_when_stopping());
        }
        Ok(())
    }

    /// As [`check_message`](Self::check_message), for a message that is not parsed yet. Texts that
    /// are no single message pass.
    pub(super) fn check_text(&self, text: &[u8]) -> Result<(), Refusal> {
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
    /// [`SHUTTING_DOWN`] if nothing is left.
    pub(super) fn keep_accepted(&self, read: &mut Read<'_>) -> Result<Vec<Answer>, Refusal> {
        if !self.is_stopping() {
            return Ok(Vec::new());
        }
        let messages = match read {
            Read::One(message) => return self.check_message(message).map(|()| Vec::new()),
            Read::Batch(messages) => messages,
        };
        let is_accepted = |message: &Result<Message<'_>, EnvelopeError>| {
            message.as_ref().is_ok_and(concerns_request_in_flight)
        };
        if !messages.iter().any(is_accepted) {
            return Err(self.refuse_when_stopping());
        }
        let mut refused = Vec::new();
        messages.retain(|message| match message {
            Ok(Message::Request { id, .. }) => {
                let answer = Answer::error(Some(id), &shutting_down(), Refused::Malformed);
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

impl Server {
    /// Shuts the server down as [`shutdown`](Self::shutdown) does, and waits until no request is in
    /// flight over HTTP, at most for [`Limits::grace_time`](crate::Limits).
    ///
    /// For programs that mount the [service](Self::into_service) in a stack of their own: until
    /// this resolves, the stack has to accept connections, since handlers may wait for answers of
    /// their clients, which send them on connections of their own. `serve_http` does this by
    /// itself.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server};
    ///
    /// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let service = server.clone().into_service(HttpConfig::new());
    /// let app: axum::Router = axum::Router::new().route_service("/mcp", service);
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// axum::serve(listener, app)
    ///     .with_graceful_shutdown(async move {
    ///         let _ = tokio::signal::ctrl_c().await;
    ///         server.drain().await;
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drain(&self) {
        self.shutdown();
        // Looked at from time to time: a notification by each request that ends would cost
        // something while the server runs.
        let requests = &self.inner.peers.all().requests;
        let ended = async {
            while requests.get() > 0 {
                sleep(DRAIN_INTERVAL).await;
            }
        };
        race(ended, self.grace_over()).await;
    }
}
