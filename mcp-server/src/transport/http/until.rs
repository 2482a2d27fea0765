//! [`HttpServer::until`]: serving until a signal.

use crate::util::select::Either;
use crate::util::select::select;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use super::serve::HttpServer;
use crate::protocol::error::ServeError;

impl HttpServer {
    /// Serves until `signal` resolves, then shuts the server down in good order.
    ///
    /// The signal calls [`Server::shutdown`](crate::Server::shutdown): streams end, and requests in
    /// flight have [`Limits::grace_time`](crate::Limits) to finish. Resolves when all is done. What
    /// the signal resolves to does not matter.
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
    /// [`ServeError::Io`] where the socket cannot be used.
    pub async fn until(self, signal: impl Future) -> Result<(), ServeError> {
        let core = Arc::clone(self.server());
        let mut serving = pin!(self);
        match select(serving.as_mut(), signal).await {
            Either::First(served) => served,
            Either::Second(_) => {
                core.stopping.set();
                serving.await
            }
        }
    }
}
