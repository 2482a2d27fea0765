//! [`Transport`]: a connection to a server that can be opened.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::connection::{Connection, MessageSender};
use super::error::TransportError;
use super::limits::Limits;

/// Connects a client to a server: [`ByteStream`](crate::ByteStream), `ChildProcess` (feature
/// `process`), `Http` (feature `http`). Only this crate implements it.
pub trait Transport: OpenTransport + Send {}

impl<T: OpenTransport + Send> Transport for T {}

/// The hidden part of [`Transport`].
pub trait OpenTransport {
    /// Prepares the transport without sending anything to the server.
    ///
    /// # Errors
    ///
    /// The configuration is invalid, or a process cannot be started.
    fn open(self, limits: &Limits) -> Result<OpenedTransport, TransportError>;
}

/// A transport that is ready for use.
pub struct OpenedTransport {
    pub(crate) sender: Arc<dyn MessageSender>,
    /// Receives messages until the connection ends. It ends by itself, in bounded time, after a
    /// [shutdown was requested](super::connection::connection_state::ConnectionState::shutdown_requested).
    /// Dropping it releases everything.
    pub(crate) driver: Driver,
}

pub(crate) type Driver = Box<dyn FnOnce(Arc<Connection>) -> DriverFuture + Send>;
pub(crate) type DriverFuture = Pin<Box<dyn Future<Output = ()> + Send>>;
