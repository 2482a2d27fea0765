//! [`LineConnection`]: handles the lines of a connection, and shuts it down. Does no I/O.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use mcp_types::RequestId;
use mcp_types::lines::LineTooLong;
use mcp_types::rpc::{ErrorObject, Message};
use mcp_wire::WriteQueue;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::protocol::caller::Extensions;
#[cfg(feature = "proposals")]
use crate::protocol::caller::connection_scope::{ConnectionScope, ScopeHandle};
use crate::protocol::core::Core;
use crate::protocol::dispatch::announcements::send_changes;
use crate::protocol::dispatch::inbound::{Inbound, TransportInfo};
use crate::protocol::dispatch::request_task::shutting_down;
use crate::protocol::dispatch::{Dispatch, Malformed, Parsed};
use crate::protocol::error::ServeError;
use crate::protocol::error::rejection::{RETRY_SOON, Rejection};
use crate::protocol::message::methods::INITIALIZE;
#[cfg(feature = "http")]
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::{Answer, MessageSink};
#[cfg(feature = "http")]
use crate::protocol::quota::retained::memory;
use crate::transport::in_flight::{BatchSlot, InFlight};

/// Checks a request, given the extensions of its message, its method and its params.
#[cfg(feature = "http")]
pub(crate) type RequestCheck = fn(&Extensions, &str, &ParamsView<'_>) -> Result<(), ErrorObject>;

/// The reading side of a connection.
pub(crate) struct LineConnection {
    server: Arc<Core>,
    inbound: Inbound,
    pub(crate) write_queue: Arc<WriteQueue>,
    in_flight: Arc<InFlight>,
    pub(crate) has_received: bool,
    #[cfg(feature = "http")]
    check: Option<RequestCheck>,
}

impl LineConnection {
    /// Creates a connection, and the handle that ends it when it is dropped. Must be called within
    /// a tokio runtime with time enabled.
    pub(crate) fn open(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
    ) -> (Self, ConnectionDriver) {
        #[cfg(feature = "proposals")]
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
            #[cfg(feature = "proposals")]
            scope,
        )
    }

    /// Creates a connection whose messages have their own extensions. `check` can reject a request
    /// because of them.
    #[cfg(feature = "http")]
    pub(crate) fn open_checked(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
        check: RequestCheck,
    ) -> (Self, ConnectionDriver) {
        let (mut connection, driver) = Self::new(
            server,
            extensions,
            transport,
            #[cfg(feature = "proposals")]
            Arc::default(),
        );
        connection.check = Some(check);
        (connection, driver)
    }

    fn new(
        server: &Arc<Core>,
        extensions: Extensions,
        transport: TransportInfo,
        #[cfg(feature = "proposals")] scope: Arc<ConnectionScope>,
    ) -> (Self, ConnectionDriver) {
        let write_queue = Arc::new(WriteQueue::new(server.limits.queued_bytes));
        let in_flight = Arc::new(InFlight::new(
            Arc::clone(&write_queue),
            Handle::current(),
            #[cfg(feature = "proposals")]
            scope,
        ));
        let sink: Arc<dyn MessageSink> = Arc::<WriteQueue>::clone(&write_queue);
        let inbound = Inbound {
            sink,
            session: None,
            session_id: None,
            extensions: Arc::new(extensions),
            transport,
        };
        let driver = ConnectionDriver {
            server: server.clone(),
            write_queue: Arc::clone(&write_queue),
            in_flight: Arc::clone(&in_flight),
        };
        let connection = Self {
            server: server.clone(),
            inbound,
            write_queue,
            in_flight,
            has_received: false,
            #[cfg(feature = "http")]
            check: None,
        };
        (connection, driver)
    }

    /// Returns the memory that the session uses, in bytes.
    #[cfg(feature = "http")]
    pub(crate) fn memory(&self) -> usize {
        let session = self.inbound.session.as_ref();
        session.map_or_else(|| memory(0, 0), |session| session.memory())
    }

    /// Handles one line. Appends the response to the write queue if it is available at once, and
    /// otherwise spawns a task.
    pub(crate) fn handle_line(&mut self, line: Result<&[u8], LineTooLong>) {
        self.in_flight.set_busy(true);
        self.serve(line);
        self.in_flight.set_busy(false);
    }

    /// Handles a message that has its own extensions.
    #[cfg(feature = "http")]
    pub(crate) fn handle_message(&mut self, message: &[u8], extensions: Extensions) {
        self.inbound.extensions = Arc::new(extensions);
        self.handle_line(Ok(message));
        // Drops what the extensions own, such as permits, before the next message.
        self.inbound.extensions = Arc::default();
    }

    fn serve(&mut self, line: Result<&[u8], LineTooLong>) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let error = ErrorObject::invalid_request(error.to_string());
                return self.send(&Answer::error(None, &error, Rejection::Malformed), None);
            }
        };
        let session = self.inbound.session.clone();
        match self.server.read(line, session.as_deref()) {
            Ok(Parsed::One(message)) => self.message(message, None),
            Ok(Parsed::Batch(messages)) => {
                let slot = BatchSlot::new_batch(&self.write_queue);
                for message in messages {
                    match message {
                        Ok(message) => self.message(message, Some(&slot)),
                        Err(error) => {
                            let malformed = Core::refuse(&error, session.as_deref());
                            if let Some(answer) = malformed.into_answer() {
                                self.send(&answer, Some(&slot));
                            }
                        }
                    }
                }
            }
            Err(Malformed::Answer(answer)) => self.send(&answer, None),
            Err(Malformed::Response { .. }) => {}
        }
    }

    fn message(&mut self, message: Message<'_>, slot: Option<&BatchSlot>) {
        self.has_received = true;
        if let Message::Request { id, method, .. } = &message
            && let Err(error) = self.admit(id, method)
        {
            let answer = Answer::error(Some(id), &error, Rejection::Malformed);
            return self.send(&answer, slot);
        }
        match self.dispatch(message) {
            Dispatch::Nothing => {}
            Dispatch::Answer(answer) => {
                tracing::debug!(rejection = ?answer.refused, "responded without a handler");
                self.send(&answer, slot);
            }
            Dispatch::Session(session, answer) => {
                let sink = Arc::clone(&self.inbound.sink);
                let changes = send_changes(&self.server, Arc::clone(&session), sink, false);
                self.send(&answer, slot);
                self.in_flight.spawn_background(changes);
                self.inbound.session = Some(session);
            }
            Dispatch::Call(mut call) => match poll_once(&mut call) {
                Poll::Ready(answer) => {
                    self.send(&answer, slot);
                    #[cfg(feature = "proposals")]
                    self.in_flight.start_tasks();
                }
                Poll::Pending => self.in_flight.call(call, slot.cloned()),
            },
            Dispatch::Notification(mut handler) => {
                if poll_once(&mut handler).is_ready() {
                    return;
                }
                if self.in_flight.len() < self.server.limits.concurrent_requests {
                    self.in_flight.notification(handler);
                } else {
                    tracing::warn!(
                        "dropped the handler of a notification: too many requests are in flight"
                    );
                }
            }
            Dispatch::Cancel(cancellation) => self.in_flight.cancel(&cancellation),
        }
    }

    #[cfg(feature = "http")]
    fn dispatch(&self, message: Message<'_>) -> Dispatch {
        let Some(check) = self.check else {
            return self.server.dispatch(message, &self.inbound);
        };
        let check =
            |method: &str, params: &ParamsView<'_>| check(&self.inbound.extensions, method, params);
        self.server.dispatch_checked(message, &self.inbound, check)
    }

    #[cfg(not(feature = "http"))]
    fn dispatch(&self, message: Message<'_>) -> Dispatch {
        self.server.dispatch(message, &self.inbound)
    }

    /// Checks that a request may start.
    fn admit(&self, id: &RequestId, method: &str) -> Result<(), ErrorObject> {
        // A tunnel may connect two clients. The server could not tell whose message a line is, so
        // one would get the revision, the questions and the subscriptions of the other.
        if method == INITIALIZE && self.inbound.session.is_some() {
            return Err(ErrorObject::invalid_request(
                "the session was initialized already: a connection serves one client, another one \
                 needs a process or connection of its own",
            ));
        }
        let running = self.in_flight.len();
        if running > 0 && self.in_flight.has(id) {
            return Err(ErrorObject::invalid_request(
                "a request with this id is still in flight",
            ));
        }
        if running >= self.server.limits.concurrent_requests {
            let error = "too many requests are in flight: retry later";
            return Err(ErrorObject::internal_error(error).retry_after(RETRY_SOON));
        }
        if self.server.stopping.is_set() {
            return Err(shutting_down());
        }
        Ok(())
    }

    fn send(&self, answer: &Answer, slot: Option<&BatchSlot>) {
        match slot {
            Some(slot) => slot.add(&answer.message),
            None => self.write_queue.append(&answer.message),
        }
    }
}

impl Drop for LineConnection {
    /// Ends the server's requests to the peer, because no response can arrive any more.
    fn drop(&mut self) {
        if let Some(session) = &self.inbound.session {
            session.pending.close(());
            session.end();
        }
    }
}

/// Polls a future once. Most handlers are ready at once; only the others need a task, which polls
/// them again.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// Drives a connection. Dropping it cancels all tasks and closes the write queue.
pub(crate) struct ConnectionDriver {
    server: Arc<Core>,
    write_queue: Arc<WriteQueue>,
    in_flight: Arc<InFlight>,
}

impl ConnectionDriver {
    /// Serves until the input ends or the server stops. Requests in flight have the grace time to
    /// finish. `output` must end when the write queue is closed and empty.
    pub(crate) async fn run(
        self,
        input: impl Future<Output = Result<(), ServeError>>,
        output: impl Future<Output = io::Result<()>>,
    ) -> Result<(), ServeError> {
        let mut output = pin!(output);
        tokio::select! {
            biased;
            worked = self.work(input) => worked?,
            written = &mut output => return Ok(written?),
        }
        self.write_queue.close();
        let grace = self.server.limits.grace_time;
        if let Ok(written) = timeout(grace, output).await {
            written?;
        } else {
            tracing::warn!(
                "dropped queued messages: the peer did not read them within the grace time"
            );
        }
        Ok(())
    }

    async fn work(
        &self,
        input: impl Future<Output = Result<(), ServeError>>,
    ) -> Result<(), ServeError> {
        let mut input = pin!(input);
        tokio::select! {
            biased;
            () = self.server.stopping() => {}
            read = &mut input => {
                read?;
                self.drain().await;
                return Ok(());
            }
        }
        // Reading continues, because handlers may wait for responses of the peer.
        tokio::select! {
            biased;
            () = self.wait_idle() => {}
            read = input => {
                read?;
                self.drain().await;
            }
        }
        Ok(())
    }

    /// Cancels subscriptions and waits for other requests, after the input has ended.
    async fn drain(&self) {
        self.in_flight.end_subscriptions();
        self.wait_idle().await;
    }

    async fn wait_idle(&self) {
        self.wait_idle_until(self.grace_ends()).await;
    }

    /// Returns the end of a grace time that starts now.
    pub(crate) fn grace_ends(&self) -> Instant {
        Instant::now() + self.server.limits.grace_time
    }

    /// Waits until `end` for tasks in flight, and then fails the remaining requests.
    pub(crate) async fn wait_idle_until(&self, end: Instant) {
        if timeout_at(end, self.in_flight.wait_idle()).await.is_err() {
            tracing::warn!("failed the requests that were in flight at the end of the grace time");
            let error = if self.server.stopping.is_set() {
                shutting_down()
            } else {
                ErrorObject::internal_error("the input has ended, and the grace time is over")
            };
            self.in_flight.fail_all(&error);
        }
    }
}

impl Drop for ConnectionDriver {
    fn drop(&mut self) {
        self.write_queue.close();
        self.in_flight.close();
    }
}
