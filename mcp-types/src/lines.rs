//! [`LineReader`]: the lines of newline-delimited JSON, one message each, as over stdio.
//!
//! The transport page of every revision asks for it: messages end with a newline and contain none.
//! The reader does no I/O. Bytes go into its one buffer, lines are lent from it:
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
/// Lines end with `\n` or `\r\n`, which is not part of them and does not count towards the limit;
/// empty lines and such of white space alone are skipped. Nothing else is looked at: that a line
/// is UTF-8 and JSON is for [`rpc`](crate::rpc) to say.
///
/// Who takes all lines after each read needs a buffer of no more than the longest line and one
/// read. A line beyond the limit is reported once and its bytes are dropped as they come.
#[derive(Debug)]
pub struct LineReader {
    /// Always initialised to its whole length; what was read ends at `end`.
    buffer: Vec<u8>,
    /// Where the first line begins that was not given out.
    start: usize,
    /// No newline stands between `start` and here: nothing is searched twice.
    searched: usize,
    end: usize,
    max_line: usize,
    /// Whether the line at `start` is the rest of one that was too long.
    dropping: bool,
}

impl LineReader {
    /// A reader of lines of at most `max_line` bytes, their ends not counted.
    #[must_use]
    pub const fn new(max_line: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            end: 0,
            max_line,
            dropping: false,
        }
    }

    /// Room to read into: at least `min` bytes, and at least one. [`filled`](Self::filled) says
    /// how many of them were.
    ///
    /// What the bytes hold before is of no meaning.
    pub fn spare(&mut self, min: usize) -> &mut [u8] {
        let min = min.max(1);
        if self.start == self.end {
            self.move_to_front();
        }
        if self.buffer.len() - self.end < min {
            // Only what is left of one line stands there if all lines were taken, and it is moved
            // once: then it stands in front, and the buffer grows instead.
            self.move_to_front();
            let needed = self.end.saturating_add(min);
            if self.buffer.len() < needed {
                // At least twice the length, so that a long line is not copied again and again.
                let length = needed.max(self.buffer.len().saturating_mul(2));
                self.buffer.resize(length, 0);
            }
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// Takes the first `count` bytes of what [`spare`](Self::spare) gave as read; no more than
    /// it gave.
    pub fn filled(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.buffer.len());
    }

    /// Adds bytes that were read elsewhere, for who cannot read into [`spare`](Self::spare).
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(room) = self.spare(bytes.len()).get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.filled(bytes.len());
    }

    /// The next whole line, or `None` until more bytes come.
    ///
    /// # Errors
    ///
    /// [`LineTooLong`] once for each line beyond the limit, as soon as that is certain. The next
    /// call goes on with the line that follows it.
    pub fn next_line(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        let line = self.whole()?;
        Some(line.map(|line| self.buffer.get(line).unwrap_or_default()))
    }

    /// The next line at the end of input, when no more bytes will come: as
    /// [`next_line`](Self::next_line), and at last what follows the last newline.
    ///
    /// # Errors
    ///
    /// As [`next_line`](Self::next_line).
    pub fn finish(&mut self) -> Option<Result<&[u8], LineTooLong>> {
        let line = self.whole().or_else(|| {
            // Nothing, if it is the rest of a line that was too long.
            let rest = self.start..self.end;
            self.drop_buffered();
            self.dropping = false;
            self.checked(rest)
        })?;
        Some(line.map(|line| self.buffer.get(line).unwrap_or_default()))
    }

    /// Gives memory back beyond `capacity` bytes, as after a very long line, unless bytes stand
    /// there that are not taken yet.
    pub fn shrink_to(&mut self, capacity: usize) {
        self.move_to_front();
        self.buffer.truncate(capacity.max(self.end));
        self.buffer.shrink_to_fit();
    }

    /// Where the next whole line stands.
    fn whole(&mut self) -> Option<Result<Range<usize>, LineTooLong>> {
        while let Some(length) = self.find_newline() {
            let line = self.start..self.searched + length;
            self.start = line.end + 1;
            self.searched = self.start;
            if std::mem::take(&mut self.dropping) {
                continue;
            }
            if let Some(line) = self.checked(line) {
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
        Some(Err(self.too_long()))
    }

    /// How far behind `searched` the next newline stands.
    fn find_newline(&self) -> Option<usize> {
        let unsearched = self.buffer.get(self.searched..self.end)?;
        // The one way to `memchr` that the standard library offers for bytes: this is the hot path.
        let mut rest = unsearched;
        let last = rest.skip_until(b'\n').ok()?.checked_sub(1)?;
        (unsearched.get(last) == Some(&b'\n')).then_some(last)
    }

    /// A line without its `\r`; nothing if it is blank.
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

/// A line that has more bytes than the limit.
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
