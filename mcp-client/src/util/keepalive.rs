//! Times of TCP keep-alive, which detects that a server has vanished.

use std::time::Duration;

/// How long a connection is silent before the system sends the first probe.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(60);

/// How long the system waits for a response before it sends the next probe.
pub(crate) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
