//! The measurements of good clients.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::sampler::Samples;

/// A call.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// When it was due.
    due: Instant,
    latency: Duration,
    /// How long the client itself waited for a processor meanwhile.
    waited: Duration,
}

/// Calls with their latencies, and the errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    calls: Vec<Call>,
    failed: usize,
    /// Error messages, with the number of times each occurred.
    faults: BTreeMap<String, usize>,
}

impl Record {
    pub(super) fn add(&mut self, due: Instant, latency: Duration, waited: Duration) {
        self.calls.push(Call {
            due,
            latency,
            waited,
        });
    }

    pub(crate) fn fail(&mut self, cause: String) {
        self.failed += 1;
        *self.faults.entry(cause).or_default() += 1;
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.failed += other.failed;
        for (cause, count) in other.faults {
            *self.faults.entry(cause).or_default() += count;
        }
    }

    /// Calls without a good response.
    pub(crate) fn failed(&self) -> usize {
        self.failed
    }

    /// The most frequent cause of failure.
    pub(crate) fn fault(&self) -> Option<&str> {
        let worst = self.faults.iter().max_by_key(|(_, count)| **count);
        worst.map(|(cause, _)| cause.as_str())
    }

    /// Latencies in ascending order, without the time for which the machine let the client or the
    /// server wait for a processor.
    pub(crate) fn latencies(&self, samples: &Samples) -> Latencies {
        let mut all: Vec<Duration> = self
            .calls
            .iter()
            .map(|call| {
                let server = samples.wait(call.due, call.due + call.latency);
                call.latency.saturating_sub(call.waited + server)
            })
            .collect();
        all.sort_unstable();
        Latencies(all)
    }
}

/// Latencies in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn p99(&self) -> Duration {
        // The last element, if there are fewer than a hundred.
        let place = (self.0.len() * 99).div_ceil(100).saturating_sub(1);
        self.0.get(place).copied().unwrap_or_default()
    }

    pub(crate) fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Latencies;

    #[test]
    fn p99_is_exceeded_by_one_call_in_a_hundred() {
        let latencies = Latencies((1..=200).map(Duration::from_millis).collect());
        assert_eq!(latencies.p99(), Duration::from_millis(198));
        let few = Latencies((1..=20).map(Duration::from_millis).collect());
        assert_eq!(few.p99(), Duration::from_millis(20));
        assert_eq!(Latencies::default().p99(), Duration::ZERO);
    }
}
