//! The response to a POST in a session: one text, or a stream of events that a client can come back
//! for.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use http::Response;

use super::stream::{First, Stream};
use crate::protocol::answer::Answer;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::answer;
use crate::transport::http::body::{HttpBody, Permit};
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::session::handle::SessionHandle;
use crate::transport::http::session::post_batch::PostBatch;
use crate::transport::http::session::stream_reader::StreamReader;
use crate::transport::http::status;

impl Endpoint {
    /// Serves the requests of one POST, which go on if the client is gone.
    pub(crate) async fn serve(
        &self,
        entry: &Arc<SessionHandle>,
        mut jobs: PostBatch,
        stream: Arc<Stream>,
        permit: RequestPermit,
    ) -> Result<Response<HttpBody>, Refusal> {
        let keep_alive = self.server.limits().keep_alive;
        // Most handlers are done at once.
        // Nobody is woken if not: the worker looks at once, too.
        let permit = if let Poll::Ready(last) = jobs.poll(&mut Context::from_waker(Waker::noop())) {
            stream.end(last);
            Permit::from(permit)
        } else {
            let permit = Arc::new(permit);
            jobs.sit(entry, &stream);
            let worker = Arc::clone(&stream);
            let kept = Permit::Shared {
                _permit: Arc::clone(&permit),
            };
            let runs = entry.run(&stream, async move {
                let _permit = permit;
                let last = worker.work(jobs).await;
                if worker.end(last) {
                    worker.finish().await;
                }
            });
            if !runs {
                return Err(Refusal::UnknownSession);
            }
            kept
        };
        let unread = UnreadStream(stream);
        let stream = &unread.0;
        let mut response = match stream.first(keep_alive).await {
            First::Answer(last) => whole(last),
            First::Events => {
                stream.name(entry.stream_name()?);
                let text = stream.complete().await;
                answer::events(HttpBody::whole(text))
            }
            First::Stream => self.events(entry, stream).await?,
        };
        response.body_mut().keep_permit(permit);
        Ok(response)
    }

    /// The response of a stream that goes on.
    async fn events(
        &self,
        entry: &Arc<SessionHandle>,
        stream: &Arc<Stream>,
    ) -> Result<Response<HttpBody>, Refusal> {
        let keep_alive = self.server.limits().keep_alive;
        stream.name(entry.stream_name()?);
        // Before anything can be forgotten.
        stream.attach(0, Some(0));
        let over = stream.begin().await;
        let held = entry.reading();
        let reader = StreamReader::from_start(Arc::clone(stream), keep_alive, held);
        if over {
            let rest = Arc::clone(stream);
            entry.run(stream, async move { rest.finish().await });
        }
        Ok(answer::events(HttpBody::reader(reader)))
    }
}

/// Creates the response that consists of one message.
fn whole(answer: Answer) -> Response<HttpBody> {
    answer::json(status::of_session_answer(answer.refused), answer.message)
}

/// A stream on which nothing was written yet: nobody will read it where this is dropped before.
struct UnreadStream(Arc<Stream>);

impl Drop for UnreadStream {
    fn drop(&mut self) {
        self.0.close();
    }
}
