//! Bodies of responses: JSON, or server-sent events.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use mcp_types::rpc::{self, ErrorObject, Message};
use mcp_types::sse::{self, Decoder, SseError};

use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::lenient;
use crate::transport::http::post_queue::PostQueue;

/// The maximum capacity that is reserved because of a `Content-Length`, in bytes.
const RESERVED: usize = 64 << 10;

/// Returns the next bytes of a body; `None` at the end.
async fn chunk(body: &mut Incoming) -> Result<Option<Bytes>, HttpError> {
    while let Some(frame) = body.frame().await {
        // Trailers are ignored.
        if let Ok(bytes) = frame.map_err(HttpError::exchange)?.into_data() {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// Reads a body of at most `limit` bytes.
pub(in crate::transport::http) async fn read_all(
    mut body: Incoming,
    limit: usize,
) -> Result<Bytes, TransportError> {
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
    // The server may declare a larger size than it sends.
    let capacity = first.len().saturating_add(expected.min(RESERVED));
    let mut all = Vec::with_capacity(capacity.min(limit));
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

/// Returns the error of the protocol that a body contains, whichever request it names: the server
/// may not have read the id.
pub(in crate::transport::http) fn error_object(text: &[u8]) -> Option<ErrorObject> {
    match rpc::parse(text) {
        Ok(Message::Error { error, .. }) => Some(lenient::error_object(error.get())),
        _ => None,
    }
}

/// A body of server-sent events.
pub(in crate::transport::http) struct Events {
    /// The number of the session to which the events belong.
    pub(in crate::transport::http) session: u64,
    body: Incoming,
    unread: Bytes,
    decoder: Decoder,
    /// Reading pauses while this queue is full.
    post_queue: Arc<PostQueue>,
}

impl Events {
    /// Reads events of at most `limit` bytes each.
    pub(in crate::transport::http) fn new(
        session: u64,
        body: Incoming,
        limit: usize,
        post_queue: Arc<PostQueue>,
    ) -> Self {
        Self {
            session,
            body,
            post_queue,
            unread: Bytes::new(),
            decoder: Decoder::new(limit),
        }
    }

    /// Calls `handle` for each event and each decoding error, until it breaks or the stream ends.
    pub(in crate::transport::http) async fn for_each<T>(
        &mut self,
        mut handle: impl FnMut(Result<sse::Message<'_>, SseError>) -> ControlFlow<T>,
    ) -> Result<Option<T>, TransportError> {
        loop {
            let mut input: &[u8] = &self.unread;
            loop {
                let flow = match self.decoder.next(&mut input) {
                    Ok(None) => break,
                    Ok(Some(event)) => handle(Ok(event)),
                    Err(error) => handle(Err(error)),
                };
                if let ControlFlow::Break(value) = flow {
                    let read = self.unread.len() - input.len();
                    self.unread.advance(read);
                    return Ok(Some(value));
                }
            }
            self.post_queue.ready().await;
            match chunk(&mut self.body).await? {
                None => return Ok(None),
                Some(bytes) => self.unread = bytes,
            }
        }
    }

    /// Returns the decoder, which knows the last id and the pause before the stream is resumed.
    pub(in crate::transport::http) fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}
