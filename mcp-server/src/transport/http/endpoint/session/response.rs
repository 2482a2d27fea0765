//! The response to a POST in a session: one JSON text, or a stream of events that a client can
//! resume.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::Response;

use crate::protocol::message::answer::Answer;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::request::accept::AcceptedForms;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::{HttpBody, Permit};
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::post_batch::PostBatch;
use crate::transport::http::session::stream::{ResponseForm, Stream};
use crate::transport::http::session::stream_reader::StreamReader;
use crate::transport::http::session::stream_record::StreamRecord;

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
        let limits = self.server.limits();
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
        let keep_alive = self.server.limits().keep_alive;
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
