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
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::requests::declares_revision;
use crate::transport::http::sse_queue::SseQueue;

impl Endpoint {
    /// Answers a POST that belongs to no session.
    ///
    /// `refusal` is the reason why the session that the headers name cannot be used. A request that
    /// declares its revision in the body is served all the same.
    pub(crate) async fn post_without_session(
        &self,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        permit: RequestPermit,
        refusal: Option<Refusal>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let limits = self.server.limits();
        let peer = Arc::clone(permit.peer());
        let line = Arc::new(SseQueue::new(limits.queued_bytes, Arc::clone(&peer)));
        let sink: Arc<SseQueue> = Arc::clone(&line);
        let version = extensions.parts().map(|parts| parts.version);
        let mut via = Inbound {
            sink,
            session: None,
            session_id: None,
            extensions,
            transport: headers::transport_info(version),
        };
        let read = self.server.read(&bytes, None);
        if let Some(refusal) = refusal
            && !matches!(&read, Ok(Parsed::One(message)) if declares_revision(message))
        {
            return Err(refusal);
        }
        let message = match read {
            Ok(Parsed::One(Message::Result { .. } | Message::Error { .. }) | Parsed::Batch(_))
            | Err(None) => return Err(Refusal::UnexpectedResponse),
            Err(Some(fault)) => return Ok(answer::answer(fault)),
            Ok(Parsed::One(message)) => message,
        };
        self.check_message(&message)?;
        if message.method() == Some(INITIALIZE) {
            via.session_id = Some(new_id()?.into());
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
        Ok(response)
    }
}
