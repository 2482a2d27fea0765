//! [`Item`]: since when the specification has something, and until when.

use crate::revisions::{ITEMS, Revision};

/// A type, member, value or method of the specification, and the revisions that have it.
///
/// The name of a member is `Type.member`, that of a value of an enumeration is `Type=value`; types
/// and methods have their own names. All revisions are known, also those whose features are
/// disabled.
///
/// ```
/// use mcp_types::{Item, Revision};
///
/// // Checked when the program is compiled: a name that no revision has does not compile.
/// const AUDIO: Item = Item::named("AudioContent");
///
/// assert_eq!(AUDIO.since(), Revision::V2025_03_26);
/// assert!(!Revision::V2024_11_05.has(AUDIO));
///
/// const INITIALIZE: Item = Item::named("initialize");
/// assert_eq!(INITIALIZE.until(), Some(Revision::V2025_11_25));
/// assert!(Item::find("Tool.nothing").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    name: &'static str,
    /// A bit for every revision, the lowest for the oldest one.
    revisions: u32,
}

impl Item {
    /// Finds an item by its name. Returns `None` if no revision has it.
    #[must_use]
    pub const fn find(name: &str) -> Option<Self> {
        let (mut low, mut high) = (0, ITEMS.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let (found, revisions) = ITEMS[middle];
            match compare(found.as_bytes(), name.as_bytes()) {
                Order::Less => low = middle + 1,
                Order::Greater => high = middle,
                Order::Equal => {
                    return Some(Self {
                        name: found,
                        revisions,
                    });
                }
            }
        }
        None
    }

    /// Returns the item of a name, for constants.
    ///
    /// # Panics
    ///
    /// Panics if no revision has the item. In a constant this is an error of the compiler.
    #[must_use]
    pub const fn named(name: &str) -> Self {
        match Self::find(name) {
            Some(item) => item,
            None => panic!("no revision of the specification has an item of this name"),
        }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the oldest revision that has the item.
    #[must_use]
    pub const fn since(self) -> Revision {
        Revision::ALL[self.revisions.trailing_zeros() as usize]
    }

    /// Returns the last revision that has the item, or `None` if the newest one has it.
    #[must_use]
    pub const fn until(self) -> Option<Revision> {
        let last = (u32::BITS - 1 - self.revisions.leading_zeros()) as usize;
        if last + 1 == Revision::ALL.len() {
            None
        } else {
            Some(Revision::ALL[last])
        }
    }
}

impl Revision {
    /// Returns `true` if this revision has the item.
    #[must_use]
    pub const fn has(self, item: Item) -> bool {
        item.revisions >> (self as u32) & 1 == 1
    }
}

enum Order {
    Less,
    Equal,
    Greater,
}

/// Compares texts as the table is sorted. The comparison of the standard library cannot be used in
/// constants.
const fn compare(a: &[u8], b: &[u8]) -> Order {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] < b[at] {
            return Order::Less;
        }
        if a[at] > b[at] {
            return Order::Greater;
        }
        at += 1;
    }
    if a.len() < b.len() {
        Order::Less
    } else if a.len() > b.len() {
        Order::Greater
    } else {
        Order::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_of_the_table_is_found() {
        for (name, revisions) in ITEMS {
            let item = Item::find(name).unwrap();
            assert_eq!((item.name, item.revisions), (*name, *revisions));
            let known = Revision::ALL.iter().filter(|revision| revision.has(item));
            assert_eq!(known.count(), revisions.count_ones() as usize, "{name}");
        }
        for name in ["", "A", "Tool.", "zzz", "Tool.nothing"] {
            assert_eq!(Item::find(name), None, "{name}");
        }
    }

    #[test]
    fn items_that_return_are_known_in_each_revision_that_has_them() {
        // Tasks were part of one revision only.
        let task = Item::named("tasks/get");
        assert_eq!(task.since(), Revision::V2025_11_25);
        assert_eq!(task.until(), Some(Revision::V2025_11_25));
        let logging = Item::named("ServerCapabilities.logging");
        assert!(Revision::V2026_07_28.has(logging));
        assert!(Revision::V2024_11_05.has(Item::named("LoggingLevel=debug")));
    }
}
