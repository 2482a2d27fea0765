//! POST in a session.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::RequestId;
use mcp_types::rpc::{ErrorObject, Message};

use crate::protocol::caller::extensions::Extensions;
use crate::protocol::changes::BusMessage;
use crate::protocol::core::Core;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::respond::{self, ResponseDelivery};
use crate::protocol::dispatch::{Dispatch, Malformed, Parsed};
use crate::protocol::error::rejection::Rejection;
use crate::protocol::message::answer::Answer;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept::AcceptedForms;
use crate::transport::http::request::headers;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::post_batch::{PostBatch, in_flight};
use crate::transport::http::session::stream::Stream;
use crate::transport::http::stores::session_store::{SessionDelta, SessionSnapshot};

impl Endpoint {
    /// Handles a POST in a session.
    pub(crate) async fn post(
        &self,
        handle: &Arc<SessionHandle>,
        extensions: Arc<Extensions>,
        bytes: Bytes,
        mut permit: RequestPermit,
        accepted: AcceptedForms,
    ) -> Result<Response<HttpBody>, Refusal> {
        let mut read = match self.server.read(&bytes, Some(&handle.session)) {
            Ok(read) => read,
            Err(Malformed::Answer(fault)) => return Ok(answer::answer(fault)),
            Err(Malformed::Response { is_known }) => {
                if !is_known {
                    self.pass_on(handle, bytes.to_vec());
                }
                return Err(Refusal::MalformedResponse);
            }
        };
        let refused = self.keep_accepted(&mut read)?;
        let PostRequests {
            mut post_batch,
            stream,
            notifications,
            before,
        } = self.dispatch_all(handle, extensions, read, &bytes, &mut permit)?;
        for answer in refused {
            post_batch.answer(answer);
        }
        // A handler may run for long and owns what it needs, so the body is freed.
        drop(bytes);
        for handler in notifications {
            self.run_notification(handler).await;
        }
        if post_batch.is_empty() {
            return Ok(answer::empty(StatusCode::ACCEPTED));
        }
        let response = self
            .serve(handle, post_batch, stream, permit, accepted)
            .await?;
        if let Some(before) = before {
            Box::pin(self.changed(handle, &before.delta(&handle.session))).await;
            Box::pin(self.sessions.update_memory(handle)).await;
        }
        Ok(response)
    }

    /// Dispatches the messages of a POST.
    fn dispatch_all(
        &self,
        handle: &Arc<SessionHandle>,
        extensions: Arc<Extensions>,
        read: Parsed<'_>,
        bytes: &[u8],
        permit: &mut RequestPermit,
    ) -> Result<PostRequests, Refusal> {
        let session = &handle.session;
        let stream = Arc::new(self.new_stream(handle));
        let sink: Arc<Stream> = Arc::clone(&stream);
        let version = extensions.parts().map(|parts| parts.version);
        let inbound = Inbound {
            sink,
            session: Some(Arc::clone(session)),
            // A session is initialized once.
            session_id: None,
            extensions,
            transport: headers::transport_info(version),
        };
        let mut post_batch = PostBatch::default();
        let mut notifications = Vec::new();
        let mut is_repeated = false;
        let mut before = None;
        let mut requests = 0;
        let batch = matches!(read, Parsed::Batch(_));
        let mut dispatch = |message: Message<'_>| {
            if self.pass_response(handle, &message, (!batch).then_some(bytes)) {
                return;
            }
            if let Message::Request { id, method, .. } = &message {
                if handle.is_running(id) {
                    return post_batch.answer(in_flight(id));
                }
                // Each request of a batch needs a permit. Requests without one are rejected one by
                // one, as over byte streams, so that the client need not repeat the others, which
                // may have had effects.
                requests += 1;
                if requests > 1
                    && let Err(error) = permit.add(1)
                {
                    let refusal = Refusal::from(error);
                    self.count(&refusal);
                    return post_batch.answer(too_many_requests(id, &refusal));
                }
                if changes_session(method) {
                    before.get_or_insert_with(|| SessionSnapshot::of(session));
                }
            }
            let check = |method: &str, params: &ParamsView<'_>| {
                headers::check_in_session(&inbound.extensions, method, params)
            };
            match self.server.dispatch_checked(message, &inbound, check) {
                Dispatch::Nothing => {}
                Dispatch::Answer(answer) => post_batch.answer(answer),
                Dispatch::Session(..) => is_repeated = true,
                Dispatch::Call(call) => post_batch.call(call),
                Dispatch::Notification(handler) => notifications.push(handler),
                Dispatch::Cancel(id) => self.cancel(handle, id),
            }
        };
        match read {
            Parsed::One(message) => dispatch(message),
            Parsed::Batch(messages) => {
                let mut faults = Vec::new();
                for message in messages {
                    match message {
                        Ok(message) => dispatch(message),
                        Err(error) => {
                            faults.extend(Core::refuse(&error, Some(session)).into_answer());
                        }
                    }
                }
                for fault in faults {
                    post_batch.answer(fault);
                }
                post_batch.set_batch();
            }
        }
        if is_repeated {
            return Err(Refusal::SecondInitialize);
        }
        Ok(PostRequests {
            post_batch,
            stream,
            notifications,
            before,
        })
    }

    /// Sends a change of a session to the store and to other processes.
    async fn changed(&self, handle: &SessionHandle, delta: &SessionDelta) {
        if *delta == SessionDelta::default() {
            return;
        }
        self.sessions.change(handle, delta).await;
        self.publish(BusMessage::SessionChanged {
            session: handle.id().into(),
            value: delta.value(),
        });
    }

    /// Passes a response to the request of the server that waits for it. Returns `false` if the
    /// message is not a response.
    ///
    /// `text` is the JSON text of the message, or `None` for a message of a batch.
    fn pass_response(
        &self,
        handle: &SessionHandle,
        message: &Message<'_>,
        text: Option<&[u8]>,
    ) -> bool {
        let session = Some(&*handle.session);
        match respond::deliver_response(session, message, self.server.limits()) {
            ResponseDelivery::Delivered => true,
            ResponseDelivery::Unexpected => {
                let message = text.map_or_else(|| respond::text(message), <[u8]>::to_vec);
                self.pass_on(handle, message);
                true
            }
            ResponseDelivery::NotAResponse => false,
        }
    }

    /// Passes a response on: another process may have sent the request.
    fn pass_on(&self, handle: &SessionHandle, message: Vec<u8>) {
        let session = handle.id().into();
        self.publish(BusMessage::Answer { session, message });
    }

    fn cancel(&self, handle: &SessionHandle, request: RequestId) {
        if !handle.cancel(&request) {
            let session = handle.id().into();
            self.publish(BusMessage::Cancel { session, request });
        }
    }
}

/// The requests and notifications of a POST.
struct PostRequests {
    post_batch: PostBatch,
    /// The stream for messages of the requests.
    stream: Arc<Stream>,
    notifications: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// The state of the session before the requests, if they may change it.
    before: Option<SessionSnapshot>,
}

/// Creates the response to a request of a batch that exceeds a limit.
fn too_many_requests(id: &RequestId, refusal: &Refusal) -> Answer {
    let error = ErrorObject::internal_error(refusal.to_string());
    Answer::error(Some(id), &error, Rejection::Malformed)
}

/// Returns `true` if a method changes the state of a session.
fn changes_session(method: &str) -> bool {
    matches!(
        method,
        "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}
