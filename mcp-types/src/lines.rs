//! [`LineReader`]: reads newline-delimited JSON, one message per line, as used over stdio.
//!
//! The transport page of every revision defines this framing: each message ends with a newline and
//! contains none. The reader does no I/O. Bytes are read into its buffer, and lines are borrowed
//! from it:
//!
//! ```
//! use mcp_types::lines::LineReader;
//! use std::io::Read;
//!
//! let mut input = "{\"a\":1}\r\n\n{\"b\":2}".as_bytes();
//! let mut reader = LineReader::new(4096);
//! let mut seen = Vec::new();
//! loop {
//!     let count = input.read(reader.spare(64))?;
//!     if count == 0 {
//!         break;
//!     }
//!     reader.filled(count);
//!     while let Some(line) = reader.next_line() {
//!         seen.push(line?.to_vec());
//!     }
//! }
//! while let Some(line) = reader.finish() {
//!     seen.push(line?.to_vec());
//! }
//! assert_eq!(seen, [b"{\"a\":1}", b"{\"b\":2}"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::io::BufRead as _;
use std::ops::Range;

/// Splits a stream of bytes into lines of bounded length, without an allocation per line.
///
/// Lines end with `\n` or `\r\n`, which is not part of them and does not count towards the limit.
/// Empty lines and lines of white space are skipped. Nothing else is checked: [`rpc`](crate::rpc)
/// reports lines that are not UTF-8 or not JSON.
///
/// If all lines are taken after each read, the buffer does not grow beyond the longest line plus
/// one read. A line beyond the limit is reported once, and its bytes are dropped as they are read.
#[derive(Debug)]
pub struct LineReader {
    /// Always initialized to its whole length; the bytes up to `end` were read.
    buffer: Vec<u8>,
    /// The start of the first line that was not returned yet.
    start: usize,
    /// There is no newline between `start` and this position, so no byte is searched twice.
    searched: usize,
    end: usize,
    max_line: usize,
    /// `true` if the bytes at `start` are the rest of a line that was too long.
    dropping: bool,
    /// The number of lines that end before `start`.
    ended: u64,
    /// The number of the line that was returned last.
    number: u64,
}

impl LineReader {
    /// Creates a reader of lines of at most `max_line` bytes, not counting their line ends.
    #[must_use]
    pub const fn new(max_line: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            end: 0,
            max_line,
            dropping: false,
            ended: 0,
            number: 0,
        }
    }

    /// Returns space to read into: at least `min` bytes, and at least one. Call
    /// [`filled`](Self::filled) with the number of bytes read.
    ///
    /// The initial contents of the space are unspecified.
    pub fn spare(&mut self, min: usize) -> &mut [u8] {
        let min = min.max(1);
        if self.start == self.end {
            self.move_to_front();
        }
        if self.buffer.len() - self.end < min {
            // If all lines were taken, only the rest of one line is left, and it is moved at most
            // once: after that it is at the front, and the buffer grows instead.
            self.move_to_front();
            let needed = self.end.saturating_add(min);
            if self.buffer.len() < needed {
                // At least twice the length, so that a long line is not copied repeatedly.
                let length = needed.max(self.buffer.len().saturating_mul(2));
                self.buffer.resize(length, 0);
            }
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Records that the first `count` bytes returned by [`spare`](Self::spare) were read. `count`
    /// is limited to the length of that space.
    pub fn filled(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.buffer.len());
    }

    /// Appends bytes that were read elsewhere, if reading into [`spare`](Self::spare) is not
    /// possible.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(room) = self.spare(bytes.len()).get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.filled(bytes.len());
    }

    /// Returns the next complete line, or `None` if more bytes are needed.
    ///
    /// # Errors
    ///
    /// Returns [`LineTooLong`] once for each line beyond the limit, as soon as that is certain. The
    /// next call continues with the following line.
    pub fn next_line(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        let line = self.whole()?;
        Some(line.map(|line| self.buffer.get(line).unwrap_or_default()))
    }

    /// Returns the next line after the end of the input. Works like [`next_line`](Self::next_line),
    /// and returns the bytes after the last newline as the last line.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next_line`](Self::next_line).
    pub fn finish(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        let line = self.whole().or_else(|| {
            // Nothing is returned if this is the rest of a line that was too long.
            let rest = self.start..self.end;
            let unfinished = !rest.is_empty() || self.dropping;
            self.ended += u64::from(unfinished);
            self.drop_buffered();
            self.dropping = false;
            let line = self.checked(rest)?;
            self.number = self.ended;
            Some(line)
        })?;
        Some(line.map(|line| self.buffer.get(line).unwrap_or_default()))
    }

    /// Returns the number of the line that was returned last, or 0 before the first one.
    ///
    /// The first line of the input has the number 1, as in a text editor. The lines that the reader
    /// skips count, and so do those that are too long: after [`LineTooLong`], this is the number of
    /// the line that exceeds the limit.
    ///
    /// ```
    /// use mcp_types::lines::LineReader;
    ///
    /// let mut reader = LineReader::new(4096);
    /// reader.feed(b"1\n\n\ntwo\n");
    /// let mut failed = Vec::new();
    /// while let Some(line) = reader.next_line() {
    ///     if serde_json::from_slice::<u8>(line?).is_err() {
    ///         failed.push(reader.line_number());
    ///     }
    /// }
    /// assert_eq!(failed, [4]);
    /// # Ok::<(), mcp_types::lines::LineTooLong>(())
    /// ```
    #[must_use]
    pub const fn line_number(&self) -> u64 {
        self.number
    }

    /// Shrinks the buffer to `capacity` bytes, for example after a very long line, unless it
    /// contains bytes that were not taken yet.
    pub fn shrink_to(&mut self, capacity: usize) {
        self.move_to_front();
        self.buffer.truncate(capacity.max(self.end));
        self.buffer.shrink_to_fit();
    }

    /// Returns the range of the next complete line.
    fn whole(&mut self) -> Option<Result<Range<usize>, LineTooLong>> {
        while let Some(length) = self.find_newline() {
            let line = self.start..self.searched + length;
            self.start = line.end + 1;
            self.searched = self.start;
            self.ended += 1;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if let Some(line) = self.checked(line) {
                self.number = self.ended;
                return Some(line);
            }
        }
        self.searched = self.end;
        if self.dropping {
            self.drop_buffered();
            return None;
        }
        let pending = self.trimmed(self.start..self.end);
        if pending.len() <= self.max_line {
            return None;
        }
        self.drop_buffered();
        self.dropping = true;
        self.number = self.ended + 1;
        Some(Err(self.too_long()))
    }

    /// Returns the distance from `searched` to the next newline.
    fn find_newline(&self) -> Option<usize> {
        let unsearched = self.buffer.get(self.searched..self.end)?;
        // On this hot path, this is the only way to `memchr` that the standard library offers for
        // bytes.
        let mut rest = unsearched;
        let last = rest.skip_until(b'\n').ok()?.checked_sub(1)?;
        (unsearched.get(last) == Some(&b'\n')).then_some(last)
    }

    /// Returns a line without its `\r`, or `None` if it is blank.
    fn checked(&self, line: Range<usize>) -> Option<Result<Range<usize>, LineTooLong>> {
        let line = self.trimmed(line);
        if line.len() > self.max_line {
            return Some(Err(self.too_long()));
        }
        let bytes = self.buffer.get(line.clone())?;
        let blank = bytes.iter().all(u8::is_ascii_whitespace);
        (!blank).then_some(Ok(line))
    }

    fn trimmed(&self, line: Range<usize>) -> Range<usize> {
        let bytes = self.buffer.get(line.clone()).unwrap_or_default();
        let carriage_return = usize::from(bytes.last() == Some(&b'\r'));
        line.start..line.end - carriage_return
    }

    fn too_long(&self) -> LineTooLong {
        LineTooLong {
            limit: self.max_line,
        }
    }

    fn drop_buffered(&mut self) {
        self.start = self.end;
        self.searched = self.end;
    }

    fn move_to_front(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
    }
}

/// The error for a line that is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineTooLong {
    /// The limit, in bytes.
    pub limit: usize,
}

impl fmt::Display for LineTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line exceeds {} bytes", self.limit)
    }
}

impl std::error::Error for LineTooLong {}
