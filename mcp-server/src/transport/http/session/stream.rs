//! [`Stream`]: passes the messages of a legacy request to the event store and to the connection
//! that reads them. The request and the connection can each outlive the other.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp_types::Revision;
use mcp_types::peer_text::Chain;
use mcp_types::sse::{Event, write_event};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::protocol::core::Core;
use crate::protocol::dispatch::lifecycle::Cancellation;
use crate::protocol::message::{Answer, MessageSink, TrySend};
use crate::protocol::quota::PeerUsage;
use crate::protocol::session::Session;
use crate::protocol::store::StreamKey;
use crate::transport::http::session::stream_record::StreamRecord;
use crate::util::lock::lock;

/// The stream of one POST, or of the announcements of a session.
pub(crate) struct Stream {
    pub(crate) session: Arc<Session>,
    /// Whether the event store has the stream.
    pub(super) is_stored: AtomicBool,
    /// The id, and what the stream is for. Set before events are written.
    pub(super) name: OnceLock<(String, StreamRecord)>,
    pub(crate) server: Arc<Core>,
    /// Whether the client supports priming events, with which it can resume a stream without
    /// events.
    pub(crate) has_priming: bool,
    limit: usize,
    /// The peer for which the bytes of queued events are counted.
    peer: Arc<PeerUsage>,
    state: Mutex<StreamBuffer>,
    /// Notified when all events were read and stored, or when the stream was closed unread.
    capacity: Notify,
}

/// The form of a response.
pub(crate) enum ResponseForm {
    /// One message.
    Answer(Answer),
    /// All events of an ended stream, see [`Stream::complete`].
    Events,
    /// A stream that continues.
    Stream,
}

/// The result of [`Stream::poll_next`].
pub(crate) enum NextEvents {
    /// Events were written: the number of the last one, and whether the stream has ended.
    Events(u64, bool),
    /// The next events have to be read from the store.
    Stored,
    /// Another connection reads the stream now, or the client has to reconnect later.
    Disconnected,
    /// All events were read, and the stream has ended.
    Ended,
}

impl Stream {
    pub(crate) fn new(
        session: &Arc<Session>,
        server: &Arc<Core>,
        limit: usize,
        peer: &Arc<PeerUsage>,
    ) -> Self {
        Self {
            session: Arc::clone(session),
            is_stored: AtomicBool::new(false),
            name: OnceLock::new(),
            server: Arc::clone(server),
            has_priming: session.revision >= Revision::V2025_11_25,
            limit,
            peer: Arc::clone(peer),
            state: Mutex::default(),
            capacity: Notify::new(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, StreamBuffer> {
        lock(&self.state)
    }

    /// Changes the state, and wakes all tasks that wait for a change.
    fn change<T>(&self, change: impl FnOnce(&mut StreamBuffer) -> T) -> T {
        let (changed, wakers) = {
            let mut state = self.state();
            let before = state.bytes;
            let changed = change(&mut state);
            self.count(before, state.bytes);
            (changed, state.wakers())
        };
        for waker in wakers.into_iter().flatten() {
            waker.wake();
        }
        changed
    }

    /// Updates the number of queued bytes of the peer.
    fn count(&self, before: usize, after: usize) {
        match after.checked_sub(before) {
            Some(0) => {}
            Some(more) => self.peer.add_queued_bytes(more),
            None => self.peer.subtract_queued_bytes(before - after),
        }
    }

    /// Changes the position of the store or the reader, and removes events that both have.
    pub(crate) fn trim(&self, change: impl FnOnce(&mut StreamBuffer)) {
        let is_empty = {
            let mut state = self.state();
            change(&mut state);
            let before = state.bytes;
            state.trim();
            self.count(before, state.bytes);
            state.events.is_empty()
        };
        if is_empty {
            self.capacity.notify_waiters();
        }
    }

    /// Returns the id of the stream. Empty before it is set.
    pub(crate) fn id(&self) -> &str {
        self.name.get().map_or("", |(id, _)| id.as_str())
    }

    /// Returns the name of the stream in the event store.
    pub(crate) fn key(&self) -> StreamKey<'_> {
        StreamKey {
            session: self.session.id.as_deref().unwrap_or_default(),
            stream: self.id(),
        }
    }

    /// Closes a stream whose response was dropped before events were started.
    pub(crate) fn close(&self) {
        {
            let mut state = self.state();
            if state.phase != Phase::Open {
                return;
            }
            state.phase = Phase::Closed;
        }
        self.capacity.notify_waiters();
    }

    /// Ends the stream, with the response or, for a cancelled request, without one. Returns `true`
    /// if events are written. Then the caller has to [finish](Self::finish) the stream.
    pub(crate) fn end(&self, answer: Option<Answer>) -> bool {
        self.change(|state| {
            state.ended = true;
            match state.phase {
                Phase::Open => state.answer = answer,
                Phase::Started => {
                    if let Some(answer) = answer {
                        state.add(shrink(answer.message));
                    }
                }
                Phase::Closed => {}
            }
            state.phase == Phase::Started
        })
    }

    /// Waits until the form of the response is known: the stream ends, an event is sent, or
    /// `max_wait` elapses.
    pub(crate) async fn response_form(&self, max_wait: Duration) -> ResponseForm {
        let decided =
            |state: &StreamBuffer| state.ended || state.generation > 0 || !state.events.is_empty();
        if !decided(&self.state()) {
            let decided = poll_fn(|task| {
                let mut state = self.state();
                if decided(&state) {
                    return Poll::Ready(());
                }
                register_waker(&mut state.response_waker, task);
                Poll::Pending
            });
            // The state tells which of the two was first.
            tokio::select! {
                biased;
                () = decided => {}
                () = Box::pin(sleep(max_wait)) => {}
            }
        }
        let mut state = self.state();
        if !state.ended {
            return ResponseForm::Stream;
        }
        if state.events.is_empty()
            && let Some(answer) = state.answer.take()
        {
            return ResponseForm::Answer(answer);
        }
        ResponseForm::Events
    }

    /// Gives the stream an id, unless it has one, and says what it is for.
    pub(crate) fn name(&self, about: StreamRecord) {
        let id = || (self.server.stores.new_stream_id(), about);
        self.name.get_or_init(id);
    }

    /// Starts to write events. Returns `true` if the stream has ended in the meantime. Then the
    /// caller has to [finish](Self::finish) it.
    pub(crate) async fn start(&self) -> bool {
        // `None` after the session has ended: nothing may be stored for it any more.
        if let Some(_writing) = self.session.writes.begin()
            && let Err(error) = self.open().await
        {
            // The first event tries again.
            tracing::error!(error = %Chain(&error), "cannot create a stream in the event store");
        }
        self.change(|state| {
            state.phase = Phase::Started;
            if let Some(answer) = state.answer.take() {
                state.add(shrink(answer.message));
            }
            state.ended
        })
    }

    /// Writes all events of an ended stream. The caller has to [finish](Self::finish) it.
    pub(crate) async fn complete(&self) -> Vec<u8> {
        self.start().await;
        let mut text = Vec::new();
        {
            let state = self.state();
            if self.has_priming && !state.events.is_empty() {
                text.reserve(state.bytes + (state.events.len() + 1) * 128);
                self.write_priming(&mut text, 0);
            }
            for (number, event) in state.after(0) {
                write_sse_event(&mut text, self.id(), number, event);
            }
        }
        text
    }

    /// Cancels a request of the stream.
    pub(crate) fn cancel(&self, cancellation: Cancellation) {
        self.change(|state| state.cancelled.push(cancellation));
    }

    /// Disconnects the connections that read the stream. Returns the generation of the next one.
    pub(crate) fn disconnect_readers(&self) -> u64 {
        self.change(|state| {
            state.generation += 1;
            state.generation
        })
    }

    /// Writes a priming event.
    pub(crate) fn write_priming(&self, out: &mut Vec<u8>, after: u64) {
        write_priming_event(out, self.id(), after);
    }

    /// Attaches a connection that reads the events after `after`, or by default new events only.
    /// Returns the number of the event after which it reads.
    pub(crate) fn attach(&self, generation: u64, after: Option<u64>) -> u64 {
        let mut state = self.state();
        let read = after.unwrap_or_else(|| state.last_number());
        let waker = None;
        state.attach(ReaderPosition {
            generation,
            read,
            waker,
        });
        read
    }

    /// Detaches a connection.
    pub(crate) fn detach(&self, generation: u64) {
        self.trim(|state| {
            state
                .reader
                .take_if(|reader| reader.generation == generation);
        });
    }

    /// Records that a connection has all events up to a number.
    pub(crate) fn read(&self, generation: u64, number: u64) {
        self.trim(|state| state.read(generation, number));
    }

    /// Writes the events after a number for a connection.
    pub(crate) fn poll_next(
        &self,
        out: &mut Vec<u8>,
        generation: u64,
        after: u64,
        task: &mut Context<'_>,
    ) -> Poll<NextEvents> {
        let mut state = self.state();
        if state.generation > generation {
            return Poll::Ready(NextEvents::Disconnected);
        }
        if after < state.removed {
            return Poll::Ready(NextEvents::Stored);
        }
        if after < state.last_number() {
            for (number, event) in state.after(after) {
                write_sse_event(out, self.id(), number, event);
            }
            let (last, ended) = (state.last_number(), state.ended);
            drop(state);
            self.read(generation, last);
            return Poll::Ready(NextEvents::Events(last, ended));
        }
        if state.ended {
            return Poll::Ready(NextEvents::Ended);
        }
        state.attach(ReaderPosition {
            generation,
            read: after,
            waker: Some(task.waker().clone()),
        });
        Poll::Pending
    }
}

/// Registers the waker of a task.
pub(crate) fn register_waker(slot: &mut Option<Waker>, task: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(task.waker()),
        None => *slot = Some(task.waker().clone()),
    }
}

/// Drops the unused capacity of a message, because the store may keep it for long.
fn shrink(message: Vec<u8>) -> Bytes {
    if message.capacity() / 2 > message.len() {
        return Bytes::copy_from_slice(&message);
    }
    message.into()
}

impl Drop for Stream {
    fn drop(&mut self) {
        let bytes = self.state().bytes;
        self.count(bytes, 0);
    }
}

impl MessageSink for Stream {
    fn try_send(&self, message: &[u8]) -> TrySend {
        self.change(|state| {
            if state.phase == Phase::Closed {
                return TrySend::Closed;
            }
            let size = message.len();
            if !state.events.is_empty()
                && (state.bytes + size > self.limit || !self.peer.may_queue(size))
            {
                return TrySend::Full;
            }
            state.add(Bytes::copy_from_slice(message));
            TrySend::Queued
        })
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            loop {
                let notified = self.capacity.notified();
                tokio::pin!(notified);
                // Enabled before the state is read, so that no notification is missed in between.
                notified.as_mut().enable();
                let full = {
                    let state = self.state();
                    state.phase != Phase::Closed && !state.events.is_empty()
                };
                if !full {
                    return;
                }
                notified.await;
            }
        })
    }

    fn detach(&self) {
        if self.has_priming {
            self.disconnect_readers();
        }
    }
}

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

/// The time that a client should wait before it reconnects.
const RETRY: Duration = Duration::from_millis(500);

/// Writes a priming event: an id for `Last-Event-ID`, and the retry time, without data.
pub(crate) fn write_priming_event(out: &mut Vec<u8>, stream: &str, after: u64) {
    write(out, stream, after, b"", Some(RETRY));
}

/// Writes an event with its number in the stream.
pub(crate) fn write_sse_event(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8]) {
    write(out, stream, number, data, None);
}

fn write(out: &mut Vec<u8>, stream: &str, number: u64, data: &[u8], retry: Option<Duration>) {
    // The id of the stream was generated or validated by this server, so it needs no escaping.
    out.reserve(stream.len() + data.len() + 128);
    out.extend_from_slice(b"id: ");
    out.extend_from_slice(stream.as_bytes());
    out.push(b'-');
    write_number(out, number);
    out.push(b'\n');
    let event = Event {
        retry,
        ..Event::data(data)
    };
    // Encoding an event without id and name does not fail.
    let _ = write_event(out, &event);
}

/// Writes a number in decimal digits.
fn write_number(out: &mut Vec<u8>, number: u64) {
    let start = out.len();
    let mut rest = number;
    loop {
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or_default());
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}
