//! The bounds that a server has to keep.

use std::fmt;
use std::time::Duration;

use crate::round::Measured;

/// The p99 of good calls may be this many times its quiet value,
const P99_FACTOR: u32 = 10;
/// or this long, if that is longer.
const P99: Duration = Duration::from_millis(50);
/// The longest time that a good call may wait.
const BLOCKED: Duration = Duration::from_millis(100);
/// Bytes that may remain in memory after an attack in addition to those before it.
pub(crate) const MEMORY: u64 = 64 << 20;

/// A broken bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    Blocked,
    P99,
    Memory,
    Unanswered,
}

impl Breach {
    /// Returns all bounds that the server broke.
    pub(crate) fn of(measured: &Measured) -> Vec<Self> {
        let p99 = P99.max(measured.quiet * P99_FACTOR);
        let grown = measured
            .memory
            .is_some_and(|memory| memory.after > memory.before + MEMORY);
        let broken = [
            (measured.blocked > BLOCKED, Self::Blocked),
            (measured.p99 >= p99, Self::P99),
            (grown, Self::Memory),
            (measured.failed > 0, Self::Unanswered),
        ];
        let broken = broken.into_iter().filter(|(is_broken, _)| *is_broken);
        broken.map(|(_, breach)| breach).collect()
    }

    /// Returns `true` if bounds were broken, all of them bounds of time.
    pub(crate) fn is_only_of_time(measured: &Measured) -> bool {
        let broken = Self::of(measured);
        let is_time = |breach: &Self| matches!(breach, Self::Blocked | Self::P99);
        !broken.is_empty() && broken.iter().all(is_time)
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blocked => "blocked",
            Self::P99 => "p99",
            Self::Memory => "memory",
            Self::Unanswered => "unanswered",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Breach;
    use crate::round::{Measured, Memory};

    fn measured() -> Measured {
        Measured {
            quiet: Duration::from_millis(1),
            p99: Duration::from_millis(49),
            blocked: Duration::from_millis(100),
            memory: Some(Memory {
                before: 10 << 20,
                peak: 900 << 20,
                after: 74 << 20,
            }),
            calls: 100,
            failed: 0,
            fault: None,
            tally: String::new(),
        }
    }

    #[test]
    fn bounds_that_are_kept_are_no_breach() {
        assert_eq!(Breach::of(&measured()), []);
        let mut noisy = measured();
        noisy.quiet = Duration::from_millis(9);
        noisy.p99 = Duration::from_millis(89);
        assert_eq!(Breach::of(&noisy), []);
    }

    #[test]
    fn each_broken_bound_is_a_breach() {
        let mut broken = measured();
        broken.p99 = Duration::from_millis(50);
        broken.blocked += Duration::from_millis(1);
        broken.failed = 1;
        broken.memory = broken.memory.map(|memory| Memory {
            after: memory.after + 1,
            ..memory
        });
        let all = [
            Breach::Blocked,
            Breach::P99,
            Breach::Memory,
            Breach::Unanswered,
        ];
        assert_eq!(Breach::of(&broken), all);
    }

    #[test]
    fn only_bounds_of_time_may_be_measured_again() {
        let mut late = measured();
        assert!(!Breach::is_only_of_time(&late));
        late.blocked += Duration::from_millis(1);
        assert!(Breach::is_only_of_time(&late));
        late.failed = 1;
        assert!(!Breach::is_only_of_time(&late));
    }
}
