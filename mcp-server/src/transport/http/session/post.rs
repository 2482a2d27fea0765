//! POST in a session: what each message asks for.

use crate::protocol::params_view::ParamsView;
use crate::transport::http::headers;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::RequestId;
use mcp_types::rpc::{ErrorObject, Message};

use super::post_batch::in_flight;
use super::session_store::Before;
use super::stream::Stream;
use crate::protocol::answer::{Answer, Rejection};
use crate::protocol::changes::BusMessage;
use crate::protocol::core::Core;
use crate::protocol::dispatch::{Dispatch, Parsed};
use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::Inbound;
use crate::protocol::quota::permits::RequestPermit;
use crate::protocol::respond;
use crate::transport::http::answer;
use crate::transport::http::body::HttpBody;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::post_batch::PostBatch;
use crate::transport::http::session::session_store::SessionDelta;

impl Endpoint {
    /// POST in a session.
    pub(crate) async fn post(
        &self,
        entry: &Arc<SessionHandle>,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        mut permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let mut read = match self.server.read(&bytes, Some(&entry.session)) {
            Ok(read) => read,
            Err(Some(fault)) => return Ok(answer::answer(fault)),
            Err(None) => return Err(Refusal::MalformedResponse),
        };
        let refused = self.keep_accepted(&mut read)?;
        let PostRequests {
            mut jobs,
            stream,
            notified,
            before,
        } = self.take(entry, extensions, read, &bytes, &mut permit)?;
        for answer in refused {
            jobs.answer(answer);
        }
        // A handler may run for long, and has what it needs of the body.
        drop(bytes);
        for handler in notified {
            self.notified(handler).await;
        }
        if jobs.is_empty() {
            return Ok(answer::empty(StatusCode::ACCEPTED));
        }
        let response = self.serve(entry, jobs, stream, permit).await?;
        if let Some(before) = before {
            Box::pin(self.changed(entry, &before.delta(&entry.session))).await;
            Box::pin(self.sessions.weigh(entry)).await;
        }
        Ok(response)
    }

    /// Takes the messages of a POST.
    fn take(
        &self,
        entry: &Arc<SessionHandle>,
        extensions: Arc<Extensions>,
        read: Parsed<'_>,
        bytes: &[u8],
        permit: &mut RequestPermit,
    ) -> Result<PostRequests, Refusal> {
        let session = &entry.session;
        let stream = Arc::new(self.stream(entry));
        let sink: Arc<Stream> = Arc::clone(&stream);
        let version = extensions.parts().map(|parts| parts.version);
        let via = Inbound {
            sink,
            session: Some(Arc::clone(session)),
            // One handshake is enough for a session.
            session_id: None,
            extensions,
            transport: headers::transport_info(version),
        };
        let mut jobs = PostBatch::default();
        let mut notified = Vec::new();
        let mut again = false;
        let mut before = None;
        let mut requests = 0;
        let batch = matches!(read, Parsed::Batch(_));
        let mut take = |message: Message<'_>| {
            if self.answered(entry, &message, (!batch).then_some(bytes)) {
                return;
            }
            if let Message::Request { id, method, .. } = &message {
                if entry.is_running(id) {
                    return jobs.answer(in_flight(id));
                }
                // Each request of a batch counts. Those for which there is no room are answered
                // one by one, as over a pair of byte streams: the client need not repeat the
                // others, which may have had effects.
                requests += 1;
                if requests > 1
                    && let Err(error) = permit.add(1)
                {
                    let refusal = Refusal::from(error);
                    self.count(&refusal);
                    return jobs.answer(too_many_requests(id, &refusal));
                }
                if changes_session(method) {
                    before.get_or_insert_with(|| Before::of(session));
                }
            }
            let check = |method: &str, head: &ParamsView<'_>| {
                headers::check_in_session(&via.extensions, method, head)
            };
            match self.server.dispatch_checked(message, &via, check) {
                Dispatch::Nothing => {}
                Dispatch::Answer(answer) => jobs.answer(answer),
                Dispatch::Session(..) => again = true,
                Dispatch::Call(call) => jobs.call(call),
                Dispatch::Notification(handler) => notified.push(handler),
                Dispatch::Cancel(id) => self.cancel(entry, id),
            }
        };
        match read {
            Parsed::One(message) => take(message),
            Parsed::Batch(messages) => {
                let mut faults = Vec::new();
                for message in messages {
                    match message {
                        Ok(message) => take(message),
                        Err(error) => faults.extend(Core::refuse(&error)),
                    }
                }
                for fault in faults {
                    jobs.answer(fault);
                }
                jobs.set_batch();
            }
        }
        if again {
            return Err(Refusal::SecondInitialize);
        }
        Ok(PostRequests {
            jobs,
            stream,
            notified,
            before,
        })
    }

    /// Lets other processes know what changed in a session.
    async fn changed(&self, entry: &SessionHandle, delta: &SessionDelta) {
        if *delta == SessionDelta::default() {
            return;
        }
        self.sessions.change(entry, delta).await;
        self.publish(BusMessage::SessionChanged {
            session: entry.id().into(),
            value: delta.value(),
        });
    }

    /// Hands the answer to a request of ours over; `false` where the message is none.
    ///
    /// `text` is that of the message; in a batch it has none of its own.
    fn answered(&self, entry: &SessionHandle, message: &Message<'_>, text: Option<&[u8]>) -> bool {
        let session = Some(&*entry.session);
        let Some(known) = respond::hand_over(session, message, self.server.limits()) else {
            return false;
        };
        if !known {
            // Another process may have asked.
            let session = entry.id().into();
            let message = text.map_or_else(|| respond::text(message), <[u8]>::to_vec);
            self.publish(BusMessage::Answer { session, message });
        }
        true
    }

    fn cancel(&self, entry: &SessionHandle, request: RequestId) {
        if !entry.cancel(&request) {
            let session = entry.id().into();
            self.publish(BusMessage::Cancel { session, request });
        }
    }
}

/// What the messages of a POST ask for.
struct PostRequests {
    jobs: PostBatch,
    /// Where the requests say what belongs to them.
    stream: Arc<Stream>,
    notified: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// The session as it was, where it may change.
    before: Option<Before>,
}

/// The answer to a request of a batch for which there is no room.
fn too_many_requests(id: &RequestId, refusal: &Refusal) -> Answer {
    let error = ErrorObject::internal_error(refusal.to_string());
    Answer::error(Some(id), &error, Rejection::Malformed)
}

/// Whether a method changes what a session established.
fn changes_session(method: &str) -> bool {
    matches!(
        method,
        "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}
