//! Reads the gauges and counters of a server.

use crate::protocol::core::Core;
use crate::protocol::metrics::Metrics;

/// Returns a snapshot of the server's gauges and counters.
pub(crate) fn snapshot(core: &Core) -> Metrics {
    #[cfg(feature = "http")]
    let mut metrics = core.counters.snapshot();
    #[cfg(not(feature = "http"))]
    let mut metrics = Metrics::default();
    let usage = core.peers.all();
    metrics.requests_in_flight = usage.requests.get();
    metrics.subscriptions = usage.subscriptions.get();
    metrics.queued_bytes += usage.queued_bytes.get();
    metrics.operations = core.operations();
    metrics
}
