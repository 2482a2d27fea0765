//! [`Server::until`]: shutting down with a signal.

use std::future::Future;
use std::pin::pin;

use crate::protocol::core::Server;
use crate::util::select::{Either, race};

impl Server {
    /// Drives `serving` to its end, and shuts the server down when `signal` resolves.
    ///
    /// `serving` is what serves this server, on whatever way: it ends some time after
    /// [`shutdown`](Self::shutdown). What the signal resolves to does not matter. Where `serving`
    /// ends by itself, the signal is dropped.
    ///
    /// ```no_run
    /// # async fn run(server: mcp_server::Server) -> Result<(), mcp_server::ServeError> {
    /// server.until(tokio::signal::ctrl_c(), server.serve_stdio()).await
    /// # }
    /// ```
    pub async fn until<T>(&self, signal: impl Future, serving: impl Future<Output = T>) -> T {
        let mut serving = pin!(serving);
        match race(serving.as_mut(), signal).await {
            Either::First(served) => served,
            Either::Second(_) => {
                self.shutdown();
                serving.await
            }
        }
    }
}
