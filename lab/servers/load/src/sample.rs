//! A single measurement, and medians of several.

use std::time::Duration;

/// The measurement of one server under one load.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) requests: u64,
    /// Responses that were wrong or missing.
    pub(crate) errors: u64,
    pub(crate) time: Duration,
    /// The processor time of the server's threads.
    pub(crate) server_cpu: Duration,
    /// The processor time of the load generator.
    pub(crate) own_cpu: Duration,
    /// The median latency, if one request is in flight at a time.
    pub(crate) latency: Option<Duration>,
}

impl Sample {
    /// Requests per second.
    pub(crate) fn rate(&self) -> f64 {
        number(self.requests) / self.time.as_secs_f64()
    }

    /// Microseconds of processor time per request.
    pub(crate) fn cost(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / number(self.requests.max(1))
    }

    /// Returns `true` if the load generator was busy all the time, so that it measured itself.
    pub(crate) fn is_load_bound(&self) -> bool {
        let share = self.own_cpu.as_secs_f64() / self.time.as_secs_f64();
        self.latency.is_none() && share > 0.95
    }
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// After its start.
    pub(crate) idle: u64,
    /// At its peak.
    pub(crate) peak: u64,
}

/// Converts a count to a float. No measured count is large enough to lose precision.
pub(crate) fn number(count: u64) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// Returns the median; for an even number of values, the mean of the two in the middle.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (
        values.get(values.len().checked_sub(1)? / 2)?,
        values.get(values.len() / 2)?,
    );
    Some(f64::midpoint(*low, *high))
}
