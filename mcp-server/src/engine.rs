//! From one message to what is to be done about it. Knows both eras and no transport.
//!
//! A transport [reads](Server::read) bytes, and for each message it [dispatches](Server::dispatch)
//! it gets an [`Accepted`]: an answer, or a [`Call`] to be polled to its [`Answer`]. Dropping the
//! call cancels it.

mod call;
mod head;
mod members;
pub(crate) mod respond;
pub(crate) mod sizes;
pub(crate) mod trace;

use std::pin::Pin;
use std::sync::Arc;

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{self, EnvelopeError, ErrorObject, Incoming, Message};
use mcp_types::{RequestId, Revision};
use serde_json::value::RawValue;

#[cfg(feature = "https-url")]
pub(crate) use call::catch;
#[cfg(feature = "versioned-resources")]
pub(crate) use call::caught;
pub(crate) use call::{Call, shutting_down};
pub(crate) use head::Head;
#[cfg(feature = "http")]
pub(crate) use head::PROTOCOL_VERSION;
pub(crate) use members::{FromMembers, Members, Name};

use crate::context::{self, Context, Ended, Extensions};
use crate::error::{HandlerError, invalid_params, logged, method_not_found, short};
use crate::lifecycle;
use crate::outlet::Outlet;
use crate::peer::Peer;
use crate::progress::Progress;
use crate::server::Server;
use crate::session::{Session, severity};

/// What the transport knows about where a message came from.
#[derive(Clone)]
pub(crate) struct Via {
    /// Where messages that belong to the request go.
    pub(crate) outlet: Arc<dyn Outlet>,
    /// The handshake that came before on this connection or under this session id.
    pub(crate) session: Option<Arc<Session>>,
    /// The id that a session gets which begins here; absent on a pair of byte streams.
    pub(crate) session_id: Option<Box<str>>,
    pub(crate) extensions: Arc<Extensions>,
    /// Where the connection's subscriptions are; absent where nothing connects requests.
    #[cfg(feature = "versioned-resources")]
    pub(crate) subscribed: Option<Arc<crate::listen::subscribed::Subscribed>>,
}

/// What is to be done about a message.
pub(crate) enum Accepted {
    /// Nothing.
    Nothing,
    /// The answer is known already.
    Answer(Answer),
    /// A session begins, with this answer to its `initialize`.
    Session(Arc<Session>, Answer),
    /// A handler is to run.
    Call(Call),
    /// A handler of a notification is to run; there is no answer.
    Notification(Pin<Box<dyn Future<Output = ()> + Send>>),
    /// The peer gave this request up.
    Cancel(RequestId),
}

/// A response message and what it means for a transport with status codes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Vec<u8>,
    pub(crate) refused: Option<Refused>,
}

/// Why a request was not served at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Its form is at fault, its revision or its capabilities: 400.
    Malformed,
    /// What is around it says something else, or it names a revision that is not spoken: 400, in
    /// whatever era the rest of the conversation is.
    Mismatch,
    /// There is no such method: 404.
    NoMethod,
}

impl Answer {
    pub(crate) fn error(id: Option<&RequestId>, error: &ErrorObject, refused: Refused) -> Self {
        Self {
            message: respond::error(id, error),
            refused: Some(refused),
        }
    }
}

/// What bytes turned out to be.
pub(crate) enum Read<'a> {
    One(Message<'a>),
    Batch(Vec<Result<Message<'a>, EnvelopeError>>),
}

impl Server {
    /// Reads one text. Batches are taken from peers whose revision has them.
    ///
    /// The error is the answer to what is no message; `None` for what must not be answered.
    pub(crate) fn read<'a>(
        &self,
        bytes: &'a [u8],
        session: Option<&Session>,
    ) -> Result<Read<'a>, Option<Answer>> {
        let batches = session.is_some_and(|session| session.revision == Revision::V2025_03_26);
        let read = if batches {
            rpc::parse_batch(bytes, self.limits().batch).map(|incoming| match incoming {
                Incoming::Single(message) => Read::One(message),
                Incoming::Batch(messages) => Read::Batch(messages),
            })
        } else {
            rpc::parse(bytes).map(Read::One)
        };
        read.map_err(|error| Self::refuse(&error))
    }

    /// The answer to what is no message, `None` where it looks like an answer itself: two peers
    /// that answer each other's faults would never end.
    pub(crate) fn refuse(error: &EnvelopeError) -> Option<Answer> {
        tracing::debug!(error = %PeerDisplay(error), "not a message");
        (!error.is_response())
            .then(|| Answer::error(error.id(), &ErrorObject::from(error), Refused::Malformed))
    }

    /// Decides what is to be done about a message.
    pub(crate) fn dispatch(&self, message: Message<'_>, via: &Via) -> Accepted {
        match message {
            Message::Request {
                id, method, params, ..
            } => self.request(&id, &method, params, via),
            Message::Notification { method, params, .. } => self.notification(&method, params, via),
            Message::Result { .. } | Message::Error { .. } => {
                let session = via.session.as_deref();
                if respond::hand_over(session, &message, self.limits()) == Some(false) {
                    let id = message.id().map(PeerDisplay);
                    tracing::warn!(
                        id = id.map(display),
                        "answer to a request that was not sent"
                    );
                }
                Accepted::Nothing
            }
        }
    }

    fn request(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
        via: &Via,
    ) -> Accepted {
        let refused = |error: ErrorObject, refused| {
            Accepted::Answer(Answer::error(Some(id), &error, refused))
        };
        let checked = sizes::check_values(params, self.limits());
        let head = match checked.and_then(|()| Head::read(params)) {
            Ok(head) => head,
            Err(error) => {
                return refused(invalid_params(method, &error), Refused::Malformed);
            }
        };
        if let Err(error) = sizes::check(self, id, method, &head) {
            return refused(invalid_params(method, &error), Refused::Malformed);
        }
        #[cfg(feature = "http")]
        if let Some(parts) = via.extensions.parts()
            && let Err(error) = crate::http::check_headers(self, parts, method, &head)
        {
            return refused(error, Refused::Mismatch);
        }
        let session = match (head.version(), &via.session) {
            (Some(version), _) if version == Revision::LATEST.as_str() => None,
            (Some(version), _) => {
                let error = lifecycle::unsupported(&version);
                return refused(error, Refused::Mismatch);
            }
            (None, _) if method == lifecycle::INITIALIZE => {
                return match lifecycle::initialize(self, id, &head, via) {
                    Ok((session, answer)) => Accepted::Session(session, answer),
                    Err(error) => refused(error, Refused::Malformed),
                };
            }
            (None, Some(session)) => Some(session),
            (None, None) if method == lifecycle::PING => {
                return Accepted::Answer(lifecycle::pong(id));
            }
            (None, None) => {
                let error = ErrorObject::invalid_params(format!(
                    "params of `{}` lack `_meta.{}`, and there was no `initialize`",
                    short(method),
                    head::PROTOCOL_VERSION,
                ));
                return refused(error, Refused::Malformed);
            }
        };
        let revision = session.map_or(Revision::LATEST, |session| session.revision);
        let Some(route) = self.route(method, revision) else {
            return refused(method_not_found(method), Refused::NoMethod);
        };
        let span = trace::span(Some(id), method, &head, session, via);
        let refused = |error: ErrorObject, kind| {
            trace::failed(&span, &error);
            refused(error, kind)
        };
        let peer = match session {
            Some(session) => Peer::legacy(Arc::clone(session)),
            None => match head.modern_meta() {
                Ok(meta) => Peer::modern(Some(meta)),
                Err(error) => {
                    return refused(invalid_params(method, &error), Refused::Malformed);
                }
            },
        };
        let cx = match self.context(Some(id.clone()), method, &head, peer, via) {
            Ok(cx) => cx,
            Err(error) => return refused(error, Refused::Malformed),
        };
        let started = span.in_scope(|| call::catch(|| route.start(&head, &cx)));
        match started {
            Ok(Ok(running)) => {
                let limit = (method != lifecycle::LISTEN).then(|| self.limits().request_time);
                Accepted::Call(Call::new(cx, running, span.clone(), limit))
            }
            Ok(Err(error)) => {
                let error = span.in_scope(|| error.into_object(&cx));
                let kind = if error.code == rpc::METHOD_NOT_FOUND {
                    Refused::NoMethod
                } else {
                    Refused::Malformed
                };
                refused(error, kind)
            }
            Err(call::Panicked) => refused(call::panicked(), Refused::Malformed),
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>, via: &Via) -> Accepted {
        if let Err(error) = sizes::check_values(params, self.limits()) {
            tracing::warn!(method = %PeerText(method), %error, "notification refused");
            return Accepted::Nothing;
        }
        if method == lifecycle::CANCELLED {
            return match lifecycle::cancelled(params) {
                // No request has an id that long.
                Some(id) if sizes::exceeds_id(&id, self.limits()) => Accepted::Nothing,
                Some(id) => Accepted::Cancel(id),
                None => Accepted::Nothing,
            };
        }
        if let Some(session) = &via.session {
            lifecycle::told(session, method);
        }
        let Some(listener) = self.listener(method) else {
            tracing::debug!(method = %PeerText(method), "notification without a handler");
            return Accepted::Nothing;
        };
        let Ok(head) = Head::read(params) else {
            let method = PeerText(method);
            tracing::warn!(%method, "notification with params that cannot be read");
            return Accepted::Nothing;
        };
        if let Err(error) = sizes::check_meta(self, method, &head) {
            tracing::warn!(method, %error, "notification refused");
            return Accepted::Nothing;
        }
        let session = via.session.as_ref().filter(|_| head.version().is_none());
        let peer = match session {
            Some(session) => Peer::legacy(Arc::clone(session)),
            // A notification need not say who sends it.
            None => Peer::modern(head.modern_meta().ok()),
        };
        let span = trace::span(None, method, &head, session, via);
        let cx = self.context(None, method, &head, peer, via);
        let start = |cx: Context| {
            // A panic is in the log.
            let started = span.in_scope(|| call::catch(|| listener.start(params, &cx)));
            started.unwrap_or_else(|call::Panicked| Ok(Box::pin(std::future::ready(()))))
        };
        match cx.map_err(HandlerError::protocol).and_then(start) {
            Ok(future) => Accepted::Notification(Box::pin(call::Caught::new(future, span))),
            Err(error) => {
                let method = PeerText(method);
                tracing::warn!(%method, error = %logged(&error), "notification refused");
                Accepted::Nothing
            }
        }
    }

    fn context(
        &self,
        id: Option<RequestId>,
        method: &str,
        head: &Head<'_>,
        peer: Peer,
        via: &Via,
    ) -> Result<Context, ErrorObject> {
        let (progress_token, log_level) = match (peer.session(), peer.meta()) {
            (Some(session), _) => {
                let token = head.progress_token();
                let token = token.map_err(|error| invalid_params(method, &error))?;
                (token, Some(session.level()))
            }
            (None, Some(meta)) => (meta.progress_token.clone(), meta.log_level.map(severity)),
            (None, None) => (None, None),
        };
        #[cfg(feature = "seal")]
        let inputs = crate::input::Inputs::read(self, method, head, &peer, via)?;
        Ok(Context {
            call: Arc::new(context::Call {
                server: self.clone(),
                id,
                method: method.into(),
                peer,
                progress_token,
                log_level,
                meta_bytes: head.meta_bytes(),
                trace_parent: head.trace_parent().map(Into::into),
                outlet: Arc::clone(&via.outlet),
                extensions: Arc::clone(&via.extensions),
                ended: Ended::default(),
                #[cfg(feature = "versioned-resources")]
                subscribed: via.subscribed.clone(),
                progress: Progress::default(),
                #[cfg(feature = "seal")]
                inputs,
            }),
        })
    }
}
