//! The ways to a server.

#[cfg(feature = "process")]
mod process;
mod queue;
mod stream;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::core::Core;
use crate::error::TransportError;
use crate::limits::Limits;
use crate::link::Link;

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
    /// [`Life::closing`](crate::life::Life::closing) does. Dropped, it leaves nothing behind.
    pub(crate) run: Run,
}

pub(crate) type Run = Box<dyn FnOnce(Arc<Core>) -> Running + Send>;
pub(crate) type Running = Pin<Box<dyn Future<Output = ()> + Send>>;
