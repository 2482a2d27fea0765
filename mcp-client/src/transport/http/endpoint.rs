//! [`Endpoint`]: the state of a connection over HTTP, and its requests.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Response};
use hyper::body::Incoming;
use mcp_types::{Revision, headers};
use tokio::sync::{mpsc, watch};

use super::eras::{EraCache, RememberedServer};
use super::http_client::HttpClient;
use super::post_queue::PostQueue;
use super::retry::retry_after;
use super::session::{Session, SessionPhase, SessionRecovery};
use super::tool_headers::ToolHeaders;
use crate::protocol::error::{HttpError, TransportError};
use crate::protocol::limits::Limits;
use crate::transport::http::http_client::{Events, error_object, read_all};

/// The maximum number of characters of a body in an error.
const SHOWN: usize = 256;

/// The state of a connection over HTTP.
pub(super) struct Endpoint {
    pub(super) client: HttpClient,
    /// The maximum size of a received message in bytes.
    pub(super) limit: usize,
    pub(super) tool_headers: ToolHeaders,
    /// The session with a server of an older revision.
    pub(super) session: watch::Sender<Session>,
    pub(super) recovery: SessionRecovery,
    /// Hands streams of HTTP+SSE to the task that reads them.
    pub(super) streams: mpsc::Sender<Events>,
    pub(super) post_queue: Arc<PostQueue>,
    eras: Option<EraCache>,
}

impl Endpoint {
    pub(super) fn new(
        client: HttpClient,
        limits: &Limits,
        eras: Option<EraCache>,
    ) -> (Self, mpsc::Receiver<Events>) {
        let (streams, opened) = mpsc::channel(1);
        let endpoint = Self {
            client,
            limit: limits.message_bytes,
            tool_headers: ToolHeaders::default(),
            session: watch::Sender::default(),
            recovery: SessionRecovery::default(),
            streams,
            post_queue: Arc::new(PostQueue::new(limits.queued_bytes)),
            eras,
        };
        (endpoint, opened)
    }

    /// Returns the current session.
    pub(super) fn session(&self) -> Session {
        self.session.borrow().clone()
    }

    /// Marks the session with this number as ended.
    pub(super) fn end_session(&self, number: u64) {
        self.session.send_modify(|session| {
            if session.number == number {
                session.phase = SessionPhase::Ended;
                session.id = None;
                session.messages = None;
            }
        });
    }

    /// Waits for a session other than `ended`. The recovery task starts it.
    pub(super) async fn recover_session(&self, ended: Option<u64>) -> Result<(), TransportError> {
        if let Some(number) = ended {
            self.end_session(number);
        }
        let mut attempts = self.recovery.attempts.subscribe();
        if self.session().is_ready() {
            return Ok(());
        }
        self.recovery.wanted.notify_one();
        // Fails only if the sender is dropped, and `self` owns it.
        let _ = attempts.changed().await;
        let error = attempts.borrow().clone();
        error.map_or(Ok(()), |source| Err(TransportError::Session { source }))
    }

    /// Returns what an [`EraCache`] remembers about this server.
    pub(super) fn remembered(&self) -> Option<RememberedServer> {
        self.eras.as_ref()?.get(&self.client.url)
    }

    pub(super) fn remember(&self, found: Option<RememberedServer>) {
        if let Some(eras) = &self.eras {
            eras.set(&self.client.url, found);
        }
    }

    /// Posts a message in a session.
    pub(super) async fn post(
        &self,
        revision: Revision,
        session: &Session,
        body: Bytes,
    ) -> Result<Response<Incoming>, HttpError> {
        let url = session.messages.as_ref().unwrap_or(&self.client.url);
        let response = self.client.send(Method::POST, url, body, |headers| {
            session.set_post_headers(headers, revision);
        });
        response.await
    }

    /// Opens a stream of the server, or resumes it after the event with the id `last`.
    pub(super) async fn get(
        &self,
        revision: Revision,
        session: &Session,
        last: &str,
    ) -> Result<Response<Incoming>, HttpError> {
        let last = match last {
            "" => None,
            id => Some(HeaderValue::try_from(id).map_err(|_| HttpError::Header {
                name: headers::LAST_EVENT_ID.to_owned(),
            })?),
        };
        let url = &self.client.url;
        let response = self.client.send(Method::GET, url, Bytes::new(), |headers| {
            session.set_get_headers(headers, revision, last.as_ref());
        });
        response.await
    }

    /// Reads a body as a stream of events.
    pub(super) fn events(&self, session: u64, body: Incoming) -> Events {
        Events::new(session, body, self.limit, Arc::clone(&self.post_queue))
    }

    /// Reads the HTTP response to a message whose answer, if there is one, arrives elsewhere.
    pub(super) async fn check_accepted(
        &self,
        response: Response<Incoming>,
    ) -> Result<(), TransportError> {
        if response.status().is_success() {
            return Ok(());
        }
        Err(self.rejection(response).await.into())
    }

    /// Reads the body of a response that rejects a request, and returns the error.
    pub(super) async fn rejection(&self, response: Response<Incoming>) -> HttpError {
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let text = read_all(response.into_body(), self.limit)
            .await
            .unwrap_or_default();
        HttpError::Status {
            status,
            body: excerpt(&String::from_utf8_lossy(&text)),
            retry_after,
            error: error_object(&text).map(Box::new),
        }
    }
}

/// Returns the beginning of a text whose length the server chose.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
