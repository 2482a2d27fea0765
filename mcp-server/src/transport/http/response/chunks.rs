//! [`Chunks`]: bytes in memory that are sent in chunks.

use bytes::Bytes;

/// The maximum size of a chunk in bytes. It bounds the bytes that are buffered for a client that
/// does not read.
pub(crate) const CHUNK: usize = 64 << 10;

/// Bytes that are sent in chunks. The chunks share their memory.
pub(crate) struct Chunks {
    rest: Bytes,
}

impl Chunks {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of bytes that are left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    /// Returns the next chunk, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Bytes> {
        if self.rest.is_empty() {
            return None;
        }
        let size = self.rest.len().min(CHUNK);
        Some(self.rest.split_to(size))
    }
}
