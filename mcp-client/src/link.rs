//! [`Link`]: how messages get to a server.

use std::future::Future;
use std::pin::Pin;

use crate::error::TransportError;

/// A future in a box, so that links can be trait objects.
pub(crate) type Sending<'a> = Pin<Box<dyn Future<Output = Result<(), TransportError>> + Send + 'a>>;

/// The way to a server. What comes back is handed to the [core](crate::core::Core).
pub(crate) trait Link: Send + Sync {
    /// Sends a message. Waits where the server does not read.
    fn send(&self, message: Vec<u8>) -> Sending<'_>;

    /// Sends a message that must not wait, such as the news that a call was given up.
    fn send_now(&self, message: Vec<u8>);
}
