//! The few random choices that everything else is made of.

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

/// The generator of a test run, so that a seed reproduces what was drawn.
pub(crate) struct Dice<'a>(pub(crate) &'a mut TestRng);

impl Dice<'_> {
    /// A number below `sides`; 0 when there are none.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        let sides = u64::try_from(sides).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.0.next_u64() % sides).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// When there is nothing to choose from.
    pub(crate) fn pick<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }

    /// Any 64 bits, read as a signed number.
    pub(crate) fn bits(&mut self) -> i64 {
        self.0.next_u64().cast_signed()
    }
}
