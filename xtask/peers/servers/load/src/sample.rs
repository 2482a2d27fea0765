//! What one measurement says, and what many say together.

use std::time::Duration;

/// One server under one load for a while.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) requests: u64,
    /// Answers that were wrong or did not come.
    pub(crate) errors: u64,
    pub(crate) time: Duration,
    /// What the server's threads used of their processors.
    pub(crate) server_cpu: Duration,
    /// What the load used of its own.
    pub(crate) own_cpu: Duration,
    /// The time of the median request, where one is under way at a time.
    pub(crate) latency: Option<Duration>,
}

impl Sample {
    /// Requests a second.
    pub(crate) fn rate(&self) -> f64 {
        number(self.requests) / self.time.as_secs_f64()
    }

    /// Microseconds of a processor for a request.
    pub(crate) fn cost(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / number(self.requests.max(1))
    }

    /// Whether the load had no time left, so that it measured itself.
    pub(crate) fn is_of_the_load(&self) -> bool {
        let share = self.own_cpu.as_secs_f64() / self.time.as_secs_f64();
        self.latency.is_none() && share > 0.95
    }
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// After its start.
    pub(crate) idle: u64,
    /// At its worst.
    pub(crate) peak: u64,
}

/// A count for calculations. None that is measured here is as large as the largest one.
pub(crate) fn number(count: u64) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// The one in the middle; of two, what is between them.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    let (low, high) = (
        values.get(values.len().checked_sub(1)? / 2)?,
        values.get(values.len() / 2)?,
    );
    Some(f64::midpoint(*low, *high))
}
