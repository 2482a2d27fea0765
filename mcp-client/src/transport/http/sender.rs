//! [`HttpSender`]: sends messages in the form of the negotiated era.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use mcp_types::headers::encode_value;
use mcp_types::v2025_11_25::{InitializeRequest, InitializedNotification};
use mcp_types::{CallToolRequest, HEADER_MISMATCH, Notification, Request, Revision, Tool};
use mcp_wire::http_headers::{JSON, JSON_AND_EVENTS, METHOD, NAME, PROTOCOL_VERSION, SESSION_ID};
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::eras::RememberedServer;
use super::post_queue::QueuedPost;
use super::session::SessionPhase;
use super::{legacy, response};
use crate::protocol::connection::timeout_pause::TimeoutPause;
use crate::protocol::connection::{
    Connection, HeaderSource, MessageSender, OutgoingRequest, SendFuture,
};
use crate::protocol::error::{HttpError, TransportError};

/// How long the client waits for the stream on which the server sends requests and notifications.
const STREAM_WAIT: Duration = Duration::from_secs(1);

/// Sends messages over HTTP.
pub(super) struct HttpSender {
    pub(super) endpoint: Arc<Endpoint>,
}

impl HttpSender {
    async fn notify(
        &self,
        connection: &Connection,
        method: &str,
        message: Vec<u8>,
    ) -> Result<(), TransportError> {
        let endpoint = &self.endpoint;
        let body = Bytes::from(message);
        let revision = connection.revision();
        if revision.is_modern() {
            let client = &endpoint.client;
            let response = client.send(Method::POST, &client.url, body, |headers| {
                headers.insert(ACCEPT, JSON_AND_EVENTS);
                headers.insert(CONTENT_TYPE, JSON);
                let version = HeaderValue::from_static(revision.as_str());
                headers.insert(PROTOCOL_VERSION, version);
            });
            return endpoint.check_accepted(response.await?).await;
        }
        if method == InitializedNotification::METHOD {
            let session = endpoint.session();
            let response = endpoint.post(revision, &session, body).await?;
            endpoint.check_accepted(response).await?;
            endpoint.session.send_if_modified(|now| {
                let is_ready = now.number == session.number && now.phase == SessionPhase::Started;
                if is_ready {
                    now.phase = SessionPhase::Ready;
                }
                is_ready
            });
            self.wait_for_stream(session.number).await;
            return Ok(());
        }
        let posted = legacy::post_in_session(endpoint, connection, body, || {}).await?;
        endpoint.check_accepted(posted.1).await
    }

    /// Waits until the stream is open on which the server sends requests and notifications.
    /// Otherwise messages that a call causes could be lost. Some servers respond to the request for
    /// the stream only when they have a message, so the wait is short.
    async fn wait_for_stream(&self, number: u64) {
        let mut sessions = self.endpoint.session.subscribe();
        let answered = sessions.wait_for(|session| {
            session.number != number || session.stream_answered || session.messages.is_some()
        });
        if timeout(STREAM_WAIT, answered).await.is_err() {
            tracing::debug!("the server has not opened its stream yet");
        }
    }
}

impl MessageSender for HttpSender {
    fn send_request<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        request: OutgoingRequest<'a>,
    ) -> SendFuture<'a> {
        let is_handshake = request.method == InitializeRequest::METHOD;
        if is_handshake || !connection.revision().is_modern() {
            Box::pin(legacy::send(&self.endpoint, connection, request))
        } else {
            Box::pin(send_modern(&self.endpoint, connection, request))
        }
    }

    fn send_notification<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        method: &'a str,
        message: Vec<u8>,
    ) -> SendFuture<'a> {
        Box::pin(self.notify(connection, method, message))
    }

    fn send_now(&self, message: Vec<u8>) {
        let session = None;
        self.endpoint
            .post_queue
            .add(QueuedPost { message, session });
    }

    fn send_response(&self, message: Vec<u8>, session: u64) {
        let session = Some(session);
        self.endpoint
            .post_queue
            .add(QueuedPost { message, session });
    }

    fn timeout_pause(&self) -> Option<&TimeoutPause> {
        let client = &self.endpoint.client;
        client.authorize.as_ref().map(|_| &client.pause)
    }

    fn cancels_on_drop(&self, connection: &Connection) -> bool {
        // The specification forbids to cancel the handshake, which comes before a session.
        connection.revision().is_modern() || !self.endpoint.session.borrow().is_ready()
    }

    fn remembered_revision(&self) -> Option<Revision> {
        let remembered = self.endpoint.remembered()?;
        Some(remembered.revision)
    }

    fn url(&self) -> Option<String> {
        Some(self.endpoint.client.url.to_string())
    }

    fn learn_tools(&self, tools: &mut Vec<Tool>) {
        self.endpoint.tool_headers.learn(tools);
    }

    fn remember_revision(&self, revision: Option<Revision>) {
        let is_sse = self.endpoint.session.borrow().messages.is_some();
        let found = revision.map(|revision| RememberedServer { revision, is_sse });
        self.endpoint.remember(found);
    }
}

/// Sends a request of a revision without sessions: a POST with headers that describe it.
async fn send_modern(
    endpoint: &Endpoint,
    connection: &Arc<Connection>,
    request: OutgoingRequest<'_>,
) -> Result<(), TransportError> {
    let OutgoingRequest {
        id: request_id,
        method,
        message,
        header_source,
        sent,
    } = request;
    let body = Bytes::from(message);
    let HeaderSource {
        revision,
        name,
        arguments,
    } = header_source;
    let revision = revision.unwrap_or_else(|| connection.revision());
    let standard = standard_headers(method, name)?;
    let tool = name.filter(|_| method == CallToolRequest::METHOD);
    let mut refreshed = false;
    loop {
        let repeated = match tool {
            Some(tool) => endpoint.tool_headers.headers(tool, arguments)?,
            None => Vec::new(),
        };
        sent.store(true, Ordering::Relaxed);
        let client = &endpoint.client;
        let response = client
            .send(Method::POST, &client.url, body.clone(), |headers| {
                headers.reserve(5 + repeated.len());
                headers.remove(SESSION_ID);
                headers.insert(ACCEPT, JSON_AND_EVENTS);
                headers.insert(CONTENT_TYPE, JSON);
                let version = HeaderValue::from_static(revision.as_str());
                headers.insert(PROTOCOL_VERSION, version);
                for (name, value) in standard.iter().flatten().chain(&repeated) {
                    headers.insert(name, value.clone());
                }
            })
            .await?;
        if response.status().is_success() {
            return match response::read(endpoint, connection, request_id, 0, response).await? {
                None => Ok(()),
                Some(interrupted) => Err(interrupted.error),
            };
        }
        let rejection = endpoint.rejection(response).await;
        let code = rejection.refusal().map(|error| error.code);
        if let (Some(HEADER_MISMATCH), Some(tool), false) = (code, tool, refreshed) {
            refreshed = true;
            let before = endpoint.tool_headers.of(tool);
            let has_changed = || endpoint.tool_headers.of(tool) != before;
            let inbound = &connection.inbound;
            if inbound
                .refresh_tools(connection, revision, &has_changed)
                .await
            {
                continue;
            }
        }
        return Err(rejection.into());
    }
}

/// Returns the headers that repeat the method and the name of a request.
fn standard_headers(
    method: &str,
    name: Option<&str>,
) -> Result<[Option<(HeaderName, HeaderValue)>; 2], HttpError> {
    let header = |name: HeaderName, value: &str| {
        let value = HeaderValue::try_from(value).map_err(|_| HttpError::Header {
            name: name.as_str().to_owned(),
        })?;
        Ok(Some((name, value)))
    };
    Ok([
        header(METHOD, method)?,
        match name {
            Some(name) => header(NAME, &encode_value(name))?,
            None => None,
        },
    ])
}
