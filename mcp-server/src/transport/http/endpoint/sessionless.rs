//! POST requests without a session: requests of modern clients, and `initialize`.

use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::rpc::Message;

use crate::protocol::caller::Extensions;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::{Dispatch, Malformed, Parsed};
use crate::protocol::message::methods::{INITIALIZE, LISTEN};
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::endpoint::session::declares_revision;
use crate::transport::http::ids::new_id;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept::{self, AcceptedForms};
use crate::transport::http::request::headers;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;
use crate::transport::http::response::sse_queue::SseQueue;

impl Endpoint {
    /// Handles a POST that does not belong to a session.
    ///
    /// `refusal` is the reason why the session in the headers cannot be used. Only a request that
    /// declares its revision in the body is handled despite it, and `initialize` with the id of a
    /// session that has ended.
    pub(crate) async fn post_without_session(
        &self,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        permit: RequestPermit,
        refusal: Option<Refusal>,
        accepted: AcceptedForms,
    ) -> Result<Response<HttpBody>, Refusal> {
        let limits = &self.server.limits;
        let peer = Arc::clone(permit.peer());
        let queue = Arc::new(SseQueue::new(limits.queued_bytes, Arc::clone(&peer)));
        let sink: Arc<SseQueue> = Arc::clone(&queue);
        let version = extensions.parts().map(|parts| parts.version);
        let mut inbound = Inbound {
            sink,
            session: None,
            session_id: None,
            extensions,
            transport: headers::transport_info(version),
        };
        let read = self.server.read(&bytes, None);
        if let Some(refusal) = refusal
            && !matches!(&read, Ok(Parsed::One(message)) if declares_revision(message)
                || begins_anew(message, &refusal))
        {
            return Err(refusal);
        }
        let message = match read {
            Ok(Parsed::One(Message::Result { .. } | Message::Error { .. }) | Parsed::Batch(_))
            | Err(Malformed::Response { .. }) => return Err(Refusal::UnexpectedResponse),
            Err(Malformed::Answer(fault)) => return Ok(answer::answer(fault)),
            Ok(Parsed::One(message)) => message,
        };
        self.check_message(&message)?;
        if message.method() == Some(INITIALIZE) {
            inbound.session_id = Some(new_id()?.into());
        }
        if message.method() == Some(LISTEN)
            && let Some(parts) = inbound.extensions.parts()
        {
            accept::check_events(parts)?;
        }
        // Subscriptions are long-lived and have their own limit.
        let permit = (message.method() != Some(LISTEN)).then_some(permit);
        let check = |method: &str, params: &ParamsView<'_>| {
            headers::check(&inbound.extensions, method, params)
        };
        let dispatched = self.server.dispatch_checked(message, &inbound, check);
        // A handler may run for long and owns what it needs, so the body is freed.
        drop((inbound, bytes));
        let mut response = match dispatched {
            Dispatch::Nothing | Dispatch::Cancel(_) => answer::empty(StatusCode::ACCEPTED),
            Dispatch::Answer(answer) => answer::answer(answer),
            Dispatch::Session(session, answer) => {
                Box::pin(self.add_session(session, answer, peer)).await?
            }
            Dispatch::Notification(handler) => {
                self.run_notification(handler).await;
                answer::empty(StatusCode::ACCEPTED)
            }
            Dispatch::Call(call) => answer::call(call, queue, limits.keep_alive, accepted).await,
        };
        if let Some(permit) = permit {
            response.body_mut().keep_permit(permit.into());
        }
        Ok(response)
    }
}

/// Returns `true` for `initialize` of a client whose session has ended.
fn begins_anew(message: &Message<'_>, refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::UnknownSession) && message.method() == Some(INITIALIZE)
}
