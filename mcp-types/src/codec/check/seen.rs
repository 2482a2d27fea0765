//! [`Seen`]: the parts of a value about which a keyword said something.

use super::super::Value;

/// The elements of a list, or the members of an object, by their positions.
pub(super) struct Seen(Vec<bool>);

impl Seen {
    /// Nothing was said about any part.
    pub(super) fn of(value: &Value) -> Self {
        Self(vec![
            false;
            match value {
                Value::Array(items) => items.len(),
                Value::Object(object) => object.len(),
                _ => 0,
            }
        ])
    }

    pub(super) fn note(&mut self, at: usize) {
        if let Some(place) = self.0.get_mut(at) {
            *place = true;
        }
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// Adds the parts that were seen for the same value.
    pub(super) fn add(&mut self, other: &Self) {
        for (place, other) in self.0.iter_mut().zip(&other.0) {
            *place |= other;
        }
    }
}
