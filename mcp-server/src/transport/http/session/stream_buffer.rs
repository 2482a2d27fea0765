//! [`StreamBuffer`]: the events of a stream that the store or the reader does not have yet.

use std::collections::VecDeque;
use std::task::Waker;

use bytes::Bytes;

use crate::protocol::dispatch::cancellation::Cancellation;
use crate::protocol::message::answer::Answer;

/// The state of a stream.
#[derive(Default)]
pub(crate) struct StreamBuffer {
    /// Events that the store or the reader does not have yet.
    pub(crate) events: VecDeque<Bytes>,
    /// The total size of the events.
    pub(crate) bytes: usize,
    /// The number of the last event that was removed from the buffer.
    pub(crate) removed: u64,
    /// The number of the last event in the store.
    pub(crate) stored: u64,
    pub(crate) phase: Phase,
    /// The response, while it may still be sent as one JSON text.
    pub(crate) answer: Option<Answer>,
    /// Whether no more events follow.
    pub(crate) ended: bool,
    /// The generation of connections. It is increased to disconnect the current readers.
    pub(crate) generation: u64,
    /// The newest connection that reads the stream.
    pub(crate) reader: Option<ReaderPosition>,
    /// Requests that the client cancelled, to be removed by the worker.
    pub(crate) cancelled: Vec<Cancellation>,
    /// Wakes the task that works on the stream.
    pub(crate) worker_waker: Option<Waker>,
    /// Wakes the task that waits for the form of the response.
    pub(crate) response_waker: Option<Waker>,
}

/// The position of a connection.
pub(crate) struct ReaderPosition {
    /// The generation of the connection.
    pub(crate) generation: u64,
    /// The number of the last event that it has read.
    pub(crate) read: u64,
    /// Present while it waits for events.
    pub(crate) waker: Option<Waker>,
}

/// The phase of a stream.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The response may still become one JSON text.
    #[default]
    Open,
    /// Events are written.
    Started,
    /// The response was dropped, so events are discarded.
    Closed,
}

impl StreamBuffer {
    /// Returns the number of the last event.
    pub(crate) fn last_number(&self) -> u64 {
        self.removed + self.events.len() as u64
    }

    /// Removes the events that the store and the reader have. A disconnected client counts as
    /// having all events, because it reads from the store later.
    pub(crate) fn trim(&mut self) {
        let read = self.reader.as_ref().map_or(u64::MAX, |reader| reader.read);
        let done = self.stored.min(read);
        while self.removed < done {
            let removed = self.events.pop_front();
            self.bytes -= removed.map_or(0, |event| event.len());
            self.removed += 1;
        }
    }

    /// Sets the reader, unless a newer connection reads the stream.
    pub(crate) fn attach(&mut self, reader: ReaderPosition) {
        let newest = self.reader.as_ref();
        if newest.is_none_or(|newest| newest.generation <= reader.generation) {
            self.reader = Some(reader);
        }
    }

    /// Records that a connection has all events up to a number.
    pub(crate) fn read(&mut self, generation: u64, number: u64) {
        if let Some(reader) = self
            .reader
            .as_mut()
            .filter(|reader| reader.generation == generation)
        {
            reader.read = number;
        }
    }

    /// Removes and returns all wakers.
    pub(crate) fn wakers(&mut self) -> [Option<Waker>; 3] {
        let reader = self.reader.as_mut().and_then(|reader| reader.waker.take());
        [self.worker_waker.take(), self.response_waker.take(), reader]
    }

    /// Returns `true` if there are events to store.
    pub(crate) fn is_behind(&self) -> bool {
        self.phase == Phase::Started && self.stored < self.last_number()
    }

    /// Iterates over the events after a number, with their numbers.
    pub(crate) fn after(&self, number: u64) -> impl Iterator<Item = (u64, &Bytes)> {
        let read = usize::try_from(number - self.removed).unwrap_or(usize::MAX);
        (number + 1..).zip(self.events.iter().skip(read))
    }

    /// Appends an event.
    pub(crate) fn add(&mut self, message: Bytes) {
        self.bytes += message.len();
        self.events.push_back(message);
    }
}
