//! [`MessageSink`]: where messages to the peer go.

use std::future::Future;
use std::pin::Pin;

/// What became of a message given to an [`MessageSink`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrySend {
    /// It stands in line.
    Queued,
    /// There is no room; wait for [`MessageSink::room`] and try again.
    Full,
    /// The peer is gone.
    Closed,
}

/// The ordered, bounded way to the peer: the connection's on a pair of byte streams, the
/// request's own over HTTP. What is pushed before a request is answered leaves before the answer.
pub(crate) trait MessageSink: Send + Sync {
    /// Takes one whole message, without a line break.
    fn push(&self, message: &[u8]) -> TrySend;

    /// Resolves when there may be room, or the peer is gone.
    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Lets go of the connection where the peer can come back for the rest.
    fn detach(&self) {}

    /// Waits for room and pushes. `false` where the peer is gone.
    fn send<'a>(&'a self, message: &'a [u8]) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move {
            loop {
                match self.push(message) {
                    TrySend::Queued => return true,
                    TrySend::Closed => return false,
                    TrySend::Full => self.room().await,
                }
            }
        })
    }
}
