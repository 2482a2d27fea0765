//! Reads the gauges and counters of a server.

use crate::protocol::core::Core;
use crate::protocol::metrics::Metrics;

/// Returns a snapshot of the server's gauges and counters.
pub(crate) fn snapshot(core: &Core) -> Metrics {
    #[cfg(feature = "http")]
    let metrics = of_http(core);
    #[cfg(not(feature = "http"))]
    let metrics = Metrics::default();
    let usage = core.peers.all();
    Metrics {
        subscriptions: usage.subscriptions.get(),
        operations: core.operations(),
        store: core.stores.metrics(),
        ..metrics
    }
}

#[cfg(feature = "http")]
fn of_http(core: &Core) -> Metrics {
    let mut metrics = core.counters.snapshot();
    let usage = core.peers.all();
    metrics.requests_in_flight = usage.requests.get();
    metrics.queued_bytes += usage.queued_bytes.get();
    metrics
}
