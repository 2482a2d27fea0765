//! [`HttpBody`]: the body of a response, and what the response occupies until it has left.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::activity::InFlightRequest;
#[cfg(feature = "https-url")]
use super::pieces::Pieces;
use super::stream_executor::StreamProgress;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::event_stream::Events;
use crate::transport::http::session::stream_reader::StreamReader;

/// The most that HTTP/2 gets at once: as much as a frame has by default. What it has got stays in
/// memory until the client opens its flow-control window.
const FRAME_BYTES: usize = 16 << 10;

/// The body of a response: nothing, one text, or events as they come.
pub struct HttpBody {
    kind: BodyKind,
    guard: ResponseGuard,
    /// There for HTTP/2.
    frames: Option<Box<Frames>>,
}

enum BodyKind {
    Empty,
    Whole(Bytes),
    Events(Box<Events>),
    StreamReader(Box<StreamReader>),
    Stream(Streaming),
    #[cfg(feature = "https-url")]
    Pieces(Pieces),
}

impl From<RequestPermit> for Permit {
    fn from(permit: RequestPermit) -> Self {
        Self::Owned { _permit: permit }
    }
}

/// What a response occupies until all of it has left.
#[derive(Default)]
struct ResponseGuard {
    permit: Permit,
    request: Option<InFlightRequest>,
}

/// The place of a request among those in flight.
#[derive(Default)]
pub(crate) enum Permit {
    /// It needs none, or has given it back.
    #[default]
    None,
    Owned {
        _permit: RequestPermit,
    },
    /// Work goes on that does not end with the response.
    Shared {
        _permit: Arc<RequestPermit>,
    },
}

/// A body that leaves in frames of HTTP/2.
struct Frames {
    guard: Arc<ResponseGuard>,
    /// What did not fit into a frame.
    rest: Bytes,
    progress: Option<Arc<StreamProgress>>,
}

/// Bytes that occupy what the response does.
struct Guarded<G> {
    bytes: Bytes,
    _guard: G,
}

impl<G> AsRef<[u8]> for Guarded<G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The next bytes of a body and what gives those after them; `None` where there are none.
pub(crate) type Piece = Option<(Vec<u8>, Option<Box<dyn Source>>)>;

/// Gives a body piece by piece.
pub(crate) trait Source: Send {
    fn next(self: Box<Self>) -> Pin<Box<dyn Future<Output = Piece> + Send>>;
}

/// A source, between two pieces or on its way to the next.
enum Streaming {
    Rests(Option<Box<dyn Source>>),
    Reads(Pin<Box<dyn Future<Output = Piece> + Send>>),
}

impl Streaming {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        if let Self::Rests(source) = self {
            let Some(source) = source.take() else {
                return Poll::Ready(None);
            };
            *self = Self::Reads(source.next());
        }
        let Self::Reads(reads) = self else {
            return Poll::Ready(None);
        };
        reads.as_mut().poll(task).map(|piece| {
            let (text, rest) = piece.map_or((None, None), |(text, rest)| (Some(text), rest));
            *self = Self::Rests(rest);
            text
        })
    }
}

impl HttpBody {
    fn new(kind: BodyKind) -> Self {
        Self {
            kind,
            guard: ResponseGuard::default(),
            frames: None,
        }
    }

    pub(crate) fn none() -> Self {
        Self::new(BodyKind::Empty)
    }

    pub(crate) fn whole(text: Vec<u8>) -> Self {
        Self::new(BodyKind::Whole(text.into()))
    }

    #[cfg(feature = "https-url")]
    pub(crate) fn bytes(bytes: Bytes) -> Self {
        Self::new(BodyKind::Whole(bytes))
    }

    /// Bytes of any length, piece by piece.
    #[cfg(feature = "https-url")]
    pub(crate) fn pieces(bytes: Bytes) -> Self {
        Self::new(BodyKind::Pieces(Pieces::new(bytes)))
    }

    pub(crate) fn events(events: Events) -> Self {
        Self::new(BodyKind::Events(Box::new(events)))
    }

    /// What a legacy stream says.
    pub(crate) fn reader(reader: StreamReader) -> Self {
        Self::new(BodyKind::StreamReader(Box::new(reader)))
    }

    /// What a source gives.
    pub(crate) fn stream(source: impl Source + 'static) -> Self {
        Self::new(BodyKind::Stream(Streaming::Rests(Some(Box::new(source)))))
    }

    /// Keeps a permit until the body has left.
    pub(crate) fn keep_permit(&mut self, permit: Permit) {
        self.guard.permit = permit;
    }

    /// Keeps a connection busy until the body has left.
    pub(crate) fn keep_busy(&mut self, request: InFlightRequest) {
        self.guard.request = Some(request);
    }

    /// Makes it leave in frames of HTTP/2.
    pub(crate) fn set_http2(&mut self) {
        self.frames = Some(Box::new(Frames {
            guard: Arc::new(std::mem::take(&mut self.guard)),
            rest: Bytes::new(),
            progress: StreamProgress::current(),
        }));
    }

    /// The next bytes of any length, and whether nothing follows them.
    fn poll_data(&mut self, task: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let text = match &mut self.kind {
            BodyKind::Empty => return Poll::Ready(None),
            BodyKind::Whole(text) => {
                let text = std::mem::take(text);
                self.kind = BodyKind::Empty;
                return Poll::Ready(Some(self.guarded(text)));
            }
            #[cfg(feature = "https-url")]
            BodyKind::Pieces(pieces) => return Poll::Ready(pieces.next()),
            BodyKind::Events(events) => events.poll(task),
            BodyKind::StreamReader(reader) => reader.poll(task),
            BodyKind::Stream(stream) => stream.poll(task),
        };
        text.map(|text| text.map(Bytes::from))
    }

    /// A whole body, which over HTTP/1 keeps what it occupies until it is written.
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
            BodyKind::Events(events) => events.is_over(),
            BodyKind::StreamReader(reader) => reader.is_over(),
            BodyKind::Stream(stream) => matches!(stream, Streaming::Rests(None)),
            #[cfg(feature = "https-url")]
            BodyKind::Pieces(pieces) => pieces.len() == 0,
        }
    }

    /// The next frame of HTTP/2.
    fn poll_http2(&mut self, task: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(frames) = &self.frames
            && let Some(progress) = &frames.progress
        {
            progress.asked();
        }
        let has_rest = self
            .frames
            .as_ref()
            .is_some_and(|frames| !frames.rest.is_empty());
        let data = if has_rest {
            None
        } else {
            match self.poll_data(task) {
                Poll::Ready(Some(data)) => Some(data),
                other => return other,
            }
        };
        let Some(frames) = &mut self.frames else {
            return Poll::Ready(data);
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
            progress.gave();
        }
        Poll::Ready(Some(frame))
    }
}

impl Drop for HttpBody {
    fn drop(&mut self) {
        if let Some(frames) = &mut self.frames {
            frames.rest = Bytes::new();
            // HTTP/2 has what it needs, and holds a part of it.
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
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = if self.frames.is_some() {
            self.poll_http2(task)
        } else {
            self.poll_data(task)
        };
        data.map(|data| data.map(|data| Ok(Frame::data(data))))
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
            #[cfg(feature = "https-url")]
            BodyKind::Pieces(pieces) => SizeHint::with_exact((pieces.len() + rest) as u64),
            BodyKind::Events(_) | BodyKind::StreamReader(_) | BodyKind::Stream(_) => {
                SizeHint::default()
            }
        }
    }
}

impl std::fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.kind {
            BodyKind::Empty => "HttpBody(empty)",
            BodyKind::Whole(_) => "HttpBody(whole)",
            BodyKind::Events(_) => "HttpBody(events)",
            #[cfg(feature = "https-url")]
            BodyKind::Pieces(_) => "HttpBody(pieces)",
            BodyKind::StreamReader(_) | BodyKind::Stream(_) => "HttpBody(stream)",
        })
    }
}
