//! POST in a session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use mcp_types::RequestId;
use mcp_types::rpc::{ErrorObject, Message};

use crate::protocol::caller::Extensions;
use crate::protocol::core::Core;
use crate::protocol::dispatch::inbound::Inbound;
use crate::protocol::dispatch::respond::ResponseDelivery;
use crate::protocol::dispatch::{Dispatch, Malformed, Parsed, respond};
use crate::protocol::error::rejection::{RETRY_SOON, Rejection};
use crate::protocol::message::Answer;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::quota::PeerUsage;
use crate::protocol::quota::permits::RequestPermit;
use crate::protocol::store::message::BusMessage;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept::AcceptedForms;
use crate::transport::http::request::headers;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::{HttpBody, Permit};
use crate::transport::http::session::handle::{SessionChange, SessionHandle};
use crate::transport::http::session::post_batch::{PostBatch, in_flight};
use crate::transport::http::session::record::{SessionDelta, SessionSnapshot};
use crate::transport::http::session::stream::{ResponseForm, Stream};
use crate::transport::http::session::stream_reader::StreamReader;
use crate::transport::http::session::stream_record::StreamRecord;

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
                    self.count_message(permit.peer(), bytes.len())?;
                    self.publish(&answer_elsewhere(handle, bytes.to_vec()))
                        .await?;
                }
                return Err(Refusal::MalformedResponse);
            }
        };
        let refused = self.keep_accepted(&mut read)?;
        let PostRequests {
            mut post_batch,
            stream,
            notifications,
            elsewhere,
            before,
        } = self.dispatch_all(handle, extensions, read, &bytes, &mut permit)?;
        for answer in refused {
            post_batch.answer(answer);
        }
        // A handler may run for long and owns what it needs, so the body is freed.
        drop(bytes);
        for message in elsewhere {
            let bytes = match &message {
                BusMessage::Answer { message, .. } => message.len(),
                _ => 0,
            };
            self.count_message(permit.peer(), bytes)?;
            self.publish(&message).await?;
        }
        for handler in notifications {
            self.run_notification(handler).await;
        }
        if post_batch.is_empty() {
            return Ok(answer::empty(StatusCode::ACCEPTED));
        }
        let peer = Arc::clone(permit.peer());
        let response = self
            .serve(handle, post_batch, stream, permit, accepted)
            .await?;
        if let Some((before, _changing)) = before {
            let delta = before.delta(&handle.session);
            let changed = Box::pin(self.changed(handle, &delta, &peer)).await;
            // The client tries again, which must be a change again.
            changed.inspect_err(|_| before.undo(&delta, &handle.session))?;
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
        let mut elsewhere = Vec::new();
        let mut is_repeated = false;
        let mut before = None;
        let mut requests = 0;
        let batch = matches!(read, Parsed::Batch(_));
        let mut dispatch = |message: Message<'_>| {
            match respond::deliver_response(Some(session), &message, &self.server.limits) {
                ResponseDelivery::Delivered => return,
                ResponseDelivery::Unexpected => {
                    let message = if batch {
                        respond::text(&message)
                    } else {
                        bytes.to_vec()
                    };
                    return elsewhere.push(answer_elsewhere(handle, message));
                }
                ResponseDelivery::NotAResponse => {}
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
                    let snapshot = || (SessionSnapshot::of(session), handle.begin_change());
                    before.get_or_insert_with(snapshot);
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
                Dispatch::Cancel(cancellation) => {
                    if !handle.cancel(&cancellation) {
                        elsewhere.push(BusMessage::Cancel {
                            session: handle.id().into(),
                            request: cancellation.id,
                            reason: cancellation.reason,
                        });
                    }
                }
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
            elsewhere,
            before,
        })
    }

    /// Sends a change of a session to the store and to other processes.
    async fn changed(
        &self,
        handle: &SessionHandle,
        delta: &SessionDelta,
        peer: &Arc<PeerUsage>,
    ) -> Result<(), Refusal> {
        if *delta == SessionDelta::default() {
            return Ok(());
        }
        let value = delta.value();
        self.count_message(peer, value.len())?;
        self.sessions.shared.change(handle, delta).await?;
        let changed = BusMessage::SessionChanged {
            session: handle.id().into(),
            value,
        };
        self.publish(&changed).await
    }
}

/// Returns the message that passes a response on: another process may have sent the request.
fn answer_elsewhere(handle: &SessionHandle, message: Vec<u8>) -> BusMessage {
    BusMessage::Answer {
        session: handle.id().into(),
        message,
    }
}

/// The requests and notifications of a POST.
struct PostRequests {
    post_batch: PostBatch,
    /// The stream for messages of the requests.
    stream: Arc<Stream>,
    notifications: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Responses and cancellations for other processes.
    elsewhere: Vec<BusMessage>,
    /// The state of the session before the requests, if they may change it.
    before: Option<(SessionSnapshot, SessionChange)>,
}

/// Creates the response to a request of a batch that exceeds a limit.
fn too_many_requests(id: &RequestId, refusal: &Refusal) -> Answer {
    let error = ErrorObject::internal_error(refusal.to_string()).retry_after(RETRY_SOON);
    Answer::error(Some(id), &error, Rejection::Malformed)
}

/// Returns `true` if a method changes the state of a session.
fn changes_session(method: &str) -> bool {
    matches!(
        method,
        "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
    )
}

impl Endpoint {
    /// Serves the requests of one POST. They continue if the client disconnects.
    pub(crate) async fn serve(
        &self,
        handle: &Arc<SessionHandle>,
        mut post_batch: PostBatch,
        stream: Arc<Stream>,
        permit: RequestPermit,
        accepted: AcceptedForms,
    ) -> Result<Response<HttpBody>, Refusal> {
        let limits = &self.server.limits;
        let keep_alive = if accepted.events {
            limits.keep_alive
        } else {
            // The answer to a request whose time is over is one message, too.
            limits.request_time.saturating_add(Duration::from_secs(1))
        };
        // Most handlers are ready at once. Otherwise the worker polls the requests again, so no
        // waker is needed here.
        let permit =
            if let Poll::Ready(answer) = post_batch.poll(&mut Context::from_waker(Waker::noop())) {
                stream.end(answer);
                Permit::from(permit)
            } else {
                let permit = Arc::new(permit);
                post_batch.register(handle, &stream);
                let worker = Arc::clone(&stream);
                let shared = Permit::Shared(Arc::clone(&permit));
                let runs = handle.run(&stream, async move {
                    let _permit = permit;
                    let answer = worker.run_requests(post_batch).await;
                    if worker.end(answer) {
                        worker.finish().await;
                    }
                });
                if !runs {
                    return Err(Refusal::UnknownSession);
                }
                shared
            };
        let unread = UnreadStream(stream);
        let stream = &unread.0;
        let mut response = match stream.response_form(keep_alive).await {
            ResponseForm::Answer(answer) => whole(answer),
            // The messages of the handler can be sent as events only.
            _ if !accepted.events => {
                return Err(Refusal::Accept {
                    found: Some("application/json".to_owned()),
                    expected: "text/event-stream, because the response has several messages",
                });
            }
            ResponseForm::Events => {
                stream.name(StreamRecord::default());
                let text = stream.complete().await;
                if self.server.stores.events_are_shared {
                    // The client need not wait for a store that is slow.
                    finish_later(handle, stream);
                } else {
                    stream.finish().await;
                }
                answer::events(HttpBody::whole(text))
            }
            ResponseForm::Stream => self.events(handle, stream).await?,
        };
        response.body_mut().keep_permit(permit);
        Ok(response)
    }

    /// Creates the response of a stream that continues.
    async fn events(
        &self,
        handle: &Arc<SessionHandle>,
        stream: &Arc<Stream>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let keep_alive = self.server.limits.keep_alive;
        stream.name(StreamRecord::of_requests(handle.requests_of(stream)));
        // Attached before events can be trimmed.
        stream.attach(0, Some(0));
        let has_ended = stream.start().await;
        let guard = handle.connect();
        let reader = StreamReader::from_start(Arc::clone(stream), keep_alive, guard);
        if has_ended {
            finish_later(handle, stream);
        }
        Ok(answer::events(HttpBody::events(reader)))
    }
}

/// Moves the remaining events of a stream to the store.
fn finish_later(handle: &SessionHandle, stream: &Arc<Stream>) {
    let rest = Arc::clone(stream);
    handle.run(stream, async move { rest.finish().await });
}

/// Creates the response that consists of one message.
fn whole(answer: Answer) -> Response<HttpBody> {
    let status = answer::status_in_session(answer.refused.as_ref());
    answer::message(status, answer)
}

/// A stream whose response was not created yet. Dropping this closes the stream, unless it was
/// started.
struct UnreadStream(Arc<Stream>);

impl Drop for UnreadStream {
    fn drop(&mut self) {
        self.0.close();
    }
}
