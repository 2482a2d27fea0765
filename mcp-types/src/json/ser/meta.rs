//! [`Meta`]: a member that the `_meta` of the outermost object gets while it is written.

use serde_json::value::RawValue;

const META: &str = "_meta";

/// A member to add, and what was seen of the object so far.
pub(super) struct Meta<'a> {
    name: &'a str,
    value: &'a RawValue,
    /// How many objects and arrays are open.
    depth: usize,
    /// Whether the last member of the outermost object is `_meta`.
    within: bool,
    /// Whether it has a `_meta` at all.
    found: bool,
    /// Whether that has the member.
    complete: bool,
}

/// What an object lacks that ends.
pub(super) enum Lack<'a> {
    Nothing,
    Member(&'a str, &'a RawValue),
    Meta(&'static str, &'a str, &'a RawValue),
}

impl<'a> Meta<'a> {
    pub(super) fn new(name: &'a str, value: &'a RawValue) -> Self {
        Self {
            name,
            value,
            depth: 0,
            within: false,
            found: false,
            complete: false,
        }
    }

    /// An object or an array begins.
    pub(super) fn open(&mut self) {
        self.depth += 1;
    }

    /// A member's name was written, as this text.
    pub(super) fn name(&mut self, text: &[u8]) {
        match self.depth {
            1 => {
                self.within = is(text, META);
                self.found |= self.within;
            }
            2 if self.within => self.complete |= is(text, self.name),
            _ => {}
        }
    }

    /// An array ends.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// An object ends.
    pub(super) fn close_object(&mut self) -> Lack<'a> {
        let depth = self.depth;
        self.close();
        match depth {
            1 if !self.found => Lack::Meta(META, self.name, self.value),
            2 if self.within && !self.complete => Lack::Member(self.name, self.value),
            _ => Lack::Nothing,
        }
    }
}

/// Whether a text is this name in quotes. Neither name that matters has escapes.
fn is(text: &[u8], name: &str) -> bool {
    let text = text.strip_prefix(b"\"").unwrap_or_default();
    text.strip_suffix(b"\"") == Some(name.as_bytes())
}
