//! [`HttpLink`]: the way to a server over HTTP.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderValue, Method, Response};
use hyper::body::Incoming;
use mcp_types::v2025_11_25::{InitializeRequest, InitializedNotification};
use mcp_types::{Notification, Request, Revision, rpc};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::eras::{Begin, EraCache};
use super::old::OldStream;
use super::outbox::{Note, Outbox};
use super::params::ToolHeaders;
use super::renewal::Renewal;
use super::session::{BOTH, JSON, PROTOCOL_VERSION, Session, Stage};
use super::wire::Wire;
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::limits::Limits;
use crate::protocol::link::{Link, Outgoing, Sending};

/// How long a session waits for the server's own stream before calls begin.
const LISTENS: Duration = Duration::from_secs(1);

pub(super) struct HttpLink {
    pub(super) wire: Wire,
    /// Bytes of a message.
    pub(super) limit: usize,
    pub(super) params: ToolHeaders,
    /// Of a server of an older revision.
    pub(super) session: watch::Sender<Session>,
    pub(super) renewal: Renewal,
    /// Streams of 2024-11-05, on their way to whom reads them.
    pub(super) streams: mpsc::Sender<OldStream>,
    pub(super) outbox: Arc<Outbox>,
    eras: Option<EraCache>,
}

impl HttpLink {
    pub(super) fn new(
        wire: Wire,
        limits: &Limits,
        eras: Option<EraCache>,
    ) -> (Self, mpsc::Receiver<OldStream>) {
        let (streams, opened) = mpsc::channel(1);
        let link = Self {
            wire,
            limit: limits.message_bytes,
            params: ToolHeaders::default(),
            session: watch::Sender::default(),
            renewal: Renewal::default(),
            streams,
            outbox: Arc::new(Outbox::new(limits.queued_bytes)),
            eras,
        };
        (link, opened)
    }

    pub(super) fn session(&self) -> Session {
        self.session.borrow().clone()
    }

    /// The session with this number has ended.
    pub(super) fn gone(&self, number: u64) {
        self.session.send_modify(|session| {
            if session.number == number {
                session.stage = Stage::Gone;
                session.id = None;
                session.messages = None;
            }
        });
    }

    pub(super) fn remembered(&self) -> Option<Begin> {
        self.eras.as_ref()?.get(&self.wire.url)
    }

    pub(super) fn remember(&self, begin: Option<Begin>) {
        if let Some(eras) = &self.eras {
            eras.set(&self.wire.url, begin);
        }
    }

    async fn tell(&self, core: &Arc<Core>, message: Vec<u8>) -> Result<(), TransportError> {
        let told = rpc::parse(&message).ok();
        let over = told.is_some_and(|told| told.method() == Some(InitializedNotification::METHOD));
        let body = Bytes::from(message);
        if core.revision() == Revision::LATEST {
            let response = self
                .wire
                .send(Method::POST, &self.wire.url, body, |headers| {
                    headers.insert(ACCEPT, BOTH);
                    headers.insert(CONTENT_TYPE, JSON);
                    let latest = HeaderValue::from_static(Revision::LATEST.as_str());
                    headers.insert(PROTOCOL_VERSION, latest);
                });
            return self.taken(response.await?).await;
        }
        if over {
            let session = self.session();
            self.taken(self.post(core, &session, body).await?).await?;
            self.session.send_if_modified(|now| {
                let ready = now.number == session.number && now.stage == Stage::Begun;
                if ready {
                    now.stage = Stage::Ready;
                }
                ready
            });
            self.listens(session.number).await;
            return Ok(());
        }
        let response = self.post_in_session(core, body, || {}).await?.1;
        self.taken(response).await
    }

    /// Reads the response to a notification.
    async fn taken(&self, response: Response<Incoming>) -> Result<(), TransportError> {
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = self.refusal(response).await?.to_string();
        Err(HttpError::Status { status, body }.into())
    }

    /// Waits for the stream by which the server speaks unasked, so that no call makes it speak
    /// before somebody hears. Some servers answer only when they have something to say.
    async fn listens(&self, number: u64) {
        let mut sessions = self.session.subscribe();
        let heard = sessions.wait_for(|session| {
            session.number != number || session.heard || session.messages.is_some()
        });
        if timeout(LISTENS, heard).await.is_err() {
            tracing::debug!("the server has not opened a stream of its own yet");
        }
    }
}

impl Link for HttpLink {
    fn request<'a>(&'a self, core: &'a Arc<Core>, request: Outgoing<'a>) -> Sending<'a> {
        let begins = request.method == InitializeRequest::METHOD;
        if begins || core.revision() != Revision::LATEST {
            Box::pin(self.legacy(core, request))
        } else {
            Box::pin(self.modern(core, request))
        }
    }

    fn notify<'a>(&'a self, core: &'a Arc<Core>, message: Vec<u8>) -> Sending<'a> {
        Box::pin(self.tell(core, message))
    }

    fn send_now(&self, message: Vec<u8>) {
        let session = None;
        self.outbox.add(Note { message, session });
    }

    fn answer(&self, message: Vec<u8>, session: u64) {
        let session = Some(session);
        self.outbox.add(Note { message, session });
    }

    fn ends_by_closing(&self, core: &Core) -> bool {
        // Neither is a handshake to be cancelled.
        core.revision() == Revision::LATEST || !self.session.borrow().is_ready()
    }

    fn begins_with_handshake(&self) -> bool {
        matches!(self.remembered(), Some(Begin::Handshake | Begin::Stream))
    }

    fn url(&self) -> Option<String> {
        Some(self.wire.url.to_string())
    }

    fn found(&self, revision: Option<Revision>) {
        let streams = self.session.borrow().messages.is_some();
        self.remember(revision.map(|revision| match revision {
            Revision::LATEST => Begin::Modern,
            _ if streams => Begin::Stream,
            _ => Begin::Handshake,
        }));
    }
}
