//! Requests of the revisions without sessions, and `initialize`, with which a session begins.

use crate::protocol::params_view::ParamsView;
use crate::transport::http::headers;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::rpc::Message;

use super::answer;
use super::body::HttpBody;
use super::ids::new_id;
use crate::protocol::dispatch::{Dispatch, Parsed};
use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::Inbound;
use crate::protocol::methods::INITIALIZE;
use crate::protocol::methods::LISTEN;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::sse_queue::SseQueue;

impl Endpoint {
    /// Answers a POST that belongs to no session.
    pub(crate) async fn modern(
        &self,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        permit: RequestPermit,
    ) -> Response<HttpBody> {
        let limits = self.server.limits();
        let peer = Arc::clone(permit.peer());
        let line = Arc::new(SseQueue::new(limits.queued_bytes, Arc::clone(&peer)));
        let outlet: Arc<SseQueue> = Arc::clone(&line);
        let version = extensions.parts().map(|parts| parts.version);
        let mut via = Inbound {
            outlet,
            session: None,
            session_id: None,
            extensions,
            transport: headers::transport_info(version),
        };
        let message = match self.server.read(&bytes, None) {
            Ok(Parsed::One(Message::Result { .. } | Message::Error { .. }) | Parsed::Batch(_))
            | Err(None) => {
                let what = "an answer, and nothing was asked";
                return self.refuse(Refusal(StatusCode::BAD_REQUEST, what));
            }
            Err(Some(fault)) => return answer::answer(fault),
            Ok(Parsed::One(message)) => message,
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
        let check =
            |method: &str, head: &ParamsView<'_>| headers::check(&via.extensions, method, head);
        let accepted = self.server.dispatch_checked(message, &via, check);
        // A handler may run for long, and has what it needs of the body.
        drop((via, bytes));
        let mut response = match accepted {
            Dispatch::Nothing | Dispatch::Cancel(_) => answer::empty(StatusCode::ACCEPTED),
            Dispatch::Answer(answer) => answer::answer(answer),
            Dispatch::Session(session, answer) => Box::pin(self.begin(session, answer, peer)).await,
            Dispatch::Notification(handler) => {
                self.notified(handler).await;
                answer::empty(StatusCode::ACCEPTED)
            }
            Dispatch::Call(call) => answer::call(call, line, limits.keep_alive).await,
        };
        if let Some(permit) = permit {
            response.body_mut().keep_permit(permit.into());
        }
        response
    }
}
