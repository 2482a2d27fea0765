//! [`Measured`]: the measurement of a running request.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::protocol::metrics::operations::{OperationCounter, OperationOutcome};

/// The measurement of a request, a part of its [`Context`](crate::Context).
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

    /// Counts the request for a tool, instead of for its method.
    pub(crate) fn set_tool(&self, counter: &Arc<OperationCounter>) {
        // A request calls one tool.
        let _ = self.tool.set(Arc::clone(counter));
    }

    /// Returns the counter of the tool that the request calls.
    pub(crate) fn tool(&self) -> Option<&OperationCounter> {
        self.tool.get().map(|counter| &**counter)
    }

    /// Sets the outcome in case that the response is a result.
    pub(crate) fn set_result(&self, outcome: OperationOutcome) {
        self.result.store(outcome as usize, Ordering::Relaxed);
    }

    /// Returns the outcome of a request whose response is a result.
    pub(crate) fn result(&self) -> OperationOutcome {
        let result = self.result.load(Ordering::Relaxed);
        let outcome = OperationOutcome::ALL.get(result).copied();
        outcome.unwrap_or(OperationOutcome::Ok)
    }

    /// Counts the request, whose method has a counter of its own.
    pub(crate) fn count(&self, method: &OperationCounter, outcome: OperationOutcome) {
        let counter = self.tool().unwrap_or(method);
        counter.ended(outcome, self.started.elapsed());
    }
}
