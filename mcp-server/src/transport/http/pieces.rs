//! [`Pieces`]: bytes that are in memory, sent piece by piece.

use bytes::Bytes;

/// The most bytes that a connection takes from a body at once, and so the most that wait for a
/// client that does not read.
const PIECE: usize = 64 << 10;

/// Bytes on their way to a client. The pieces share their memory.
pub(crate) struct Pieces {
    rest: Bytes,
}

impl Pieces {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self { rest: bytes }
    }

    /// The bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        if self.rest.is_empty() {
            return None;
        }
        let size = self.rest.len().min(PIECE);
        Some(self.rest.split_to(size))
    }
}
