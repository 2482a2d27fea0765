//! Creates HTTP responses: one JSON text, or a stream of events if the handler sends messages
//! before its response.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use mcp_types::Revision;
use mcp_types::peer_text::Chain;
use mcp_types::rpc::ErrorObject;
use mcp_types::sse::{Event, write_comment, write_event};
use mcp_wire::http_headers::{EVENTS, JSON};
use tokio::task::AbortHandle;
use tokio::time::{Sleep, sleep};

use crate::protocol::dispatch::lifecycle::unsupported;
use crate::protocol::dispatch::request_task::RequestTask;
use crate::protocol::error::rejection::{RETRY_SOON, Rejection};
use crate::protocol::message::{Answer, error_message};
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept::AcceptedForms;
use crate::transport::http::response::body::{EventBytes, HttpBody};
use crate::transport::http::response::sse_queue::SseQueue;

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Creates a response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::none());
    *response.status_mut() = status;
    response
}

/// Creates a response with a JSON text.
pub(crate) fn json(status: StatusCode, text: Vec<u8>) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::whole(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Creates a response with text for people and for programs that do not use the protocol. It must
/// not be cached.
pub(crate) fn text(status: StatusCode, media: &'static str, text: String) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::whole(text.into_bytes()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Creates a response with a stream of events.
pub(crate) fn events(body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, EVENTS);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// Creates the response to a request that the endpoint rejects.
pub(crate) fn refusal(refusal: &Refusal) -> Response<HttpBody> {
    let status = refusal.status();
    tracing::debug!(%status, reason = %refusal, "HTTP request rejected");
    if let Refusal::Store(error) = refusal {
        tracing::error!(error = %Chain(error), "a store failed");
    }
    if let Refusal::Auth(refusal) = refusal
        && let Some(cause) = refusal.logged()
    {
        tracing::error!(error = %Chain(cause), "cannot authenticate a request");
    }
    let error = match refusal {
        Refusal::ProtocolVersion(requested) => unsupported(requested, Revision::ALL),
        _ if status.is_server_error() => ErrorObject::internal_error(refusal.to_string()),
        _ => ErrorObject::invalid_request(refusal.to_string()),
    };
    let is_busy = matches!(
        status,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
    );
    let error = if is_busy {
        error.retry_after(RETRY_SOON)
    } else {
        error
    };
    let mut response = json(status, error_message(None, &error));
    let headers = response.headers_mut();
    if let Refusal::Method { allowed, .. } = refusal {
        headers.insert(ALLOW, HeaderValue::from_static(allowed));
    }
    if let Refusal::ContentEncoding(_) = refusal {
        // RFC 9110, section 12.5.3: what the client can send instead.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    if let Refusal::Auth(refusal) = refusal {
        for (name, value) in refusal.headers() {
            headers.append(name, value.clone());
        }
    }
    if is_busy {
        headers.insert(RETRY_AFTER, RETRY_SOON.as_secs().into());
    }
    response
}

/// Returns the status of a response message for a client that has no session.
fn status_of(rejection: Option<&Rejection>) -> StatusCode {
    match rejection {
        None => StatusCode::OK,
        Some(Rejection::Malformed | Rejection::Mismatch) => StatusCode::BAD_REQUEST,
        Some(Rejection::NoMethod) => StatusCode::NOT_FOUND,
        Some(Rejection::Forbidden(_)) => StatusCode::FORBIDDEN,
        Some(Rejection::Busy(_)) => StatusCode::TOO_MANY_REQUESTS,
    }
}

/// Returns the status of a response message in a session. In those revisions 404 means that the
/// session has ended, so errors are sent with 200, except those about HTTP headers, about what the
/// client is allowed to do, and about when it may try again.
pub(crate) fn status_in_session(rejection: Option<&Rejection>) -> StatusCode {
    match rejection {
        Some(Rejection::Mismatch) => StatusCode::BAD_REQUEST,
        Some(Rejection::Forbidden(_)) => StatusCode::FORBIDDEN,
        Some(Rejection::Busy(_)) => StatusCode::TOO_MANY_REQUESTS,
        Some(Rejection::Malformed | Rejection::NoMethod) | None => StatusCode::OK,
    }
}

/// Creates the response that consists of one message, for a client that has no session.
pub(crate) fn answer(answer: Answer) -> Response<HttpBody> {
    let status = status_of(answer.refused.as_ref());
    message(status, answer)
}

/// Creates the response that consists of one message. If another access token is needed, or the
/// request may be sent again later, a header says so.
pub(crate) fn message(status: StatusCode, answer: Answer) -> Response<HttpBody> {
    let mut response = json(status, answer.message);
    let headers = response.headers_mut();
    match &answer.refused {
        Some(Rejection::Forbidden(Some(challenge))) => {
            if let Ok(challenge) = HeaderValue::try_from(challenge.to_string()) {
                headers.insert(WWW_AUTHENTICATE, challenge);
            }
        }
        Some(Rejection::Busy(time)) => {
            headers.insert(RETRY_AFTER, time.as_secs().into());
        }
        _ => {}
    }
    response
}

/// Runs a request until its response is known or becomes a stream. The request is cancelled when
/// the response is dropped.
pub(crate) async fn call(
    call: RequestTask,
    queue: Arc<SseQueue>,
    keep_alive: Duration,
    accepted: AcceptedForms,
) -> Response<HttpBody> {
    let mut call = call.end_with_server();
    let queue = ClosingQueue(queue);
    if !accepted.events {
        return answer(without_messages(call, &queue).await);
    }
    if let Some(answer) = poll_fn(|task| Poll::Ready(poll_call(&mut call, task))).await {
        return finish(&queue, answer);
    }
    // The response becomes a stream with the first message, or when a comment is needed to keep the
    // connection open.
    let first_message = poll_fn(|task| {
        if let Some(answer) = poll_call(&mut call, task) {
            return Poll::Ready(Some(answer));
        }
        if queue.0.is_empty(task.waker()) {
            return Poll::Pending;
        }
        Poll::Ready(None)
    });
    let first = tokio::select! {
        biased;
        answer = first_message => match answer {
            Some(answer) => return finish(&queue, answer),
            None => queue.0.take(),
        },
        () = Box::pin(sleep(keep_alive)) => comment(),
    };
    // hyper polls the body only while the client reads, so the call is spawned: otherwise
    // `request_time` would not elapse.
    let sender = Arc::clone(&queue.0);
    let work = tokio::spawn(async move {
        sender.end(&call.await.message);
    });
    events(HttpBody::events(Events {
        queue,
        work: work.abort_handle(),
        ready: first,
        ended: false,
        keep_alive,
        timer: Box::pin(sleep(keep_alive)),
    }))
}

/// Runs a request of a client that accepts no events. Drops the notifications that the handler
/// sends.
async fn without_messages(mut call: RequestTask, queue: &ClosingQueue) -> Answer {
    poll_fn(|task| {
        let answer = poll_call(&mut call, task);
        if !queue.0.is_empty(task.waker()) {
            queue.0.take();
        }
        answer.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// Turns a response that consists of one message into a stream of one event, for a client that
/// accepts no JSON.
pub(crate) fn wrap_in_event(response: &mut Response<HttpBody>) {
    if response.status() != StatusCode::OK || response.headers().get(CONTENT_TYPE) != Some(&JSON) {
        return;
    }
    if response.body_mut().wrap_in_event() {
        response.headers_mut().insert(CONTENT_TYPE, EVENTS);
    }
}

fn poll_call(call: &mut RequestTask, task: &mut Context<'_>) -> Option<Answer> {
    match Pin::new(call).poll(task) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

/// Creates the response if nothing of it was sent yet.
fn finish(queue: &ClosingQueue, response: Answer) -> Response<HttpBody> {
    let mut text = queue.0.take();
    if text.is_empty() {
        return answer(response);
    }
    let _ = write_event(&mut text, &Event::data(&response.message));
    events(HttpBody::whole(text))
}

/// Closes the queue of a handler's messages when the response is dropped.
pub(crate) struct ClosingQueue(pub(crate) Arc<SseQueue>);

impl Drop for ClosingQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A stream of events. Dropping it cancels the request.
pub(crate) struct Events {
    pub(crate) queue: ClosingQueue,
    pub(crate) work: AbortHandle,
    /// The bytes that are sent next.
    pub(crate) ready: Vec<u8>,
    pub(crate) ended: bool,
    pub(crate) keep_alive: Duration,
    pub(crate) timer: Pin<Box<Sleep>>,
}

impl EventBytes for Events {
    fn has_ended(&self) -> bool {
        self.ended && self.ready.is_empty()
    }

    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut ready = std::mem::take(&mut self.ready);
        if !self.ended {
            let (mut events, ended) = self.queue.0.poll(task.waker());
            ready.append(&mut events);
            self.ended = ended;
        }
        if ready.is_empty() {
            if self.ended {
                return Poll::Ready(None);
            }
            if self.timer.as_mut().poll(task).is_pending() {
                return Poll::Pending;
            }
            ready = comment();
        }
        let now = tokio::time::Instant::now();
        self.timer.as_mut().reset(now + self.keep_alive);
        Poll::Ready(Some(ready))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// Encodes a comment, which keeps proxies from closing an idle connection.
pub(crate) fn comment() -> Vec<u8> {
    let mut text = Vec::new();
    write_comment(&mut text, "");
    text.push(b'\n');
    text
}
