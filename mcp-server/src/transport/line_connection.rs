//! [`LineConnection`]: from a line to what becomes of it; and how serving ends. No I/O here.

#[cfg(feature = "http")]
use crate::protocol::params_view::ParamsView;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use mcp_types::RequestId;
use mcp_types::lines::LineTooLong;
use mcp_types::rpc::{ErrorObject, Message};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};

use super::in_flight::Place;
use crate::protocol::announcements::send_changes;
use crate::protocol::answer::{Answer, Rejection};
#[cfg(feature = "versioned-resources")]
use crate::protocol::connection_scope::{ConnectionScope, ScopeHandle};
use crate::protocol::core::Core;
use crate::protocol::dispatch::{Dispatch, Parsed};
use crate::protocol::error::ServeError;
use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::Inbound;
use crate::protocol::inbound::TransportInfo;
use crate::protocol::message_sink::MessageSink;
use crate::protocol::methods::INITIALIZE;
use crate::protocol::request_task::shutting_down;
#[cfg(feature = "http")]
use crate::protocol::retained::memory;
use crate::transport::in_flight::InFlight;
use crate::transport::write_queue::WriteQueue;
use crate::util::select::{Either, select};

/// What is asked of the system at once.
pub(crate) const CHUNK: usize = 64 << 10;

/// Checks a request by the extensions of its message.
#[cfg(feature = "http")]
pub(crate) type RequestCheck = fn(&Extensions, &str, &ParamsView<'_>) -> Result<(), ErrorObject>;

/// The reading side of a connection.
pub(crate) struct LineConnection {
    server: Arc<Core>,
    via: Inbound,
    outbox: Arc<WriteQueue>,
    flight: Arc<InFlight>,
    heard: bool,
    #[cfg(feature = "http")]
    check: Option<RequestCheck>,
    #[cfg(feature = "versioned-resources")]
    scope: Arc<ConnectionScope>,
}

impl LineConnection {
    /// A connection, and what ends it when dropped. Needs a runtime with a clock around it.
    pub(crate) fn open(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
    ) -> (Self, Owner) {
        #[cfg(feature = "versioned-resources")]
        let (extensions, scope) = {
            let mut extensions = extensions;
            let scope = Arc::<ConnectionScope>::default();
            extensions.insert(ScopeHandle(Arc::downgrade(&scope)));
            (extensions, scope)
        };
        Self::new(
            server,
            extensions,
            transport,
            #[cfg(feature = "versioned-resources")]
            scope,
        )
    }

    /// A connection whose messages come with extensions of their own, by which `check` decides
    /// whether a request is served.
    #[cfg(feature = "http")]
    pub(crate) fn open_checked(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
        check: RequestCheck,
    ) -> (Self, Owner) {
        let (mut connection, owner) = Self::new(
            server,
            extensions,
            transport,
            #[cfg(feature = "versioned-resources")]
            Arc::default(),
        );
        connection.check = Some(check);
        (connection, owner)
    }

    fn new(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
        #[cfg(feature = "versioned-resources")] scope: Arc<ConnectionScope>,
    ) -> (Self, Owner) {
        let outbox = Arc::new(WriteQueue::new(server.limits().queued_bytes));
        let flight = Arc::new(InFlight::new(Arc::clone(&outbox), Handle::current()));
        let sink: Arc<dyn MessageSink> = Arc::<WriteQueue>::clone(&outbox);
        let via = Inbound {
            sink,
            session: None,
            session_id: None,
            extensions: Arc::new(extensions),
            transport,
        };
        let owner = Owner {
            server: server.clone(),
            outbox: Arc::clone(&outbox),
            flight: Arc::clone(&flight),
        };
        let connection = Self {
            server: server.clone(),
            via,
            outbox,
            flight,
            heard: false,
            #[cfg(feature = "http")]
            check: None,
            #[cfg(feature = "versioned-resources")]
            scope,
        };
        (connection, owner)
    }

    /// Whether a message came.
    pub(crate) fn has_heard(&self) -> bool {
        self.heard
    }

    /// The memory that the session keeps for its peer, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn memory(&self) -> usize {
        let session = self.via.session.as_ref();
        session.map_or_else(|| memory(0, 0), |session| session.memory())
    }

    pub(crate) fn outbox(&self) -> &Arc<WriteQueue> {
        &self.outbox
    }

    /// Serves one line. What can be answered now stands in the outbox afterwards; for the rest a
    /// task runs.
    pub(crate) fn line(&mut self, line: Result<&[u8], LineTooLong>) {
        self.flight.set_busy(true);
        self.serve(line);
        self.flight.set_busy(false);
    }

    /// Serves a message that came by itself, with what is known of where it came from.
    #[cfg(feature = "http")]
    pub(crate) fn take(&mut self, message: &[u8], extensions: Extensions) {
        self.via.extensions = Arc::new(extensions);
        self.line(Ok(message));
        // What it holds is not to be held until the next message.
        self.via.extensions = Arc::default();
    }

    fn serve(&mut self, line: Result<&[u8], LineTooLong>) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let error = ErrorObject::invalid_request(error.to_string());
                return self.send(&Answer::error(None, &error, Rejection::Malformed), None);
            }
        };
        let session = self.via.session.clone();
        match self.server.read(line, session.as_deref()) {
            Ok(Parsed::One(message)) => self.message(message, None),
            Ok(Parsed::Batch(messages)) => {
                let place = Place::in_batch(&self.outbox);
                for message in messages {
                    match message {
                        Ok(message) => self.message(message, Some(&place)),
                        Err(error) => {
                            if let Some(answer) = Core::refuse(&error) {
                                self.send(&answer, Some(&place));
                            }
                        }
                    }
                }
            }
            Err(Some(answer)) => self.send(&answer, None),
            Err(None) => {}
        }
    }

    fn message(&mut self, message: Message<'_>, place: Option<&Place>) {
        self.heard = true;
        if let Message::Request { id, method, .. } = &message
            && let Err(error) = self.admit(id, method)
        {
            let answer = Answer::error(Some(id), &error, Rejection::Malformed);
            return self.send(&answer, place);
        }
        match self.dispatch(message) {
            Dispatch::Nothing => {}
            Dispatch::Answer(answer) => {
                tracing::debug!(refused = ?answer.refused, "answered without a handler");
                self.send(&answer, place);
            }
            Dispatch::Session(session, answer) => {
                let sink = Arc::clone(&self.via.sink);
                let teller = send_changes(&self.server, Arc::clone(&session), sink);
                self.send(&answer, place);
                self.flight.tell(teller);
                self.via.session = Some(session);
            }
            Dispatch::Call(mut call) => match poll_once(&mut call) {
                Poll::Ready(answer) => {
                    self.send(&answer, place);
                    #[cfg(feature = "versioned-resources")]
                    self.start_tasks();
                }
                Poll::Pending => self.flight.call(call, place.cloned()),
            },
            Dispatch::Notification(mut handler) => {
                if poll_once(&mut handler).is_ready() {
                    return;
                }
                if self.flight.len() < self.server.limits().concurrent_requests {
                    self.flight.notification(handler);
                } else {
                    tracing::warn!("too many requests: the handler of a notification is dropped");
                }
            }
            Dispatch::Cancel(id) => self.flight.cancel(&id),
        }
    }

    /// Starts the tasks that the request has left for the connection.
    #[cfg(feature = "versioned-resources")]
    fn start_tasks(&self) {
        for task in self.scope.take_tasks() {
            self.flight.tell(task);
        }
    }

    #[cfg(feature = "http")]
    fn dispatch(&self, message: Message<'_>) -> Dispatch {
        let Some(check) = self.check else {
            return self.server.dispatch(message, &self.via);
        };
        let check = |method: &str, head: &ParamsView<'_>| check(&self.via.extensions, method, head);
        self.server.dispatch_checked(message, &self.via, check)
    }

    #[cfg(not(feature = "http"))]
    fn dispatch(&self, message: Message<'_>) -> Dispatch {
        self.server.dispatch(message, &self.via)
    }

    /// Whether a request may begin.
    fn admit(&self, id: &RequestId, method: &str) -> Result<(), ErrorObject> {
        // The answers to our requests could not be told from those of another session.
        if method == INITIALIZE && self.via.session.is_some() {
            return Err(ErrorObject::invalid_request(
                "the session has begun already",
            ));
        }
        let running = self.flight.len();
        if running > 0 && self.flight.has(id) {
            return Err(ErrorObject::invalid_request(
                "a request with this id is still in flight",
            ));
        }
        if running >= self.server.limits().concurrent_requests {
            return Err(ErrorObject::internal_error("too many requests"));
        }
        if self.server.stopping.is_set() {
            return Err(shutting_down());
        }
        Ok(())
    }

    fn send(&self, answer: &Answer, place: Option<&Place>) {
        match place {
            Some(place) => place.fill(&answer.message),
            None => self.outbox.append(&answer.message),
        }
    }
}

impl Drop for LineConnection {
    /// Nothing is read any more: what was asked of the peer has no answer.
    fn drop(&mut self) {
        if let Some(session) = &self.via.session {
            session.pending.close();
        }
    }
}

/// Most handlers are done at once; only the others are worth a task, which polls them again.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Ends the connection when it is dropped: all tasks, and the way out.
pub(crate) struct Owner {
    server: Arc<Core>,
    outbox: Arc<WriteQueue>,
    flight: Arc<InFlight>,
}

impl Owner {
    /// Serves until the input ends or the server stops, and lets work in flight finish within
    /// the grace time. `output` is to end when the outbox is closed and empty.
    pub(crate) async fn run(
        self,
        input: impl Future<Output = Result<(), ServeError>>,
        output: impl Future<Output = io::Result<()>>,
    ) -> Result<(), ServeError> {
        let mut output = pin!(output);
        match select(self.work(input), output.as_mut()).await {
            Either::First(worked) => worked?,
            Either::Second(written) => return Ok(written?),
        }
        self.outbox.close();
        let grace = self.server.limits().grace_time;
        if let Ok(written) = timeout(grace, output).await {
            written?;
        } else {
            tracing::warn!("the peer does not read what is left");
        }
        Ok(())
    }

    async fn work(
        &self,
        input: impl Future<Output = Result<(), ServeError>>,
    ) -> Result<(), ServeError> {
        let mut input = pin!(input);
        if let Either::Second(read) = select(self.server.stopping(), input.as_mut()).await {
            read?;
            self.drain().await;
            return Ok(());
        }
        // Still reading: handlers may wait for the peer's answers.
        match select(self.settle(), input).await {
            Either::First(()) => Ok(()),
            Either::Second(read) => {
                read?;
                self.drain().await;
                Ok(())
            }
        }
    }

    /// The peer says nothing any more: nobody hears subscriptions, the rest may finish.
    async fn drain(&self) {
        self.flight.end_subscriptions();
        self.settle().await;
    }

    async fn settle(&self) {
        self.settle_by(self.grace_ends()).await;
    }

    /// When the grace time of what is in flight now is over.
    pub(crate) fn grace_ends(&self) -> Instant {
        Instant::now() + self.server.limits().grace_time
    }

    /// Waits for what is in flight, and ends with an error what takes longer.
    pub(crate) async fn settle_by(&self, end: Instant) {
        if timeout_at(end, self.flight.landed()).await.is_err() {
            tracing::warn!("requests in flight are ended: the grace time is over");
            let error = if self.server.stopping.is_set() {
                shutting_down()
            } else {
                ErrorObject::internal_error("the input has ended, and the grace time is over")
            };
            self.flight.fail(&error);
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.outbox.close();
        self.flight.close();
    }
}
