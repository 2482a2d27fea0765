//! [`Server::serve_router`]: serves an application in axum, and shuts it down without losing
//! requests.

use std::future::Future;
use std::net::SocketAddr;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::transport::http::listener::connection::shutdown_write_time;

impl Server {
    /// Serves an application in axum that contains the endpoint of this server, and shuts both down
    /// when `signal` resolves.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server, terminated};
    ///
    /// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let app = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "Hello!"))
    ///     .merge(server.clone().into_router("/mcp", HttpConfig::new()));
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// server.serve_router(listener, app, terminated()?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The signal, whose output does not matter, has the effect of [`shutdown`](Self::shutdown),
    /// which has that of the signal as well. Requests in flight, also those for other routes, have
    /// [`Limits::grace_time`](crate::Limits) to finish. If processes share a
    /// [store](crate::ServerBuilder::store), the socket is closed at once, so that a load balancer
    /// goes on to the others. Otherwise connections are accepted until no request of the server is
    /// in flight: handlers may wait for answers that clients send on new connections.
    ///
    /// Resolves when all connections are closed and [tasks](crate::guide::tasks) have ended or were
    /// handed over, at most [`Limits::store_time`](crate::Limits) and a second after the grace
    /// time. Connections that are still open then are left to the runtime.
    ///
    /// In an application with several servers, the others have to be shut down as well: call their
    /// [`shutdown`](Self::shutdown) when the signal resolves, and await their
    /// [`drain`](Self::drain) after this.
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] if the socket cannot be used.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with IO and time enabled.
    pub async fn serve_router(
        &self,
        listener: TcpListener,
        router: Router,
        signal: impl Future,
    ) -> Result<(), ServeError> {
        let server = self.clone();
        let accepting_ends = async move {
            server.core.stopping().await;
            if !server.core.stores.connect_processes() {
                server.requests_ended().await;
            }
        };
        // As the server's own listener: events have to arrive at once.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "cannot set TCP_NODELAY");
            }
        });
        let app = router.into_make_service_with_connect_info::<SocketAddr>();
        let serving = axum::serve(listener, app).with_graceful_shutdown(accepting_ends);
        let serving = async {
            // axum waits for each connection, however slow its client is.
            let limit = async {
                self.core.grace_over().await;
                sleep(shutdown_write_time(self.limits())).await;
            };
            tokio::select! {
                biased;
                result = serving => result,
                () = limit => {
                    tracing::warn!("connections are open after the grace time");
                    Ok(())
                }
            }
        };
        self.until(signal, serving).await?;
        self.core.background_ended().await;
        Ok(())
    }
}
