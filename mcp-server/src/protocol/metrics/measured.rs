//! Measures a request while it runs, and counts it when it ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use mcp_types::Revision;

use crate::protocol::core::{Context, Core};
use crate::protocol::metrics::operations::{Operation, OperationCounter, OperationOutcome};

/// The measurement of a request, a part of its [`Context`].
#[derive(Debug)]
pub(crate) struct Measured {
    started: Instant,
    /// The counter of the tool that the request calls.
    tool: OnceLock<Arc<OperationCounter>>,
    /// How a request ends whose response is a result. The index of an [`OperationOutcome`].
    result: AtomicUsize,
}

impl Measured {
    /// Starts the measurement.
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            tool: OnceLock::new(),
            result: AtomicUsize::new(OperationOutcome::Ok as usize),
        }
    }
}

impl Context {
    /// Counts this request for a tool, instead of for its method.
    pub(crate) fn measure_tool(&self, counter: &Arc<OperationCounter>) {
        // A request calls one tool.
        let _ = self.state.measured.tool.set(Arc::clone(counter));
    }

    /// Sets the outcome of this request in case that its response is a result.
    pub(crate) fn result_counts_as(&self, outcome: OperationOutcome) {
        let result = &self.state.measured.result;
        result.store(outcome as usize, Ordering::Relaxed);
    }

    /// Counts this request, whose response is a result.
    pub(crate) fn count_result(&self) {
        let result = self.state.measured.result.load(Ordering::Relaxed);
        let outcome = OperationOutcome::ALL.get(result).copied();
        self.count(outcome.unwrap_or(OperationOutcome::Ok));
    }

    /// Counts this request.
    pub(crate) fn count(&self, outcome: OperationOutcome) {
        let measured = &self.state.measured;
        let counter = match measured.tool.get() {
            Some(tool) => tool,
            None => self.core().operation(self.method(), self.revision()),
        };
        counter.ended(outcome, measured.started.elapsed());
    }
}

impl Core {
    /// Returns the counter of a method. All methods that the server does not have in the revision of
    /// the client share one.
    fn operation(&self, method: &str, revision: Revision) -> &OperationCounter {
        let routed = self.routed(method, revision);
        routed.map_or(&self.unknown_methods, |routed| &routed.operation)
    }

    /// Returns the counts of all methods and tools that were requested at least once.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let methods = self.routes.iter();
        let methods = methods.filter_map(|(method, routed)| routed.operation.read(method, None));
        let mut operations: Vec<Operation> = methods.collect();
        operations.extend(self.unknown_methods.read("", None));
        if let Some(tools) = &self.tools {
            operations.extend(tools.operations());
        }
        operations
    }
}
