//! Counts and durations of requests, by method and tool, on every transport.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The upper bounds of the buckets of [`Operation::buckets`], in seconds. They are those that the
/// conventions of OpenTelemetry recommend for the protocol.
pub(crate) const BOUNDS: [f64; 14] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum OperationOutcome {
    /// The response is a result.
    Ok,
    /// The result asks the client for input. The client sends the request again with the answers.
    InputRequired,
    /// The tool failed: its result has `isError`.
    ToolError,
    /// The response is an error.
    Error,
    /// The client cancelled the request, or its connection ended before the response.
    Cancelled,
}

/// The number of outcomes.
const OUTCOMES: usize = 5;

impl OperationOutcome {
    /// All outcomes with their names, each at the index of its discriminant.
    const ALL: [(Self, &'static str); OUTCOMES] = [
        (Self::Ok, "ok"),
        (Self::InputRequired, "input_required"),
        (Self::ToolError, "tool_error"),
        (Self::Error, "error"),
        (Self::Cancelled, "cancelled"),
    ];

    /// Returns the name of the outcome in the text format, such as `tool_error`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        Self::ALL.get(*self as usize).map_or("", |(_, name)| name)
    }
}

/// The requests of one method, or the calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// The method; empty for methods that the server does not have.
    pub method: String,
    /// The tool that was called. `None` for other methods, and for calls of unknown tools.
    pub tool: Option<String>,
    /// The time from the arrival of the requests to their responses, added up.
    pub total_time: Duration,
    outcomes: [u64; OUTCOMES],
    buckets: [u64; BOUNDS.len() + 1],
}

impl Operation {
    /// Returns the number of requests that have ended.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Returns the number of requests with an outcome.
    #[must_use]
    pub fn count(&self, outcome: OperationOutcome) -> u64 {
        self.outcomes.get(outcome as usize).copied().unwrap_or(0)
    }

    /// Iterates over all outcomes, including those with the number 0.
    pub fn outcomes(&self) -> impl Iterator<Item = (OperationOutcome, u64)> + '_ {
        let outcomes = OperationOutcome::ALL
            .into_iter()
            .map(|(outcome, _)| outcome);
        outcomes.zip(self.outcomes.iter().copied())
    }

    /// Iterates over the buckets of the histogram of durations: the upper bound in seconds, and the
    /// number of requests that took at most that long. The last bound is infinite.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
        bounds.zip(self.buckets.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }))
    }
}

/// The tools of a server. Implemented by the feature, which the protocol does not know.
pub(crate) trait Tools: Send + Sync {
    /// Returns `true` if the server has a tool of this name.
    fn contains(&self, name: &str) -> bool;

    /// Returns the list of tools, for extensions that know its type.
    #[cfg(feature = "tasks")]
    fn as_any(&self) -> &dyn std::any::Any;

    /// Returns the name of the tool with this counter.
    fn name_of(&self, counter: &OperationCounter) -> Option<String>;

    /// Returns the counts of all tools that were called at least once.
    fn operations(&self) -> Vec<Operation>;
}

/// Counts the requests of one method or tool.
#[derive(Debug, Default)]
pub(crate) struct OperationCounter {
    outcomes: [AtomicU64; OUTCOMES],
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

impl OperationCounter {
    /// Counts a request that ended.
    pub(crate) fn ended(&self, outcome: OperationOutcome, time: Duration) {
        let seconds = time.as_secs_f64();
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        for (count, value) in [
            (self.outcomes.get(outcome as usize), 1),
            (self.buckets.get(bucket), 1),
            (Some(&self.nanoseconds), nanoseconds),
        ] {
            if let Some(count) = count {
                count.fetch_add(value, Ordering::Relaxed);
            }
        }
    }

    /// Returns the counts; `None` if nothing was counted yet.
    pub(crate) fn read(&self, method: &str, tool: Option<&str>) -> Option<Operation> {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let operation = Operation {
            method: method.to_owned(),
            tool: tool.map(str::to_owned),
            total_time: Duration::from_nanos(load(&self.nanoseconds)),
            outcomes: self.outcomes.each_ref().map(load),
            buckets: self.buckets.each_ref().map(load),
        };
        (operation.total() > 0).then_some(operation)
    }
}

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
        let outcome = OperationOutcome::ALL.get(result);
        outcome.map_or(OperationOutcome::Ok, |(outcome, _)| *outcome)
    }

    /// Counts the request, whose method has a counter of its own.
    pub(crate) fn count(&self, method: &OperationCounter, outcome: OperationOutcome) {
        let counter = self.tool().unwrap_or(method);
        counter.ended(outcome, self.started.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_of_each_outcome_is_its_position() {
        for (at, (outcome, _)) in OperationOutcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, at, "{outcome:?}");
        }
    }

    #[test]
    fn duration_equal_to_a_bound_belongs_to_its_bucket() {
        let counter = OperationCounter::default();
        for milliseconds in [0, 10, 11, 300_000, 300_001] {
            counter.ended(OperationOutcome::Ok, Duration::from_millis(milliseconds));
        }
        let operation = counter.read("m", None).expect("it counted");
        let buckets: Vec<(f64, u64)> = operation.buckets().collect();
        assert_eq!(buckets[..2], [(0.01, 2), (0.02, 3)]);
        assert_eq!(buckets[13..], [(300.0, 4), (f64::INFINITY, 5)]);
        assert_eq!(operation.total(), 5);
    }
}
