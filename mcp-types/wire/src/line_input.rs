//! [`LineInput`]: the lines of a stream of bytes that is read in chunks.

use mcp_types::lines::{LineReader, LineTooLong};

/// The number of bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// The byte order mark of UTF-8, which some programs write before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a stream of bytes that is read in chunks. Does no I/O. A byte order mark before the
/// first line is skipped.
///
/// A transport reads into [`spare`](Self::spare), calls [`filled`](Self::filled), and takes all
/// lines with [`next_line`](Self::next_line) before it reads again.
#[derive(Debug)]
pub struct LineInput {
    lines: LineReader,
    /// The length of the longest line of the last chunk.
    longest: usize,
    has_ended: bool,
}

impl LineInput {
    /// Creates an input whose lines have at most `max_line` bytes.
    #[must_use]
    pub const fn new(max_line: usize) -> Self {
        Self {
            lines: LineReader::new(max_line),
            longest: 0,
            has_ended: false,
        }
    }

    /// Returns the space to read the next chunk into, and releases the memory of a long line before
    /// the wait for that chunk.
    pub fn spare(&mut self) -> &mut [u8] {
        if std::mem::take(&mut self.longest) > CHUNK {
            self.lines.shrink_to(CHUNK);
        }
        self.lines.spare(CHUNK)
    }

    /// Records that `count` bytes were read; 0 means the end of the input.
    pub fn filled(&mut self, count: usize) {
        self.has_ended = count == 0;
        self.lines.filled(count);
    }

    /// Returns the next line that has arrived. Bytes after the last line end are a line at the end
    /// of the input.
    ///
    /// # Errors
    ///
    /// As [`LineReader::next_line`].
    pub fn next_line(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        let is_first = self.lines.line_number() == 0;
        let mut line = if self.has_ended {
            self.lines.finish()
        } else {
            self.lines.next_line()
        }?;
        if is_first && let Ok(text) = &mut line {
            *text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        }
        let length = line.map_or_else(|error| error.limit, <[u8]>::len);
        self.longest = self.longest.max(length);
        Some(line)
    }

    /// Returns `true` if the input has ended.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads one chunk and returns its lines.
    fn read(input: &mut LineInput, chunk: &[u8]) -> Vec<Result<Vec<u8>, LineTooLong>> {
        let mut rest = chunk;
        let count = std::io::Read::read(&mut rest, input.spare()).expect("memory can be read");
        assert_eq!(count, chunk.len(), "the chunk has space");
        input.filled(count);
        let mut lines = Vec::new();
        while let Some(line) = input.next_line() {
            lines.push(line.map(<[u8]>::to_vec));
        }
        lines
    }

    #[test]
    fn the_end_of_the_input_ends_the_last_line() {
        let mut input = LineInput::new(100);
        assert_eq!(
            read(&mut input, b"1\n2\n\n3"),
            [Ok(b"1".into()), Ok(b"2".into())]
        );
        assert!(!input.has_ended());
        assert_eq!(read(&mut input, b""), [Ok(b"3".into())]);
        assert!(input.has_ended());
    }

    #[test]
    fn a_byte_order_mark_before_the_first_line_is_skipped() {
        let mut input = LineInput::new(100);
        let lines = read(&mut input, b"\xef\xbb\xbf1\n\xef\xbb\xbf2\n");
        assert_eq!(lines, [Ok(b"1".into()), Ok(b"\xef\xbb\xbf2".into())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_reported_once() {
        let mut input = LineInput::new(4);
        let [Err(error)] = &read(&mut input, b"12345")[..] else {
            panic!("the line is too long");
        };
        assert_eq!(error.limit, 4);
        assert_eq!(read(&mut input, b"67\n8"), []);
        assert_eq!(read(&mut input, b""), [Ok(b"8".into())]);
    }

    #[test]
    fn the_memory_of_a_long_line_is_released_before_the_next_read() {
        let part = vec![b'x'; CHUNK];
        // The line is within the limit, or too long.
        for max_line in [4 * CHUNK, 2 * CHUNK] {
            let mut input = LineInput::new(max_line);
            for _ in 0..4 {
                read(&mut input, &part);
            }
            read(&mut input, b"\n");
            assert_eq!(input.spare().len(), CHUNK, "{max_line}");
        }
    }
}
