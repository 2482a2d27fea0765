//! Counts requests when they end, and reads all gauges and counters of a server.

use mcp_types::Revision;

use crate::protocol::core::{Context, Core};
use crate::protocol::metrics::Metrics;
use crate::protocol::metrics::operations::{Operation, OperationCounter, OperationOutcome};

impl Context {
    /// Counts this request, whose response is a result.
    pub(crate) fn count_result(&self) {
        self.count(self.state.measured.result());
    }

    /// Counts this request.
    pub(crate) fn count(&self, outcome: OperationOutcome) {
        let method = self.core().operation(self.method(), self.revision());
        self.state.measured.count(method, outcome);
    }
}

impl Core {
    /// Returns the counter of a method. All methods that the server does not have in the revision
    /// of the client share one.
    fn operation(&self, method: &str, revision: Revision) -> &OperationCounter {
        let routed = self.routed(method, revision);
        routed.map_or(&self.unknown_methods, |routed| &routed.operation)
    }

    /// Returns the counts of all methods and tools that were requested at least once.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let methods = self.routes.requests.iter();
        let methods = methods.filter_map(|(method, routed)| routed.operation.read(method, None));
        let mut operations: Vec<Operation> = methods.collect();
        operations.extend(self.unknown_methods.read("", None));
        if let Some(tools) = &self.routes.tools {
            operations.extend(tools.operations());
        }
        operations
    }
}

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
