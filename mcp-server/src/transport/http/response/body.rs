//! [`HttpBody`]: the body of a response, and the permits that are held until it was sent.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Response, Version};
use http_body::{Body, Frame, SizeHint};
use mcp_types::sse::{Event, write_event};

use crate::protocol::quota::PeerUsage;
use crate::protocol::quota::permits::{RequestPermit, UnreadBytes};
use crate::transport::http::activity::InFlightRequest;
#[cfg(feature = "proposals")]
use crate::transport::http::response::chunks::Chunks;
use crate::transport::http::stream_executor::StreamProgress;

/// The maximum number of bytes passed to HTTP/2 at once: the default size of a frame. They stay in
/// memory until the client opens its flow-control window.
const FRAME_BYTES: usize = 16 << 10;

/// The body of a response: empty, one text, a stream of events, or bytes that are read while they
/// are sent. An error means that the body is incomplete: the server closes the connection, over
/// HTTP/2 the stream.
pub struct HttpBody {
    kind: BodyKind,
    guard: ResponseGuard,
    /// Present for HTTP/2.
    frames: Option<Box<Frames>>,
    /// When a stream ends, whatever follows.
    end: Option<Pin<Box<tokio::time::Sleep>>>,
}

enum BodyKind {
    Empty,
    Whole(Bytes),
    Events(Box<dyn EventBytes>),
    Stream(Streaming),
    #[cfg(feature = "proposals")]
    Chunks(Chunks),
}

impl From<RequestPermit> for Permit {
    fn from(permit: RequestPermit) -> Self {
        Self::Owned(permit)
    }
}

/// The permits of a response, held until all of it was sent.
#[derive(Default)]
struct ResponseGuard {
    permit: Permit,
    unread: Option<UnreadBytes>,
    request: Option<InFlightRequest>,
}

/// The permit of a request in flight.
#[derive(Default)]
pub(crate) enum Permit {
    /// The request needs no permit, or has released it.
    #[default]
    None,
    Owned(RequestPermit),
    /// Shared with work that continues after the response.
    Shared(Arc<RequestPermit>),
}

impl Permit {
    fn peer(&self) -> Option<&Arc<PeerUsage>> {
        match self {
            Self::None => None,
            Self::Owned(permit) => Some(permit.peer()),
            Self::Shared(permit) => Some(permit.peer()),
        }
    }
}

/// The state of a body that is sent in frames of HTTP/2.
struct Frames {
    guard: Arc<ResponseGuard>,
    /// The bytes that did not fit into a frame.
    rest: Bytes,
    progress: Option<Arc<StreamProgress>>,
}

/// Bytes that hold the permits of their response.
struct Guarded<G> {
    bytes: Bytes,
    _guard: G,
}

impl<G> AsRef<[u8]> for Guarded<G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The next bytes of a body, and the source of those after them. `None` at the end.
pub(crate) type Chunk = io::Result<Option<(Vec<u8>, Option<Box<dyn Source>>)>>;

/// The next bytes of a body, or why it is incomplete. `None` at the end.
type Data = Option<io::Result<Bytes>>;

/// Produces a body in chunks.
pub(crate) trait Source: Send {
    fn next(self: Box<Self>) -> Pin<Box<dyn Future<Output = Chunk> + Send>>;
}

/// Produces a stream of events, encoded.
pub(crate) trait EventBytes: Send {
    /// Returns the next bytes, or `None` at the end.
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>>;

    /// Returns `true` if nothing follows.
    fn has_ended(&self) -> bool;
}

/// A source, between two chunks or while it produces one.
enum Streaming {
    Idle(Option<Box<dyn Source>>),
    Busy(Pin<Box<dyn Future<Output = Chunk> + Send>>),
}

impl Streaming {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Data> {
        if let Self::Idle(source) = self {
            let Some(source) = source.take() else {
                return Poll::Ready(None);
            };
            *self = Self::Busy(source.next());
        }
        let Self::Busy(future) = self else {
            return Poll::Ready(None);
        };
        future.as_mut().poll(task).map(|chunk| {
            let (data, rest) = match chunk {
                Ok(Some((text, rest))) => (Some(Ok(text.into())), rest),
                Ok(None) => (None, None),
                Err(error) => (Some(Err(error)), None),
            };
            *self = Self::Idle(rest);
            data
        })
    }
}

impl HttpBody {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            guard: ResponseGuard::default(),
            frames: None,
            end: None,
        }
    }

    /// Creates an empty body.
    pub(crate) fn none() -> Self {
        Self::new(BodyKind::Empty)
    }

    /// Creates a body of one text.
    pub(crate) fn whole(text: impl Into<Bytes>) -> Self {
        Self::new(BodyKind::Whole(text.into()))
    }

    /// Replaces a message by an event with it. Returns `false` if the body is not a message.
    pub(crate) fn wrap_in_event(&mut self) -> bool {
        let BodyKind::Whole(message) = &mut self.kind else {
            return false;
        };
        let mut event = Vec::with_capacity(message.len());
        // Encoding an event without id and name does not fail.
        let _ = write_event(&mut event, &Event::data(message));
        *message = event.into();
        true
    }

    /// Creates a body of bytes, which are sent in chunks.
    #[cfg(feature = "proposals")]
    pub(crate) fn chunks(bytes: Bytes) -> Self {
        Self::new(BodyKind::Chunks(Chunks::new(bytes)))
    }

    /// Creates a body of a stream of events.
    pub(crate) fn events(events: impl EventBytes + 'static) -> Self {
        Self::new(BodyKind::Events(Box::new(events)))
    }

    /// Creates a body with the chunks of a source.
    pub(crate) fn stream(source: impl Source + 'static) -> Self {
        Self::new(BodyKind::Stream(Streaming::Idle(Some(Box::new(source)))))
    }

    /// Holds a permit until the body was sent, and counts the bytes of one text for its peer.
    pub(crate) fn keep_permit(&mut self, permit: Permit) {
        if let (BodyKind::Whole(text), Some(peer)) = (&self.kind, permit.peer()) {
            self.guard.unread = UnreadBytes::count(peer, text.len());
        }
        self.guard.permit = permit;
    }

    /// Marks the connection as busy until the body was sent.
    pub(crate) fn keep_busy(&mut self, request: InFlightRequest) {
        self.guard.request = Some(request);
    }

    /// Sends the body in frames of HTTP/2.
    pub(crate) fn set_http2(&mut self) {
        self.frames = Some(Box::new(Frames {
            guard: Arc::new(std::mem::take(&mut self.guard)),
            rest: Bytes::new(),
            progress: StreamProgress::current(),
        }));
    }

    /// Ends a stream at a time, whatever follows. Has no effect on bodies of one text.
    pub(crate) fn end_at(&mut self, time: tokio::time::Instant) {
        if !matches!(self.kind, BodyKind::Empty | BodyKind::Whole(_)) {
            self.end = Some(Box::pin(tokio::time::sleep_until(time)));
        }
    }

    /// Ends the stream if its time is over.
    fn poll_end(&mut self, task: &mut Context<'_>) {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(task).is_ready()
        {
            self.kind = BodyKind::Empty;
            self.end = None;
        }
    }

    /// Returns the next bytes, or `None` at the end.
    fn poll_data(&mut self, task: &mut Context<'_>) -> Poll<Data> {
        self.poll_end(task);
        let text = match &mut self.kind {
            BodyKind::Empty => return Poll::Ready(None),
            BodyKind::Whole(text) => {
                let text = std::mem::take(text);
                self.kind = BodyKind::Empty;
                return Poll::Ready(Some(Ok(self.guarded(text))));
            }
            #[cfg(feature = "proposals")]
            BodyKind::Chunks(chunks) => return Poll::Ready(chunks.next().map(Ok)),
            BodyKind::Events(events) => events.poll(task),
            BodyKind::Stream(stream) => return stream.poll(task),
        };
        text.map(|text| text.map(|text| Ok(text.into())))
    }

    /// Attaches the permits to the bytes of a whole body, which HTTP/1 drops when they are written.
    fn guarded(&mut self, bytes: Bytes) -> Bytes {
        let guard = std::mem::take(&mut self.guard);
        if guard.request.is_none() && matches!(guard.permit, Permit::None) {
            return bytes;
        }
        Bytes::from_owner(Guarded {
            bytes,
            _guard: guard,
        })
    }

    fn has_ended(&self) -> bool {
        match &self.kind {
            BodyKind::Empty => true,
            BodyKind::Whole(_) => false,
            BodyKind::Events(events) => events.has_ended(),
            BodyKind::Stream(stream) => matches!(stream, Streaming::Idle(None)),
            #[cfg(feature = "proposals")]
            BodyKind::Chunks(chunks) => chunks.len() == 0,
        }
    }

    /// Returns the next frame of HTTP/2.
    fn poll_http2(&mut self, task: &mut Context<'_>) -> Poll<Data> {
        if let Some(frames) = &self.frames
            && let Some(progress) = &frames.progress
        {
            progress.set_requested();
        }
        let has_rest = self
            .frames
            .as_ref()
            .is_some_and(|frames| !frames.rest.is_empty());
        let data = if has_rest {
            None
        } else {
            match self.poll_data(task) {
                Poll::Ready(Some(Ok(data))) => Some(data),
                other => return other,
            }
        };
        let Some(frames) = &mut self.frames else {
            return Poll::Ready(data.map(Ok));
        };
        if let Some(bytes) = data {
            frames.rest = Bytes::from_owner(Guarded {
                bytes,
                _guard: Arc::clone(&frames.guard),
            });
        }
        let size = frames.rest.len().min(FRAME_BYTES);
        let frame = frames.rest.split_to(size);
        if let Some(progress) = &frames.progress {
            progress.add_frame();
        }
        Poll::Ready(Some(Ok(frame)))
    }
}

impl Drop for HttpBody {
    fn drop(&mut self) {
        if let Some(frames) = &mut self.frames {
            frames.rest = Bytes::new();
            // The body is complete, but HTTP/2 still buffers a part of it.
            if Arc::strong_count(&frames.guard) > 1
                && let Some(request) = &frames.guard.request
            {
                request.set_unsent();
            }
        }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let data = if self.frames.is_some() {
            self.poll_http2(task)
        } else {
            self.poll_data(task)
        };
        data.map(|data| data.map(|data| data.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        let rest = self.frames.as_ref();
        self.has_ended() && rest.is_none_or(|frames| frames.rest.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.frames.as_ref().map_or(0, |frames| frames.rest.len());
        match &self.kind {
            BodyKind::Empty => SizeHint::with_exact(rest as u64),
            BodyKind::Whole(text) => SizeHint::with_exact(text.len() as u64),
            #[cfg(feature = "proposals")]
            BodyKind::Chunks(chunks) => SizeHint::with_exact((chunks.len() + rest) as u64),
            BodyKind::Events(_) | BodyKind::Stream(_) => SizeHint::default(),
        }
    }
}

impl std::fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.kind {
            BodyKind::Empty => "HttpBody(empty)",
            BodyKind::Whole(_) => "HttpBody(whole)",
            BodyKind::Events(_) => "HttpBody(events)",
            #[cfg(feature = "proposals")]
            BodyKind::Chunks(_) => "HttpBody(chunks)",
            BodyKind::Stream(_) => "HttpBody(stream)",
        })
    }
}

/// The future that an [`HttpService`](crate::HttpService) returns for a request.
#[must_use = "a future does nothing until it is polled"]
pub struct HttpFuture {
    responding: Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>,
    is_http2: bool,
    request: Option<InFlightRequest>,
    /// Whether to yield to other tasks before the request is handled.
    yields: bool,
}

impl HttpFuture {
    /// Creates the future for a request of a version of HTTP.
    pub(crate) fn new(
        version: Version,
        responding: impl Future<Output = Response<HttpBody>> + Send + 'static,
    ) -> Self {
        Self {
            responding: Box::pin(responding),
            is_http2: version == Version::HTTP_2,
            request: None,
            yields: false,
        }
    }

    /// Yields to other tasks before the request is handled.
    pub(crate) fn yield_first(mut self) -> Self {
        self.yields = true;
        self
    }

    /// Marks the connection as busy until the response was sent.
    pub(crate) fn keep_busy(mut self, request: InFlightRequest) -> Self {
        self.request = Some(request);
        self
    }
}

impl Future for HttpFuture {
    type Output = Result<Response<HttpBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        if std::mem::take(&mut self.yields) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut response = ready!(self.responding.as_mut().poll(task));
        let body = response.body_mut();
        if let Some(request) = self.request.take() {
            body.keep_busy(request);
        }
        if self.is_http2 {
            body.set_http2();
        }
        Poll::Ready(Ok(response))
    }
}
