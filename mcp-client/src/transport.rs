//! The ways to a server.

#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "process")]
mod process;
mod stream;
mod write_queue;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::protocol::connection::Core;
use crate::protocol::error::TransportError;
use crate::protocol::limits::Limits;
use crate::protocol::link::Link;

#[cfg(feature = "process")]
pub use process::{ChildProcess, Restart, Stderr};
pub use stream::ByteStream;

/// A way to a server: [`ByteStream`], `ChildProcess` (feature `process`), `Http` (feature `http`).
/// Only this crate implements it.
pub trait Transport: Open + Send {}

impl<T: Open + Send> Transport for T {}

/// What [`Transport`] needs, out of reach.
pub trait Open {
    /// Makes ready what can be without a word to the server.
    ///
    /// # Errors
    ///
    /// Where the way is none.
    fn open(self, limits: &Limits) -> Result<Opened, TransportError>;
}

/// A link and what moves messages on it.
pub struct Opened {
    pub(crate) link: Arc<dyn Link>,
    /// Ends when the connection does, and by itself, in bounded time, when
    /// [`Life::closing`](crate::protocol::connection_state::Life::closing) does. Dropped, it leaves nothing behind.
    pub(crate) run: Run,
}

pub(crate) type Run = Box<dyn FnOnce(Arc<Core>) -> Running + Send>;
pub(crate) type Running = Pin<Box<dyn Future<Output = ()> + Send>>;
