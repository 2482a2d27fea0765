//! [`StreamBuffer`]: the part of a stream that the store or the connection has not got yet.

use std::collections::VecDeque;
use std::task::Waker;

use bytes::Bytes;
use mcp_types::RequestId;

use crate::protocol::answer::Answer;

/// The state of a stream.
#[derive(Default)]
pub(crate) struct StreamBuffer {
    /// Events that the store or the connection has not got yet.
    pub(crate) events: VecDeque<Bytes>,
    pub(crate) bytes: usize,
    /// The number of the last event that left the window.
    pub(crate) left: u64,
    /// The number of the last event in the store.
    pub(crate) stored: u64,
    pub(crate) phase: Phase,
    /// The answer, as long as it may be the whole response.
    pub(crate) answer: Option<Answer>,
    /// Whether nothing more will be said.
    pub(crate) over: bool,
    /// How often connections were sent away.
    pub(crate) kicks: u64,
    /// The newest connection.
    pub(crate) reader: Option<Reads>,
    /// Requests that the client gave up, for who works on them.
    pub(crate) given_up: Vec<RequestId>,
    /// Wakes who works on the stream, while it waits.
    pub(crate) worker: Option<Waker>,
    /// Wakes who waits for the form of the response.
    pub(crate) asker: Option<Waker>,
}

/// How far a connection is.
pub(crate) struct Reads {
    /// The kicks before it came.
    pub(crate) kick: u64,
    /// The number of the last event that it got.
    pub(crate) read: u64,
    /// There while it waits.
    pub(crate) waker: Option<Waker>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It may still become one JSON text.
    #[default]
    Open,
    /// Events are written.
    Begun,
    /// Nobody will ever read.
    Closed,
}

impl StreamBuffer {
    pub(crate) fn last(&self) -> u64 {
        self.left + self.events.len() as u64
    }

    /// Forgets what both have got; nobody waits for a client that is away.
    pub(crate) fn trim(&mut self) {
        let read = self.reader.as_ref().map_or(u64::MAX, |reader| reader.read);
        let done = self.stored.min(read);
        while self.left < done {
            let gone = self.events.pop_front();
            self.bytes -= gone.map_or(0, |gone| gone.len());
            self.left += 1;
        }
    }

    /// A connection comes, or waits for more, unless a newer one is there.
    pub(crate) fn attach(&mut self, reader: Reads) {
        let newest = self.reader.as_ref();
        if newest.is_none_or(|newest| newest.kick <= reader.kick) {
            self.reader = Some(reader);
        }
    }

    /// A connection got all up to an event.
    pub(crate) fn read(&mut self, kick: u64, number: u64) {
        if let Some(reader) = self.reader.as_mut().filter(|reader| reader.kick == kick) {
            reader.read = number;
        }
    }

    /// What wakes those that wait.
    pub(crate) fn wakers(&mut self) -> [Option<Waker>; 3] {
        let reader = self.reader.as_mut().and_then(|reader| reader.waker.take());
        [self.worker.take(), self.asker.take(), reader]
    }

    /// Whether there is anything to store.
    pub(crate) fn is_behind(&self) -> bool {
        self.phase == Phase::Begun && self.stored < self.last()
    }

    /// The events that follow another one, with their numbers.
    pub(crate) fn after(&self, number: u64) -> impl Iterator<Item = (u64, &Bytes)> {
        let read = usize::try_from(number - self.left).unwrap_or(usize::MAX);
        (number + 1..).zip(self.events.iter().skip(read))
    }

    pub(crate) fn add(&mut self, message: Bytes) {
        self.bytes += message.len();
        self.events.push_back(message);
    }
}
