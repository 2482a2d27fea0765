//! Decoding of events from chunks of a stream.

use std::fmt;
use std::str;
use std::time::Duration;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Decodes a stream of events, split into chunks at any position, in bounded memory.
///
/// Follows the rules of the HTML standard: lines end with `\n`, `\r` or `\r\n`; a byte order mark
/// at the start is skipped; comments and unknown fields are ignored; an event without data only
/// sets the last event id; an event that is cut off by the end of the stream is dropped. Unlike in
/// the standard, text that is not UTF-8 is an error and is not repaired.
#[derive(Debug)]
pub struct Decoder {
    max_event: usize,
    /// The number of bytes of the byte order mark that were read; `None` after the start of the
    /// stream.
    mark: Option<usize>,
    /// The start of a line whose end was not received yet.
    line: Vec<u8>,
    /// `true` if the rest of the line is skipped: it is a comment or too long.
    skip_line: bool,
    /// `true` if the last line ended with `\r`, so that a following `\n` belongs to it.
    after_return: bool,
    event: Pending,
    last_event_id: String,
    retry: Option<Duration>,
}

/// The event that is being decoded.
#[derive(Debug, Default)]
struct Pending {
    stage: Stage,
    /// The number of bytes of its lines.
    size: usize,
    /// The lines of data, each followed by `\n`.
    data: String,
    name: String,
    id: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Reading,
    /// It had an error; the rest of it is skipped.
    Skipping,
    /// It was returned and will be cleared.
    Given,
}

/// A received event, borrowed from the [`Decoder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<'a> {
    /// The name of the event; `message` if it has none.
    pub event: &'a str,
    /// The data; its lines are joined by `\n`.
    pub data: &'a str,
    /// The last id in the stream up to and including this event; empty if there is none.
    pub last_event_id: &'a str,
}

impl Decoder {
    /// Creates a decoder of events with at most `max_event` bytes. Comments and line ends are not
    /// counted.
    #[inline]
    #[must_use]
    pub fn new(max_event: usize) -> Self {
        Self {
            max_event,
            mark: Some(0),
            line: Vec::new(),
            skip_line: false,
            after_return: false,
            event: Pending::default(),
            last_event_id: String::new(),
            retry: None,
        }
    }

    /// Returns the next event. Removes the bytes that it reads from `input`. Returns `None` when
    /// all of `input` is read and no event is complete.
    ///
    /// # Errors
    ///
    /// Returns an [`SseError`] once for each event that cannot be decoded. The next call skips the
    /// rest of that event and continues. The id of the event is kept, so that the server does not
    /// send the event again when the client reconnects.
    #[inline]
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Message<'_>>, SseError> {
        if !self.advance(input)? {
            return Ok(None);
        }
        Ok(Some(Message {
            event: match self.event.name.as_str() {
                "" => "message",
                name => name,
            },
            data: &self.event.data,
            last_event_id: &self.last_event_id,
        }))
    }

    /// Returns the last id in the stream, for `Last-Event-ID` when reconnecting; empty if there is
    /// none.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// Returns the time to wait before reconnecting, if the server sent one.
    #[inline]
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Reads up to the end of the next event, or of the input. Returns `true` if an event is
    /// complete.
    #[inline]
    fn advance(&mut self, input: &mut &[u8]) -> Result<bool, SseError> {
        if self.event.stage == Stage::Given {
            self.event.clear();
        }
        self.skip_mark(input);
        while let [first, rest @ ..] = *input {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                *input = rest;
                continue;
            }
            if self.line.is_empty() && *first == b':' {
                self.skip_line = true;
            }
            let end = input
                .iter()
                .position(|byte| matches!(byte, b'\r' | b'\n'))
                .unwrap_or(input.len());
            let (part, tail) = input.split_at(end);
            *input = tail.get(1..).unwrap_or_default();
            self.after_return = tail.first() == Some(&b'\r');
            if self.line_part(part, !tail.is_empty())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Processes a part of a line, which may be the last one. Returns `true` if an event is
    /// complete.
    #[inline]
    fn line_part(&mut self, part: &[u8], last: bool) -> Result<bool, SseError> {
        if self.skip_line {
            self.skip_line = !last;
            return Ok(false);
        }
        let held = if self.skipping() { 0 } else { self.event.size };
        if held + self.line.len() + part.len() > self.max_event {
            self.line.clear();
            self.skip_line = !last;
            return self.fail(SseError::TooLong {
                limit: self.max_event,
            });
        }
        if !last {
            self.line.extend_from_slice(part);
            return Ok(false);
        }
        if self.line.is_empty() {
            return self.line(part);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(part);
        let outcome = self.line(&line);
        line.clear();
        self.line = line;
        outcome
    }

    /// Processes a complete line. Returns `true` if an event is complete.
    #[inline]
    fn line(&mut self, line: &[u8]) -> Result<bool, SseError> {
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        self.event.size += line.len();
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match (name, str::from_utf8(value)) {
            (b"data" | b"event" | b"id", Err(_)) => return self.fail(SseError::NotUtf8),
            (b"data", Ok(value)) if !self.skipping() => {
                self.event.data.push_str(value);
                self.event.data.push('\n');
            }
            (b"event", Ok(value)) if !self.skipping() => value.clone_into(&mut self.event.name),
            (b"id", Ok(value)) if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            (b"retry", Ok(value)) if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                // A number that is too large for a duration is ignored.
                self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry);
            }
            _ => {}
        }
        Ok(false)
    }

    /// Ends an event. Returns `true` if it has data to return.
    #[inline]
    fn dispatch(&mut self) -> bool {
        if let Some(id) = self.event.id.take() {
            self.last_event_id = id;
        }
        // Data without an error ends with the `\n` of its last line; an event without data has no
        // `\n`.
        if self.skipping() || self.event.data.pop().is_none() {
            self.event.clear();
            return false;
        }
        self.event.stage = Stage::Given;
        true
    }

    /// Reports the first error of an event.
    #[inline]
    fn fail(&mut self, error: SseError) -> Result<bool, SseError> {
        self.event.drop_content();
        if self.skipping() {
            return Ok(false);
        }
        self.event.stage = Stage::Skipping;
        Err(error)
    }

    #[inline]
    fn skipping(&self) -> bool {
        self.event.stage == Stage::Skipping
    }

    /// Skips the byte order mark. Bytes that only started like one are the start of the first line.
    #[inline]
    fn skip_mark(&mut self, input: &mut &[u8]) {
        while let (Some(seen), [first, rest @ ..]) = (self.mark, *input) {
            match BYTE_ORDER_MARK.get(seen) {
                Some(byte) if byte == first => {
                    self.mark = Some(seen + 1);
                    *input = rest;
                }
                expected => {
                    self.mark = None;
                    if expected.is_some() {
                        self.line.extend(BYTE_ORDER_MARK.iter().take(seen));
                    }
                }
            }
        }
    }
}

impl Pending {
    #[inline]
    fn clear(&mut self) {
        self.drop_content();
        self.stage = Stage::Reading;
        self.id = None;
    }

    #[inline]
    fn drop_content(&mut self) {
        self.size = 0;
        self.data.clear();
        self.name.clear();
    }
}

/// The error for an event that could not be decoded. The following events can still be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseError {
    /// The event is longer than the limit.
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A field of the event is not UTF-8.
    NotUtf8,
}

impl fmt::Display for SseError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { limit } => write!(f, "server-sent event exceeds {limit} bytes"),
            Self::NotUtf8 => f.write_str("server-sent event is not UTF-8"),
        }
    }
}

impl std::error::Error for SseError {}
