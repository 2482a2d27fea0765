//! The random choices on which all generators are based.

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// The random generator of a test run. A seed reproduces the generated values.
pub(crate) struct RandomSource<'a>(pub(crate) &'a mut TestRng);

impl RandomSource<'_> {
    /// Returns a number below `sides`, or 0 if `sides` is 0.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        let sides = u64::try_from(sides).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.0.next_u64() % sides).unwrap_or(0)
    }

    /// Returns `true` in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `choices`.
    ///
    /// # Panics
    ///
    /// Panics if `choices` is empty.
    pub(crate) fn pick<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }

    /// Returns any 64 bits as a signed number.
    pub(crate) fn bits(&mut self) -> i64 {
        self.0.next_u64().cast_signed()
    }
}
