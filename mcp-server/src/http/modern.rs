//! Requests of the revisions without sessions, and `initialize`, with which a session begins.

use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::rpc::Message;

use super::answer;
use super::body::HttpBody;
use super::guard::Refusal;
use super::ids::new_id;
use super::line::Line;
use super::service::Endpoint;
use crate::context::Extensions;
use crate::engine::{Accepted, Read, Via};
use crate::lifecycle::{INITIALIZE, LISTEN};
use crate::metrics::RefusalCause;
use crate::quota::RequestPermit;

impl Endpoint {
    /// Answers a POST that belongs to no session.
    pub(super) async fn modern(
        &self,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        permit: RequestPermit,
    ) -> Response<HttpBody> {
        let limits = self.server.limits();
        let peer = Arc::clone(permit.peer());
        let line = Arc::new(Line::new(limits.queued_bytes, Arc::clone(&peer)));
        let outlet: Arc<Line> = Arc::clone(&line);
        let mut via = Via {
            outlet,
            session: None,
            session_id: None,
            extensions,
            #[cfg(feature = "versioned-resources")]
            subscribed: None,
        };
        let message = match self.server.read(&bytes, None) {
            Ok(Read::One(Message::Result { .. } | Message::Error { .. }) | Read::Batch(_))
            | Err(None) => {
                let what = "an answer, and nothing was asked";
                return self.refuse(Refusal(StatusCode::BAD_REQUEST, what));
            }
            Err(Some(fault)) => return answer::answer(fault),
            Ok(Read::One(message)) => message,
        };
        if let Err(refusal) = self.check_message(&message) {
            return self.refuse(refusal);
        }
        if message.method() == Some(INITIALIZE) {
            via.session_id = match new_id() {
                Ok(id) => Some(id.into()),
                Err(refusal) => {
                    self.count(RefusalCause::Internal);
                    return self.refuse(refusal);
                }
            };
        }
        // Subscriptions last, and have a limit of their own.
        let permit = (message.method() != Some(LISTEN)).then_some(permit);
        let accepted = self.server.dispatch(message, &via);
        // A handler may run for long, and has what it needs of the body.
        drop((via, bytes));
        let mut response = match accepted {
            Accepted::Nothing | Accepted::Cancel(_) => answer::empty(StatusCode::ACCEPTED),
            Accepted::Answer(answer) => answer::answer(answer),
            Accepted::Session(session, answer) => Box::pin(self.begin(session, answer, peer)).await,
            Accepted::Notification(handler) => {
                self.notified(handler).await;
                answer::empty(StatusCode::ACCEPTED)
            }
            Accepted::Call(call) => answer::call(call, line, limits.keep_alive).await,
        };
        if let Some(permit) = permit {
            response.body_mut().keep_permit(permit.into());
        }
        response
    }
}
