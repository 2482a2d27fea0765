//! Decides what to do with a message, for both eras and independently of the transport.
//!
//! A transport parses bytes with [`Core::read`] and passes each message to [`Core::dispatch`]. It
//! gets a [`Dispatch`]: an answer, or a [`RequestTask`] to poll until it returns its [`Answer`].
//! Dropping the task cancels the request.

pub(crate) mod announcements;
pub(crate) mod error_report;
pub(crate) mod extension;
pub(crate) mod handshake;
pub(crate) mod inbound;
pub(crate) mod lifecycle;
pub mod middleware;
pub(crate) mod registry;
pub(crate) mod request_task;
pub(crate) mod respond;
pub(crate) mod route;
pub(crate) mod sizes;
pub(crate) mod trace;
pub(crate) mod watchdog;

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::error::DecodeError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{EnvelopeError, ErrorObject, Incoming, Message};
use mcp_types::{RequestId, Revision, rpc};
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Core, RequestState};
use crate::protocol::dispatch::error_report::{failure, for_log};
use crate::protocol::dispatch::handshake::initialize;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::dispatch::request_task::{Caught, Panicked, RequestTask, catch, panicked};
use crate::protocol::dispatch::respond::ResponseDelivery;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::rejection::Rejection;
use crate::protocol::error::{invalid_params, method_not_found, short};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::{Answer, methods};
use crate::protocol::metrics::operations::OperationOutcome;
use crate::protocol::session::peer::Peer;
use crate::protocol::session::{Session, severity};

/// What the transport has to do with a message.
pub(crate) enum Dispatch {
    /// Nothing.
    Nothing,
    /// Send this answer.
    Answer(Answer),
    /// Store the session that begins, and send this answer to its `initialize`.
    Session(Arc<Session>, Answer),
    /// Run a handler and send its answer.
    Call(RequestTask),
    /// Run the handler of a notification. There is no answer.
    Notification(Pin<Box<dyn Future<Output = ()> + Send>>),
    /// Cancel a request.
    Cancel(Cancellation),
}

/// What the transport has to do with a message that is malformed.
pub(crate) enum Malformed {
    /// Send this answer.
    Answer(Answer),
    /// Nothing, because it looks like a response: two programs that answer each other's errors
    /// would never stop. If it names a request of the session that waits for a response, that
    /// request has failed, and `is_known` is set.
    Response {
        #[cfg_attr(
            not(feature = "http"),
            expect(dead_code, reason = "only processes that share sessions pass it on")
        )]
        is_known: bool,
    },
}

impl Malformed {
    pub(crate) fn into_answer(self) -> Option<Answer> {
        match self {
            Self::Answer(answer) => Some(answer),
            Self::Response { .. } => None,
        }
    }
}

/// The messages in a text.
pub(crate) enum Parsed<'a> {
    One(Message<'a>),
    Batch(Vec<Result<Message<'a>, EnvelopeError>>),
}

// How often a message was parsed on this thread, for tests.
#[cfg(test)]
thread_local! {
    pub(crate) static MESSAGES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Core {
    /// Parses a text. Batches are accepted from clients whose revision has them.
    pub(crate) fn read<'a>(
        &self,
        bytes: &'a [u8],
        session: Option<&Session>,
    ) -> Result<Parsed<'a>, Malformed> {
        #[cfg(test)]
        MESSAGES.set(MESSAGES.get() + 1);
        let batches = session.is_some_and(|session| session.revision == Revision::V2025_03_26);
        let read = if batches {
            rpc::parse_batch(bytes, self.limits.batch).map(|incoming| match incoming {
                Incoming::Single(message) => Parsed::One(message),
                Incoming::Batch(messages) => Parsed::Batch(messages),
            })
        } else {
            rpc::parse(bytes).map(Parsed::One)
        };
        read.map_err(|error| Self::refuse(&error, session))
    }

    /// Returns what to do with a malformed message. If it is the response to a request of the
    /// server, that request fails at once instead of waiting for its timeout.
    pub(crate) fn refuse(error: &EnvelopeError, session: Option<&Session>) -> Malformed {
        tracing::debug!(error = %PeerDisplay(error), "not a message");
        if error.is_response() {
            let is_known = respond::deliver_malformed(session, error);
            return Malformed::Response { is_known };
        }
        let object = ErrorObject::from(error);
        Malformed::Answer(Answer::error(error.id(), &object, Rejection::Malformed))
    }

    /// Decides what to do with a message.
    pub(crate) fn dispatch(self: &Arc<Self>, message: Message<'_>, inbound: &Inbound) -> Dispatch {
        self.dispatch_checked(message, inbound, |_, _| Ok(()))
    }

    /// Decides what to do with a message. `check` is the transport's own check of a request, such
    /// as of its headers, and runs first.
    pub(crate) fn dispatch_checked(
        self: &Arc<Self>,
        message: Message<'_>,
        inbound: &Inbound,
        check: impl FnOnce(&str, &ParamsView<'_>) -> Result<(), ErrorObject>,
    ) -> Dispatch {
        match message {
            Message::Request {
                id, method, params, ..
            } => match self.read_params(&id, &method, params) {
                Ok(params) => match check(&method, &params) {
                    Ok(()) => self.request(&id, &method, &params, inbound),
                    Err(error) => reject(&id, &error, Rejection::Mismatch),
                },
                Err(error) => {
                    let error = invalid_params(&method, &error);
                    reject(&id, &error, Rejection::Malformed)
                }
            },
            Message::Notification { method, params, .. } => {
                self.notification(&method, params, inbound)
            }
            Message::Result { .. } | Message::Error { .. } => {
                let session = inbound.session.as_deref();
                let delivery = respond::deliver_response(session, &message, &self.limits);
                if let ResponseDelivery::Unexpected = delivery {
                    let id = message.id().map(PeerDisplay);
                    tracing::warn!(
                        id = id.map(display),
                        "answer to a request that was not sent"
                    );
                }
                Dispatch::Nothing
            }
        }
    }

    /// Splits the params of a request into members, within the limits.
    fn read_params<'a>(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<&'a RawValue>,
    ) -> Result<ParamsView<'a>, DecodeError> {
        sizes::check_values(params, &self.limits)?;
        let params = ParamsView::read(params)?;
        sizes::check(&self.limits, id, method, &params)?;
        Ok(params)
    }

    /// Returns the revision without a handshake that a message declares, if the server supports it.
    fn modern_revision(&self, params: &ParamsView<'_>) -> Option<Revision> {
        let declared = params.modern;
        declared.filter(|revision| self.about.revisions.contains(revision))
    }

    /// Returns the session of a request and the revision that it follows, or what to do if the
    /// request runs no handler.
    fn era<'a>(
        self: &Arc<Self>,
        id: &RequestId,
        method: &str,
        params: &ParamsView<'_>,
        inbound: &'a Inbound,
    ) -> ControlFlow<Dispatch, (Option<&'a Arc<Session>>, Revision)> {
        if let Some(version) = params.version() {
            let Some(revision) = self.modern_revision(params) else {
                let error = lifecycle::unsupported(version, self.about.revisions);
                return ControlFlow::Break(reject(id, &error, Rejection::Mismatch));
            };
            return ControlFlow::Continue((None, revision));
        }
        if method == methods::INITIALIZE {
            return ControlFlow::Break(match initialize(self, id, params, inbound) {
                Ok((session, answer)) => Dispatch::Session(session, answer),
                Err(error) => reject(id, &error, Rejection::Malformed),
            });
        }
        if let Some(session) = &inbound.session {
            return ControlFlow::Continue((Some(session), session.revision));
        }
        if method == methods::PING {
            return ControlFlow::Break(Dispatch::Answer(lifecycle::pong(id)));
        }
        let error = ErrorObject::invalid_params(format!(
            "params of `{}` lack {}, and there was no `initialize`",
            short(method),
            params.missing_meta(),
        ));
        ControlFlow::Break(reject(id, &error, Rejection::Malformed))
    }

    fn request(
        self: &Arc<Self>,
        id: &RequestId,
        method: &str,
        params: &ParamsView<'_>,
        inbound: &Inbound,
    ) -> Dispatch {
        let (session, revision) = match self.era(id, method, params, inbound) {
            ControlFlow::Continue(era) => era,
            ControlFlow::Break(dispatch) => return dispatch,
        };
        let route = self.route(method, revision);
        if route.is_none() && self.layers.is_empty() {
            let unknown = &self.unknown_methods;
            unknown.ended(OperationOutcome::Error, Duration::ZERO);
            return reject(id, &method_not_found(method), Rejection::NoMethod);
        }
        let span = trace::span(Some(id), method, params, session, revision, inbound);
        let fail = |error: ErrorObject, kind| {
            trace::failed(&span, &error);
            reject(id, &error, kind)
        };
        let peer = match session {
            Some(session) => Peer::legacy(Arc::clone(session)),
            None => match params.modern_meta() {
                Ok(meta) => Peer::modern(revision, Some(meta)),
                Err(error) => {
                    return fail(invalid_params(method, &error), Rejection::Malformed);
                }
            },
        };
        let cx = match self.context(Some(id.clone()), method, params, peer, inbound) {
            Ok(cx) => cx,
            Err(error) => return fail(error, Rejection::Malformed),
        };
        let start = || match route {
            Some(route) if self.layers.is_empty() => route.start(params, &cx),
            _ => Ok(middleware::start(params, &cx)),
        };
        let started = span.in_scope(|| catch(start));
        match started {
            Ok(Ok(running)) => {
                let limit = (method != methods::LISTEN).then(|| self.limits.request_time);
                Dispatch::Call(RequestTask::new(cx, running, span.clone(), limit))
            }
            Ok(Err(error)) => {
                cx.count(OperationOutcome::Error);
                let (error, rejection) = span.in_scope(|| failure(error, &cx));
                let rejection = rejection.unwrap_or_else(|| Rejection::of_code(error.code));
                fail(error, rejection)
            }
            Err(Panicked) => {
                cx.count(OperationOutcome::Error);
                fail(panicked(), Rejection::Malformed)
            }
        }
    }

    fn context(
        self: &Arc<Self>,
        id: Option<RequestId>,
        method: &str,
        params: &ParamsView<'_>,
        peer: Peer,
        inbound: &Inbound,
    ) -> Result<Context, ErrorObject> {
        let (progress_token, log_level) = match (peer.session(), peer.meta()) {
            (Some(session), _) => {
                let token = params.progress_token();
                let token = token.map_err(|error| invalid_params(method, &error))?;
                (token, Some(session.level()))
            }
            (None, Some(meta)) => {
                let level = params.log_level();
                let level = level.map_err(|error| invalid_params(method, &error))?;
                (meta.progress_token.clone(), level.map(severity))
            }
            (None, None) => (None, None),
        };
        let extensions = Arc::clone(&inbound.extensions);
        let state = RequestState {
            id,
            progress_token,
            log_level,
            meta_bytes: params.meta_bytes(),
            trace_parent: params.trace_parent().map(Into::into),
            ..RequestState::new(self, method, peer, extensions, Arc::clone(&inbound.sink))
        };
        Ok(Context {
            state: Arc::new(state),
            values: None,
        })
    }
}

/// Returns the answer to a request that is refused.
fn reject(id: &RequestId, error: &ErrorObject, kind: Rejection) -> Dispatch {
    Dispatch::Answer(Answer::error(Some(id), error, kind))
}

impl Core {
    /// Decides what to do with a notification.
    fn notification(
        self: &Arc<Self>,
        method: &str,
        params: Option<&RawValue>,
        inbound: &Inbound,
    ) -> Dispatch {
        if let Err(error) = sizes::check_values(params, &self.limits) {
            tracing::warn!(method = %PeerText(method), %error, "notification refused");
            return Dispatch::Nothing;
        }
        if self.layers.is_empty() {
            return self.passed_notification(method, params, inbound);
        }
        let ignore = |error: String| {
            tracing::warn!(method = %PeerText(method), %error, "notification refused");
            Dispatch::Nothing
        };
        let view = match ParamsView::read(params) {
            Ok(view) => view,
            Err(error) => return ignore(error.to_string()),
        };
        let peer = self.notifying_peer(&view, inbound);
        let cx = match self.context(None, method, &view, peer, inbound) {
            Ok(cx) => cx,
            Err(error) => return ignore(error.to_string()),
        };
        match self.pass_inbound(method, params, cx) {
            Some(passed) => self.passed_notification(method, passed.params(), inbound),
            None => Dispatch::Nothing,
        }
    }

    /// Returns the client that sent a notification.
    fn notifying_peer(&self, params: &ParamsView<'_>, inbound: &Inbound) -> Peer {
        let session = inbound.session.as_ref();
        if let Some(session) = session.filter(|_| params.version().is_none()) {
            return Peer::legacy(Arc::clone(session));
        }
        // The sender is optional in a notification.
        let revision = self.modern_revision(params).unwrap_or(Revision::LATEST);
        Peer::modern(revision, params.modern_meta().ok())
    }

    /// Handles a notification that has passed the layers.
    fn passed_notification(
        self: &Arc<Self>,
        method: &str,
        params: Option<&RawValue>,
        inbound: &Inbound,
    ) -> Dispatch {
        if method == methods::CANCELLED {
            return match lifecycle::cancelled(params) {
                // Requests never have an id that is too long.
                Some(cancelled) if sizes::exceeds_id(&cancelled.id, &self.limits) => {
                    Dispatch::Nothing
                }
                Some(cancelled) => Dispatch::Cancel(cancelled),
                None => Dispatch::Nothing,
            };
        }
        if let Some(session) = &inbound.session {
            lifecycle::mark_initialized(session, method);
        }
        let Some(listener) = self.listener(method) else {
            tracing::debug!(method = %PeerText(method), "notification without a handler");
            return Dispatch::Nothing;
        };
        let Ok(view) = ParamsView::read(params) else {
            let method = PeerText(method);
            tracing::warn!(%method, "notification with params that cannot be read");
            return Dispatch::Nothing;
        };
        if let Err(error) = sizes::check_meta(&self.limits, method, &view) {
            tracing::warn!(method, %error, "notification refused");
            return Dispatch::Nothing;
        }
        let peer = self.notifying_peer(&view, inbound);
        let session = peer.session();
        let span = trace::span(None, method, &view, session, peer.revision(), inbound);
        let cx = self.context(None, method, &view, peer, inbound);
        let start = |cx: Context| {
            // The panic was logged.
            let started = span.in_scope(|| catch(|| listener.start(params, &cx)));
            let started = started.unwrap_or_else(|Panicked| Ok(Box::pin(std::future::ready(()))));
            Ok((started?, cx))
        };
        match cx.map_err(HandlerError::from).and_then(start) {
            Ok((future, cx)) => {
                let running = Caught::new(future, span, cx);
                Dispatch::Notification(Box::pin(running))
            }
            Err(error) => {
                let method = PeerText(method);
                tracing::warn!(%method, error = %for_log(&error), "notification refused");
                Dispatch::Nothing
            }
        }
    }
}
