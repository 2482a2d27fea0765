//! [`SeqVec`]: values with sequence numbers.

/// A list of values with increasing sequence numbers, which are never reused. Values are appended
/// at the end only, so the list is always sorted.
pub(crate) struct SeqVec<T> {
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
    pub(crate) fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.all.push((number, value));
        number
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let index = self.index(number).ok()?;
        Some(self.all.remove(index).1)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        Some(&self.all.get(self.index(number).ok()?)?.1)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let index = self.index(number).ok()?;
        Some(&mut self.all.get_mut(index)?.1)
    }

    /// Returns all values with their numbers, and ends the list.
    pub(crate) fn into_all(self) -> Vec<(u64, T)> {
        self.all
    }

    /// Returns all values with their numbers.
    pub(crate) fn all(&self) -> &[(u64, T)] {
        &self.all
    }

    /// Returns the values whose number is at least `number`.
    pub(crate) fn from(&self, number: u64) -> &[(u64, T)] {
        let index = self.index(number).unwrap_or_else(|index| index);
        self.all.get(index..).unwrap_or_default()
    }

    fn index(&self, number: u64) -> Result<usize, usize> {
        self.all.binary_search_by_key(&number, |(known, _)| *known)
    }
}
