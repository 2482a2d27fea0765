//! Bodies: one text to the server; one text, or events, from it.

use std::convert::Infallible;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use mcp_types::sse::{Decoder, Message, SseError};

use super::error::HttpError;
use super::outbox::Outbox;
use crate::protocol::error::TransportError;

/// As many bytes are made room for because a server says that they will come.
const ROOM: usize = 64 << 10;

/// A body that is there at once.
pub(crate) struct Full(Bytes);

impl Full {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl Body for Full {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let bytes = std::mem::take(&mut self.0);
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// The next bytes; `None` at the end.
pub(crate) async fn chunk(body: &mut Incoming) -> Result<Option<Bytes>, HttpError> {
    loop {
        match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            None => return Ok(None),
            Some(Err(error)) => return Err(HttpError::Exchange(error.into())),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

/// All of a body, of at most `limit` bytes.
pub(super) async fn whole(mut body: Incoming, limit: usize) -> Result<Bytes, TransportError> {
    let too_long = |bytes: u64| bytes > limit as u64;
    if too_long(body.size_hint().lower()) {
        return Err(TransportError::TooLong { limit });
    }
    let Some(first) = chunk(&mut body).await? else {
        return Ok(Bytes::new());
    };
    if body.is_end_stream() && !too_long(first.len() as u64) {
        return Ok(first);
    }
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or_default();
    // A server may announce more than it sends.
    let room = first.len().saturating_add(expected.min(ROOM));
    let mut all = Vec::with_capacity(room.min(limit));
    let mut next = Some(first);
    while let Some(bytes) = next {
        if too_long(all.len() as u64 + bytes.len() as u64) {
            return Err(TransportError::TooLong { limit });
        }
        all.extend_from_slice(&bytes);
        next = chunk(&mut body).await?;
    }
    Ok(all.into())
}

/// A body of server-sent events.
pub(super) struct Events {
    /// The number of the session that they belong to.
    pub(super) session: u64,
    body: Incoming,
    unread: Bytes,
    decoder: Decoder,
    /// What has to be sent before more is read.
    outbox: Arc<Outbox>,
}

impl Events {
    /// Events of at most `limit` bytes each.
    pub(super) fn new(session: u64, body: Incoming, limit: usize, outbox: Arc<Outbox>) -> Self {
        Self {
            session,
            body,
            outbox,
            unread: Bytes::new(),
            decoder: Decoder::new(limit),
        }
    }

    /// Hands over one event after the other, and what is wrong with those that cannot be read,
    /// until that wants no more or the stream ends.
    pub(super) async fn each<T>(
        &mut self,
        mut take: impl FnMut(Result<Message<'_>, SseError>) -> ControlFlow<T>,
    ) -> Result<Option<T>, TransportError> {
        loop {
            let mut input: &[u8] = &self.unread;
            loop {
                let flow = match self.decoder.next(&mut input) {
                    Ok(None) => break,
                    Ok(Some(event)) => take(Ok(event)),
                    Err(error) => take(Err(error)),
                };
                if let ControlFlow::Break(value) = flow {
                    let read = self.unread.len() - input.len();
                    self.unread.advance(read);
                    return Ok(Some(value));
                }
            }
            self.outbox.room().await;
            match chunk(&mut self.body).await? {
                None => return Ok(None),
                Some(bytes) => self.unread = bytes,
            }
        }
    }

    /// What the stream said of coming back to it.
    pub(super) fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}
