//! [`Item`]: since when the specification has something, and until when.

use crate::revisions::{ITEMS, Revision};
use std::fmt;

/// A part of the protocol, and the revisions that have it: a type, a member, a value of an
/// enumeration, a variant of a union, or a method.
///
/// Names are those of the schema:
///
/// | name | item |
/// | --- | --- |
/// | `AudioContent` | a type |
/// | `ServerCapabilities.logging` | a member of an object, here a capability |
/// | `LoggingLevel=debug` | a value of an enumeration |
/// | `ContentBlock\|AudioContent` | a variant of a union |
/// | `tools/call` | a method |
///
/// A definition that was renamed has each of its names. If a newer revision uses an old name for
/// something else, the name stands for that. Types that the schema defines inline have the names
/// that they have in this crate. Variants that are no types of the schema are `string`, `integer`,
/// `Type[]` and so on. What only a proposal or an extension adds does not count.
///
/// All revisions are known, also those whose features are disabled. What only the draft of the next
/// revision has is no item.
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
///
/// ```compile_fail
/// use mcp_types::Item;
///
/// const NOTHING: Item = Item::named("Tool.nothing");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    name: &'static str,
    /// A bit for every revision, the lowest for the oldest one, and then one for the draft.
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

    /// Returns the items of all revisions, ordered by name. An item that was renamed occurs under
    /// each of its names.
    #[must_use]
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        let items = ITEMS.iter();
        items.map(|&(name, revisions)| Self { name, revisions })
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
        let published = self.revisions & (u32::MAX >> (u32::BITS as usize - Revision::ALL.len()));
        let last = (u32::BITS - 1 - published.leading_zeros()) as usize;
        if last + 1 == Revision::ALL.len() {
            None
        } else {
            Some(Revision::ALL[last])
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Revision {
    /// Returns `true` if this revision has the item, whether or not the feature of the revision is
    /// enabled.
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
