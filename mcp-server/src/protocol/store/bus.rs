//! [`Bus`]: messages between the processes that serve one endpoint.

use super::error::StoreFuture;

/// Sends messages between the processes that serve one endpoint: changes that their clients
/// subscribed to, responses and cancellations of clients whose request another process serves, ends
/// of sessions, and revoked URLs.
///
/// A bus is a log: every process reads all messages, in the order in which they were published. It
/// keeps messages for at least a minute, so that a process whose connection was cut misses none,
/// and bounds how many it keeps.
pub trait Bus: Send + Sync + 'static {
    /// Appends a message. Once the future is ready, every process that reads will receive it.
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()>;

    /// Waits for messages after a position, and returns them. Without a position, returns the end
    /// of the log at once.
    ///
    /// An implementation that has waited for some seconds returns a page without messages. A page
    /// has at most some hundred messages, and ends with the message with which it has
    /// [`BusPage::BYTES`], so that a reader who is far behind needs little memory, and gets it in
    /// time.
    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage>;
}

/// Messages of a [`Bus`].
#[derive(Clone, Default)]
pub struct BusPage {
    /// The messages, in order.
    pub messages: Vec<Vec<u8>>,
    /// The position after these messages, in a form that only the bus knows.
    pub position: String,
    /// Whether messages between the requested position and these were removed before they were
    /// read.
    pub missed: bool,
}

impl BusPage {
    /// The size in bytes at which a page ends: the sum of its messages, of which the last one may be
    /// larger.
    pub const BYTES: usize = 4 << 20;
}

impl std::fmt::Debug for BusPage {
    /// Does not show the messages, which contain ids of sessions and answers of users.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BusPage")
            .field("messages", &self.messages.len())
            .field("position", &self.position)
            .field("missed", &self.missed)
            .finish()
    }
}
