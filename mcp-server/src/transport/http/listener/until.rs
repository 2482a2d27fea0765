//! [`HttpServer::until`]: serves until a signal.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use crate::protocol::error::ServeError;
use crate::transport::http::listener::serve::HttpServer;

impl HttpServer {
    /// Serves until `signal` resolves, then shuts down gracefully.
    ///
    /// The signal has the effect of [`Server::shutdown`](crate::Server::shutdown): streams end, and
    /// requests in flight have [`Limits::grace_time`](field@crate::Limits::grace_time) to finish.
    /// Resolves when the shutdown is complete. The output of the signal is ignored.
    ///
    /// ```no_run
    /// # async fn run(server: mcp_server::Server) -> Result<(), mcp_server::ServeError> {
    /// let http = server.serve_http("127.0.0.1:3000")?;
    /// http.until(tokio::signal::ctrl_c()).await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] if the socket cannot be used.
    pub async fn until(self, signal: impl Future) -> Result<(), ServeError> {
        let core = Arc::clone(self.server());
        let mut serving = pin!(self);
        tokio::select! {
            biased;
            served = &mut serving => served,
            _ = signal => {
                core.shut_down();
                serving.await
            }
        }
    }
}
