//! How lists of values grow while their text is read, so that memory stays in proportion to it.

/// How many elements wait on the stack.
const FEW: usize = 4;

/// A list that is being read.
///
/// The first elements wait on the stack, and most lists have no more: they get a place of exactly
/// their size, in one allocation. Longer ones grow, and give back what is left over.
pub(super) struct Growing<T> {
    few: [Option<T>; FEW],
    count: usize,
    many: Vec<T>,
}

impl<T> Growing<T> {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            few: [const { None }; FEW],
            count: 0,
            many: Vec::new(),
        }
    }

    /// Adds an element. `rest` is how many will follow it, where that is known.
    #[inline]
    pub(super) fn push(&mut self, element: T, rest: Option<usize>) {
        if let Some(place) = self.few.get_mut(self.count) {
            *place = Some(element);
            self.count += 1;
            return;
        }
        if self.many.len() == self.many.capacity() {
            self.make_room(rest);
        }
        self.many.push(element);
    }

    #[inline(never)]
    fn make_room(&mut self, rest: Option<usize>) {
        let more = match (rest, self.many.len()) {
            (Some(rest), _) => rest.saturating_add(1),
            (None, 0) => FEW,
            (None, length @ 1..=16) => length,
            // Long lists leave less of their room unused: arrays within each other are all open at
            // the same time.
            (None, length) => length / 4,
        };
        if self.many.is_empty() {
            self.many.reserve_exact(FEW.saturating_add(more));
            self.many
                .extend(self.few.iter_mut().filter_map(Option::take));
        } else {
            self.many.reserve_exact(more);
        }
    }

    /// The list, without room that is not used.
    #[inline]
    pub(super) fn finish(mut self) -> Vec<T> {
        if self.many.capacity() > 0 {
            self.many.shrink_to_fit();
            return self.many;
        }
        let mut list = Vec::with_capacity(self.count);
        for element in self.few.iter_mut().take(self.count) {
            list.extend(element.take());
        }
        list
    }
}

/// How many bytes of names wait on the stack.
const SHORT: usize = 64;

/// The names of an object that is being read, one behind the other: on the stack until they are all
/// there, or exceed it.
pub(super) struct Names {
    short: [u8; SHORT],
    length: usize,
    long: String,
}

impl Names {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            short: [0; SHORT],
            length: 0,
            long: String::new(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, name: &str) {
        let end = self.length + name.len();
        if let Some(place) = self.short.get_mut(self.length..end) {
            place.copy_from_slice(name.as_bytes());
        } else {
            self.push_long(name, end);
        }
        self.length = end;
    }

    #[inline(never)]
    fn push_long(&mut self, name: &str, end: usize) {
        if self.long.is_empty() {
            self.long.reserve_exact(end.max(2 * SHORT));
            let waiting = self.short.get(..self.length).unwrap_or_default();
            // Whole names, one behind the other.
            self.long
                .push_str(std::str::from_utf8(waiting).unwrap_or_default());
        }
        self.long.push_str(name);
    }

    /// Where the name ends that was written last.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.length
    }

    #[inline]
    pub(super) fn finish(self) -> String {
        if !self.long.is_empty() {
            return self.long;
        }
        let names = self.short.get(..self.length).unwrap_or_default();
        std::str::from_utf8(names).unwrap_or_default().to_owned()
    }
}
