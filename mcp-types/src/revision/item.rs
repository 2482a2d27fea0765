//! [`Item`]: a part of the protocol, and the revisions that have it.

use crate::revisions::{ITEMS, Revision};
use std::cmp::Ordering;
use std::fmt;

/// A part of the protocol that some revisions have: a type, a member, a value of an enumeration, a
/// variant of a union, or a method.
///
/// Names are those of the schema:
///
/// | name | item |
/// | --- | --- |
/// | `CallToolResult` | a type |
/// | `ServerCapabilities.logging` | a member of an object, here a capability |
/// | `LoggingLevel=debug` | a value of an enumeration |
/// | `ContentBlock\|AudioContent` | a variant of a union; variants that are not a type of the schema are written as `string`, `Type[]` and so on |
/// | `tools/call` | a method |
///
/// A definition that was renamed has each of its names. If a newer revision uses an old name for
/// something else, the name stands for that. Types that the schema defines inline have the names
/// that they have in this crate. What only a proposal or an extension adds does not count.
///
/// The table covers all revisions, whatever features are enabled. Looked up in a constant, an item
/// costs nothing at run time, and a name that no revision ever had does not compile:
///
/// ```
/// use mcp_types::Revision;
/// use mcp_types::revision::Item;
///
/// const PING: Item = Item::of("ping");
///
/// assert!(Revision::V2025_11_25.has(PING));
/// assert!(!Revision::V2026_07_28.has(PING));
/// assert_eq!(PING.since(), Revision::V2024_11_05);
/// assert_eq!(PING.until(), Some(Revision::V2026_07_28));
/// ```
///
/// ```compile_fail
/// use mcp_types::revision::Item;
///
/// const PONG: Item = Item::of("pong");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    name: &'static str,
    /// Bit 0 stands for the oldest revision.
    revisions: u32,
}

impl Item {
    /// Returns the item with a name. Use it in constants, where an unknown name is an error of the
    /// compiler, and [`find`](Self::find) for names that are only known at run time.
    ///
    /// # Panics
    ///
    /// Panics if no revision has an item with this name.
    #[must_use]
    pub const fn of(name: &str) -> Self {
        match Self::find(name) {
            Some(item) => item,
            None => panic!("no revision has an item with this name"),
        }
    }

    /// Returns the item with a name, or `None` if no revision has one.
    ///
    /// ```
    /// use mcp_types::Revision;
    /// use mcp_types::revision::Item;
    ///
    /// let title = Item::find("Tool.title").ok_or("unknown name")?;
    /// assert_eq!(title.since(), Revision::V2025_06_18);
    /// assert_eq!(Item::find("Tool.subtitle"), None);
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub const fn find(name: &str) -> Option<Self> {
        let (mut low, mut high) = (0, ITEMS.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (found, revisions) = ITEMS[middle];
            match compare(found.as_bytes(), name.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => {
                    return Some(Self {
                        name: found,
                        revisions,
                    });
                }
            }
        }
        None
    }

    /// Returns the items of all revisions, ordered by name. A renamed item occurs under each of its
    /// names.
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

    /// Returns the revision that removed the item: the one after the newest revision that has it.
    /// Returns `None` if the newest revision of all has it.
    #[must_use]
    pub const fn until(self) -> Option<Revision> {
        let end = (u32::BITS - self.revisions.leading_zeros()) as usize;
        if end < Revision::ALL.len() {
            Some(Revision::ALL[end])
        } else {
            None
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl Revision {
    /// Returns `true` if the schema of this revision has an item, whether or not the feature of the
    /// revision is enabled.
    ///
    /// ```
    /// use mcp_types::Revision;
    /// use mcp_types::revision::Item;
    ///
    /// const AUDIO: Item = Item::of("ContentBlock|AudioContent");
    ///
    /// assert!(Revision::V2025_03_26.has(AUDIO));
    /// assert!(!Revision::V2024_11_05.has(AUDIO));
    /// ```
    #[must_use]
    pub const fn has(self, item: Item) -> bool {
        item.revisions >> (self as u32) & 1 == 1
    }
}

/// Compares two texts byte by byte, which `Ord` cannot do in constants.
const fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let mut at = 0;
    while at < left.len() && at < right.len() {
        if left[at] != right[at] {
            return if left[at] < right[at] {
                Ordering::Less
            } else {
                Ordering::Greater
            };
        }
        at += 1;
    }
    if left.len() == right.len() {
        Ordering::Equal
    } else if left.len() < right.len() {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}
