//! [`Context`]: what a handler knows of its request, and what it can tell the peer meanwhile.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{ProgressToken, Proposal, RequestId, Revision, rpc};
use serde::Serialize;
use tokio::sync::Notify;

use crate::protocol::core::Server;
use crate::protocol::error::{HandlerError, bad_params};
use crate::protocol::message_sink::{Outlet, Push};
use crate::protocol::peer::Peer;
use crate::util::select::race;

/// A request's surroundings. Cheap to clone; may outlive the request, then it reaches nobody.
#[derive(Clone)]
pub struct Context {
    pub(crate) call: Arc<Call>,
}

/// What [`Context`] shares.
pub(crate) struct Call {
    pub(crate) server: Server,
    /// Absent for a notification.
    pub(crate) id: Option<RequestId>,
    pub(crate) method: Box<str>,
    pub(crate) peer: Peer,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The least severity of log messages that the peer wants; `None` for none at all.
    pub(crate) log_level: Option<u8>,
    /// Bytes of the text of the request's `_meta`.
    pub(crate) meta_bytes: usize,
    pub(crate) trace_parent: Option<Box<str>>,
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) ended: Ended,
    /// What the peer of the connection subscribed to, where there is one.
    #[cfg(feature = "versioned-resources")]
    pub(crate) subscribed: Option<Arc<crate::features::subscriptions::connection::Subscribed>>,
    pub(crate) progress: crate::protocol::progress::Progress,
    #[cfg(feature = "seal")]
    pub(crate) inputs: crate::features::input::Inputs,
}

impl Context {
    /// The server that the handler belongs to: its lists, and announcements of changes.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.call.server
    }

    /// Who asks.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.call.peer
    }

    /// The revision that the peer speaks in this request.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.call.peer.revision()
    }

    /// Whether both sides announced a proposal: this server, and the peer for this request.
    #[must_use]
    pub fn speaks(&self, proposal: Proposal) -> bool {
        self.server().offers(proposal)
            && self.revision() == Revision::LATEST
            && proposal.is_announced(&self.peer().capabilities().experimental)
    }

    /// Whether the peer gets what a proposal adds: every one of the newest revision, if the program
    /// opted in.
    #[cfg(feature = "_proposals")]
    pub(crate) fn adds(&self, proposal: Proposal) -> bool {
        self.revision() == Revision::LATEST && self.server().offers(proposal)
    }

    /// The method of the request or notification.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.call.method
    }

    /// The request's id; `None` in the handler of a notification.
    #[must_use]
    pub fn request_id(&self) -> Option<&RequestId> {
        self.call.id.as_ref()
    }

    /// The trace context that the request carries in `_meta`, in the form of the W3C. The span of
    /// the request has it as the field `traceparent`, so that a layer which exports spans can make
    /// it the parent.
    #[must_use]
    pub fn trace_parent(&self) -> Option<&str> {
        self.call.trace_parent.as_deref()
    }

    /// Something that the transport or a middleware attached, by its type: claims of an access
    /// token, the parts of the HTTP request (`http::request::Parts`), a database handle. Under
    /// `serve_http` there are the [address](std::net::SocketAddr) of the connection and that of the
    /// client, which differ behind a [trusted proxy](crate::HttpConfig::trusted_proxies):
    /// [`PeerAddress`](crate::PeerAddress).
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.call.extensions.get()
    }

    /// Resolves when the request has ended: answered, cancelled by the peer, out of time, or the
    /// peer is gone. The handler itself is dropped then; this is for tasks that it spawned.
    pub async fn cancelled(&self) {
        self.call.ended.wait().await;
    }

    /// Whether the request has ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.call.ended.is_set()
    }

    /// Lets go of the connection on which the peer waits, if it is one to which the peer comes back
    /// for the answer: that of a session over HTTP, from revision 2025-11-25. Elsewhere this does
    /// nothing. For handlers that take long.
    pub fn close_stream(&self) {
        self.call.outlet.detach();
    }

    /// The same peer, for what is said to it without a request: it cannot be asked then, and hears
    /// of no progress and no logs.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn of_news(&self, method: &str) -> Self {
        let call = &self.call;
        Self {
            call: Arc::new(Call {
                server: call.server.clone(),
                id: None,
                method: method.into(),
                peer: call.peer.clone(),
                progress_token: None,
                log_level: None,
                meta_bytes: call.meta_bytes,
                trace_parent: call.trace_parent.clone(),
                outlet: Arc::clone(&call.outlet),
                extensions: Arc::clone(&call.extensions),
                ended: Ended::default(),
                subscribed: None,
                progress: crate::protocol::progress::Progress::default(),
                inputs: crate::features::input::Inputs::default(),
            }),
        }
    }

    /// Sends a notification that belongs to this request, before its answer. Waits where the peer
    /// reads slowly.
    pub(crate) fn notify<P: Versioned>(
        &self,
        method: &'static str,
        params: P,
    ) -> impl Future<Output = Result<(), HandlerError>> + Send + use<'_, P> {
        // Written before anybody waits, so that the future has no place for params.
        let message = if self.is_cancelled() {
            Ok(None)
        } else {
            notification(self.revision(), method, params).map(Some)
        };
        async move {
            if let Some(message) = message? {
                self.say(message).await;
            }
            Ok(())
        }
    }

    /// Sends a message that belongs to this request.
    pub(crate) async fn say(&self, message: Vec<u8>) {
        let outlet = &self.call.outlet;
        if outlet.push(&message) == Push::Full {
            // A task that the handler left behind may wait for room when the request ends.
            race(self.cancelled(), outlet.send(&message)).await;
        }
    }
}

/// A notification in the form of a revision.
pub(crate) fn notification<P: Versioned>(
    revision: Revision,
    method: &'static str,
    params: P,
) -> Result<Vec<u8>, HandlerError> {
    let mut message = Vec::with_capacity(256);
    rpc::write_notification_at(&mut message, method, params, revision).map_err(
        |error| match error {
            // Nothing that the peer could mend.
            VersionError::Encode(error) => error.into(),
            error => bad_params(method, &error),
        },
    )?;
    Ok(message)
}

/// A notification whose params are in the right form already, such as that of the newest revision.
pub(crate) fn modern<P: Serialize + ?Sized>(
    method: &str,
    params: &P,
) -> Result<Vec<u8>, HandlerError> {
    let mut message = Vec::with_capacity(256);
    rpc::write_notification(&mut message, method, Some(params))?;
    Ok(message)
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("method", &self.call.method)
            .field("id", &self.call.id)
            .field("peer", &self.call.peer)
            .finish_non_exhaustive()
    }
}

/// A flag that can be waited for.
#[derive(Default)]
pub(crate) struct Ended {
    set: AtomicBool,
    told: Notify,
}

impl Ended {
    pub(crate) fn set(&self) {
        self.set.store(true, Ordering::Release);
        self.told.notify_waiters();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    pub(crate) async fn wait(&self) {
        let told = self.told.notified();
        tokio::pin!(told);
        // Enabled before the flag is read, so that nothing is missed in between.
        told.as_mut().enable();
        if !self.is_set() {
            told.await;
        }
    }
}

/// Values by type, attached to a connection or a request.
#[derive(Default)]
pub struct Extensions {
    /// A handful, each of another type.
    values: Vec<Box<dyn Any + Send + Sync>>,
    /// The HTTP request, whose own extensions count as ours.
    #[cfg(feature = "http")]
    parts: Option<Arc<http::request::Parts>>,
    /// Where it comes from.
    #[cfg(feature = "http")]
    remote: Option<std::net::SocketAddr>,
    #[cfg(feature = "http")]
    peer: Option<crate::PeerAddress>,
}

impl Extensions {
    /// Holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches a value; one of the same type gives way.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let value = Box::new(value);
        match self.values.iter_mut().find(|known| known.is::<T>()) {
            Some(known) => *known = value,
            None => self.values.push(value),
        }
    }

    /// The value of a type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let own = self.values.iter().find_map(|value| value.downcast_ref());
        #[cfg(feature = "http")]
        let own = own.or_else(|| {
            let parts = self.parts()?;
            let whole: &dyn Any = parts;
            let remote: Option<&dyn Any> = self.remote.as_ref().map(|remote| remote as _);
            let peer: Option<&dyn Any> = self.peer.as_ref().map(|peer| peer as _);
            let found = whole.downcast_ref().or_else(|| parts.extensions.get());
            let found = found.or_else(|| remote?.downcast_ref());
            found.or_else(|| peer?.downcast_ref())
        });
        own
    }

    /// The name of the [`Principal`] among the values, if the peer is authenticated.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.get::<Principal>().map(|principal| &*principal.0)
    }

    /// What is known of an HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn of_http(
        parts: Arc<http::request::Parts>,
        remote: Option<std::net::SocketAddr>,
    ) -> Self {
        let known = parts.extensions.get().copied().or(remote);
        let peer = known.map(|address| crate::PeerAddress(address.ip().to_canonical()));
        Self {
            parts: Some(parts),
            remote,
            peer,
            ..Self::default()
        }
    }

    /// The HTTP request.
    #[cfg(feature = "http")]
    pub(crate) fn parts(&self) -> Option<&http::request::Parts> {
        self.parts.as_deref()
    }
}

/// Attached to what comes over standard input.
pub(crate) struct StandardStreams;

/// The authenticated user or client, as a middleware determined it. Attached as an
/// [extension](Context::extension).
///
/// Everything that a peer gets back later is bound to it: sealed request state, cursors, sessions
/// with their resumable streams, and channels of the deprecated HTTP+SSE. To any other principal,
/// and to a request without one, a session does not exist (404), and a cursor is invalid (-32602).
/// What was begun without a principal can only be used without one. A principal therefore has to
/// keep its name when its access token is renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub String);
