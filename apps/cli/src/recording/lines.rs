//! [`Lines`]: finds the messages in a stream of bytes that passes, one on each line.

use super::format::{Side, Stream};
use super::recorder::{Body, Passed, Recorder, TEXT};

/// Records the lines of a stream.
pub(crate) struct Lines {
    recorder: Recorder,
    from: Side,
    stream: Option<Stream>,
    /// The maximum size of a line. Of a longer one only the start is recorded.
    limit: usize,
    line: Vec<u8>,
    /// The size of the line so far.
    size: u64,
}

impl Lines {
    pub(crate) fn new(
        recorder: Recorder,
        from: Side,
        stream: Option<Stream>,
        limit: usize,
    ) -> Self {
        Self {
            recorder,
            from,
            stream,
            limit,
            line: Vec::new(),
            size: 0,
        }
    }

    /// Records the lines that end in a chunk.
    pub(crate) fn pass(&mut self, mut chunk: &[u8]) {
        while let Some(end) = chunk.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = chunk.split_at(end);
            self.add(line);
            self.end();
            chunk = rest.get(1..).unwrap_or_default();
        }
        self.add(chunk);
    }

    fn add(&mut self, part: &[u8]) {
        self.size += part.len() as u64;
        let room = self.limit.saturating_sub(self.line.len());
        self.line
            .extend_from_slice(part.get(..room).unwrap_or(part));
    }

    /// Records the line so far, unless it is blank.
    fn end(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let size = std::mem::take(&mut self.size);
        let is_complete = line.len() as u64 == size;
        if is_complete && line.trim_ascii().is_empty() {
            return;
        }
        let body = if is_complete {
            Body::Bytes(line)
        } else {
            line.truncate(TEXT);
            Body::Start(line, size)
        };
        self.recorder.record(Passed {
            from: self.from,
            stream: self.stream,
            http: None,
            body,
        });
    }
}

/// The stream has ended.
impl Drop for Lines {
    fn drop(&mut self) {
        self.end();
    }
}
