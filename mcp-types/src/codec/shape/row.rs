//! [`Row`]: a candidate of a union, prepared for the search.

use super::super::guard::{Guard, Refused};
use super::plan::Bits;

/// The maximum number of guards of a candidate.
pub(super) const GUARDS: usize = 2;

/// A candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) conditions: Bits,
    /// Whether the decoder accepts objects that do not meet the conditions.
    pub(super) has_hint: bool,
    pub(super) unless: &'static [&'static str],
    /// The earlier candidates that require one of the members in `unless`. An object of such a candidate
    /// rarely meets the conditions of this one, so that its members seldom have to be decoded twice.
    pub(super) covered: Bits,
    /// Values that earlier candidates require.
    pub(super) guards: [Guard; GUARDS],
    /// The candidates that each guard excludes, without those that `covered` or an earlier guard has.
    pub(super) guarded: [Bits; GUARDS],
}

impl Row {
    pub(super) const EMPTY: Self = Self {
        name: "",
        conditions: 0,
        has_hint: false,
        unless: &[],
        covered: 0,
        guards: [Guard {
            member: "",
            refused: Refused::Strings(&[]),
        }; GUARDS],
        guarded: [0; GUARDS],
    };

    /// Returns the guards that together exclude all of these candidates. Returns `None` if there is no guard
    /// for one of them.
    pub(super) fn guards_against(&self, candidates: Bits) -> Option<&[Guard]> {
        let mut left = candidates;
        let (mut start, mut end) = (0, 0);
        for (at, guarded) in self.guarded.iter().enumerate() {
            if left & guarded != 0 {
                left &= !guarded;
                if end == 0 {
                    start = at;
                }
                end = at + 1;
            }
        }
        self.guards.get(start..end).filter(|_| left == 0)
    }
}
