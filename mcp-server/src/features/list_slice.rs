//! [`Slice`]: consecutive items of a list.

/// Consecutive items of a list.
pub(crate) struct Slice<I> {
    pub(crate) items: Vec<I>,
    /// The position of the last item.
    pub(crate) last: Option<u64>,
    /// `true` if more items follow.
    pub(crate) more: bool,
    /// `true` if other callers may see other items.
    pub(crate) restricted: bool,
}

impl<I> Slice<I> {
    /// Creates a slice without items.
    pub(crate) fn new(restricted: bool) -> Self {
        Self {
            items: Vec::new(),
            last: None,
            more: false,
            restricted,
        }
    }

    /// Creates a slice with the first `size` of the items, which have positions.
    pub(crate) fn of(items: impl Iterator<Item = (u64, I)>, size: usize, restricted: bool) -> Self {
        let mut slice = Self::new(restricted);
        for (position, item) in items {
            if !slice.add(position, item, size) {
                break;
            }
        }
        slice
    }

    /// Adds the next item. Returns `false` if the slice has `size` items already, and remembers that
    /// more items follow.
    pub(crate) fn add(&mut self, position: u64, item: I, size: usize) -> bool {
        let fits = self.items.len() < size;
        self.more = !fits;
        if fits {
            self.last = Some(position);
            self.items.push(item);
        }
        fits
    }
}
