//! [`Server::metrics`].

use crate::protocol::core::metrics::snapshot;
use crate::protocol::metrics::Metrics;
use crate::server::handle::Server;

impl Server {
    /// Returns a snapshot of the server's gauges and counters.
    ///
    /// To serve it as text, see [`HttpConfig::metrics_path`](crate::HttpConfig::metrics_path).
    ///
    /// ```
    /// use mcp_server::{RefusalCause, Server};
    ///
    /// let server = Server::builder("demo", "1.0.0").build()?;
    /// let metrics = server.metrics();
    /// assert_eq!(metrics.requests, 0);
    /// assert_eq!(metrics.refusals.count(RefusalCause::Host), 0);
    /// println!("{}", metrics.to_open_metrics());
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        snapshot(&self.core)
    }
}
