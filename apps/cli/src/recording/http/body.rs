//! [`Tapped`]: a body that is recorded while it passes.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use hyper::body::{Bytes, Incoming};
use mcp_client::types::sse::Decoder;

use crate::recording::format::{HttpPart, Side, Stream};
use crate::recording::recorder::{self, Passed, Recorder, TEXT};

/// A body that passes unchanged.
pub(super) struct Tapped {
    body: Incoming,
    tap: Tap,
}

/// How a body is recorded.
pub(super) struct Tap {
    recorder: Recorder,
    from: Side,
    /// What is recorded of HTTP, together with the first message.
    http: Box<HttpPart>,
    kind: Kind,
}

enum Kind {
    /// One message.
    Whole {
        limit: usize,
        start: Vec<u8>,
        size: u64,
    },
    /// Messages in events.
    Events(Box<Decoder>),
    /// Only its size.
    Size(u64),
    Done,
}

impl Tap {
    /// Records the body of a media type; of those that are neither JSON nor text only the size.
    pub(super) fn new(
        recorder: Recorder,
        from: Side,
        http: HttpPart,
        media_type: &str,
        limit: usize,
    ) -> Self {
        let media_type = media_type.to_ascii_lowercase();
        let kind = if media_type.starts_with("text/event-stream") {
            Kind::Events(Box::new(Decoder::new(limit)))
        } else if media_type.is_empty()
            || media_type.starts_with("text/")
            || media_type.contains("json")
        {
            let (start, size) = (Vec::new(), 0);
            Kind::Whole { limit, start, size }
        } else {
            Kind::Size(0)
        };
        let http = Box::new(http);
        let mut tap = Self {
            recorder,
            from,
            http,
            kind,
        };
        if let Kind::Events(_) = tap.kind {
            tap.record(None, recorder::Body::Empty);
        }
        tap
    }

    pub(super) fn on(self, body: Incoming) -> Tapped {
        let mut tapped = Tapped { body, tap: self };
        if tapped.body.is_end_stream() {
            tapped.tap.end();
        }
        tapped
    }

    fn pass(&mut self, data: &[u8]) {
        match &mut self.kind {
            Kind::Whole { limit, start, size } => {
                *size += data.len() as u64;
                let room = limit.saturating_sub(start.len());
                start.extend_from_slice(data.get(..room).unwrap_or(data));
            }
            Kind::Size(size) => *size += data.len() as u64,
            Kind::Done => {}
            Kind::Events(_) => self.pass_events(data),
        }
    }

    fn pass_events(&mut self, mut data: &[u8]) {
        // Taken out, because each event is recorded while the decoder lends it.
        let Kind::Events(mut decoder) = mem::replace(&mut self.kind, Kind::Done) else {
            return;
        };
        loop {
            match decoder.next(&mut data) {
                Ok(Some(event)) => {
                    let id = (!event.last_event_id.is_empty()).then(|| event.last_event_id.into());
                    self.http.event_id = id;
                    self.http.event = (event.event != "message").then(|| event.event.into());
                    let body = recorder::Body::Bytes(event.data.as_bytes().to_vec());
                    self.record(Some(Stream::Sse), body);
                }
                Ok(None) => break,
                Err(error) => {
                    let text = format!("an event of the server is not recorded: {error}");
                    self.recorder.remark(&text);
                }
            }
        }
        self.kind = Kind::Events(decoder);
    }

    /// Records what has passed, once.
    fn end(&mut self) {
        let body = match mem::replace(&mut self.kind, Kind::Done) {
            Kind::Whole { size: 0, .. } | Kind::Size(0) => recorder::Body::Empty,
            Kind::Whole { start, size, .. } if start.len() as u64 == size => {
                recorder::Body::Bytes(start)
            }
            Kind::Whole {
                mut start, size, ..
            } => {
                start.truncate(TEXT);
                recorder::Body::Start(start, size)
            }
            Kind::Size(size) => recorder::Body::Size(size),
            Kind::Events(_) | Kind::Done => return,
        };
        self.record(None, body);
    }

    fn record(&mut self, stream: Option<Stream>, body: recorder::Body) {
        let rest = HttpPart {
            exchange: self.http.exchange,
            session: self.http.session,
            ..HttpPart::default()
        };
        self.recorder.record(Passed {
            from: self.from,
            stream,
            http: Some(mem::replace(&mut self.http, Box::new(rest))),
            body,
        });
    }
}

impl Body for Tapped {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        let this = &mut *self;
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            this.tap.pass(data);
        }
        // A request is recorded before it is sent on, and so before its response.
        if !matches!(frame, Some(Ok(_))) || this.body.is_end_stream() {
            this.tap.end();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that is cut off is recorded as far as it passed.
impl Drop for Tapped {
    fn drop(&mut self) {
        self.tap.end();
    }
}
