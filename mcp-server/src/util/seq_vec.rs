//! [`SeqVec`]: values in the order in which they came, by numbers.

/// Values by numbers that are given out upwards and never twice. Since they only ever come at the
/// end, a plain list is in order.
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
    /// Adds a value at the end.
    pub(crate) fn push(&mut self, value: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.all.push((number, value));
        number
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let place = self.place(number).ok()?;
        Some(self.all.remove(place).1)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        Some(&self.all.get(self.place(number).ok()?)?.1)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let place = self.place(number).ok()?;
        Some(&mut self.all.get_mut(place)?.1)
    }

    /// Returns all of them, with their numbers.
    pub(crate) fn into_all(self) -> Vec<(u64, T)> {
        self.all
    }

    /// All of them, with their numbers.
    pub(crate) fn all(&self) -> &[(u64, T)] {
        &self.all
    }

    /// Those from a number on, whether it is still there or not.
    pub(crate) fn from(&self, number: u64) -> &[(u64, T)] {
        let place = self.place(number).unwrap_or_else(|place| place);
        self.all.get(place..).unwrap_or_default()
    }

    fn place(&self, number: u64) -> Result<usize, usize> {
        self.all.binary_search_by_key(&number, |(known, _)| *known)
    }
}
