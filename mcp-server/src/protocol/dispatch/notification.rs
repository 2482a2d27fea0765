//! Notifications of the client.

use std::sync::Arc;

use mcp_types::Revision;
use mcp_types::peer_text::PeerText;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Core};
use crate::protocol::dispatch::error_report::for_log;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::request_task::{Caught, Panicked, catch};
use crate::protocol::dispatch::{Dispatch, lifecycle, sizes, trace};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::message::methods;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::session::peer::Peer;

impl Core {
    /// Decides what to do with a notification.
    pub(super) fn notification(
        self: &Arc<Self>,
        method: &str,
        params: Option<&RawValue>,
        inbound: &Inbound,
    ) -> Dispatch {
        if let Err(error) = sizes::check_values(params, self.limits()) {
            tracing::warn!(method = %PeerText(method), %error, "notification refused");
            return Dispatch::Nothing;
        }
        if self.layers.is_empty() {
            return self.passed_notification(method, params, inbound);
        }
        let refused = |error: String| {
            tracing::warn!(method = %PeerText(method), %error, "notification refused");
            Dispatch::Nothing
        };
        let view = match ParamsView::read(params) {
            Ok(view) => view,
            Err(error) => return refused(error.to_string()),
        };
        let peer = self.notifying_peer(&view, inbound);
        let cx = match self.context(None, method, &view, peer, inbound) {
            Ok(cx) => cx,
            Err(error) => return refused(error.to_string()),
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
                Some(cancelled) if sizes::exceeds_id(&cancelled.id, self.limits()) => {
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
        if let Err(error) = sizes::check_meta(self.limits(), method, &view) {
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
