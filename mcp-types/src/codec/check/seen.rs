//! [`Seen`]: the parts of a value about which a keyword said something.

/// The elements of a list, or the members of an object, by their positions.
#[derive(Clone, Default)]
pub(super) struct Seen(Vec<bool>);

impl Seen {
    pub(super) fn note(&mut self, at: usize) {
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        self.0[at] = true;
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// Adds the parts that were seen for the same value.
    pub(super) fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), false);
        }
        for (place, other) in self.0.iter_mut().zip(&other.0) {
            *place |= other;
        }
    }
}
