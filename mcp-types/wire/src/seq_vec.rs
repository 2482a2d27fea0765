//! [`SeqVec`]: values with sequence numbers.

/// A list of values with increasing sequence numbers, which are never reused. Values are appended
/// at the end only, so the list is always sorted.
#[derive(Debug)]
pub struct SeqVec<T> {
    next: u64,
    all: Vec<(u64, T)>,
}

impl<T> Default for SeqVec<T> {
    fn default() -> Self {
        Self {
            next: 0,
            all: Vec::new(),
        }
    }
}

impl<T> SeqVec<T> {
    /// Appends a value and returns its number.
    pub fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.all.push((number, value));
        number
    }

    /// Removes a value.
    pub fn remove(&mut self, number: u64) -> Option<T> {
        let index = self.index(number).ok()?;
        Some(self.all.remove(index).1)
    }

    /// Removes the values that match, and returns them in their order.
    pub fn remove_if(&mut self, matches: impl Fn(&T) -> bool) -> impl Iterator<Item = T> {
        let removed = self.all.extract_if(.., move |(_, value)| matches(value));
        removed.map(|(_, value)| value)
    }

    /// Returns a value.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<&T> {
        Some(&self.all.get(self.index(number).ok()?)?.1)
    }

    /// Returns a value.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = self.index(number).ok()?;
        Some(&mut self.all.get_mut(index)?.1)
    }

    /// Returns all values with their numbers, and ends the list.
    #[must_use]
    pub fn into_all(self) -> Vec<(u64, T)> {
        self.all
    }

    /// Returns all values with their numbers.
    #[must_use]
    pub fn all(&self) -> &[(u64, T)] {
        &self.all
    }

    /// Returns the values whose number is at least `number`.
    #[must_use]
    pub fn from(&self, number: u64) -> &[(u64, T)] {
        let index = self.index(number).unwrap_or_else(|index| index);
        self.all.get(index..).unwrap_or_default()
    }

    fn index(&self, number: u64) -> Result<usize, usize> {
        self.all.binary_search_by_key(&number, |(known, _)| *known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_numbers_and_order() {
        let mut values = SeqVec::default();
        for value in ["a", "b", "c", "d", "e"] {
            values.push(value);
        }
        assert_eq!(values.remove(1), Some("b"));
        assert_eq!(values.remove(1), None);
        assert_eq!(values.get(2), Some(&"c"));
        assert_eq!(values.from(1), [(2, "c"), (3, "d"), (4, "e")]);
        let removed: Vec<_> = values.remove_if(|value| *value > "c").collect();
        assert_eq!(removed, ["d", "e"]);
        assert_eq!(["f", "g"].map(|value| values.push(value)), [5, 6]);
        assert_eq!(values.all(), [(0, "a"), (2, "c"), (5, "f"), (6, "g")]);
    }
}
