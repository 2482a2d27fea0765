//! [`Watch`]: adds a member to the `_meta` of the outermost object, or separates the members of that
//! object.

use serde_json::value::RawValue;

use super::string;

const META: &str = "_meta";

/// Why the outermost object is watched.
enum Purpose<'a> {
    /// To add a member to its `_meta`.
    Add { name: &'a str, value: &'a RawValue },
    /// To separate its members.
    Separate,
}

/// The state of the outermost object so far.
pub(super) struct Watch<'a> {
    purpose: Purpose<'a>,
    /// The number of open objects and arrays.
    depth: usize,
    meta: Meta,
    /// `true` while the relevant object (the outermost one or its `_meta`) has no members yet.
    is_empty: bool,
}

/// The state of the `_meta` of the outermost object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meta {
    Missing,
    /// It is the last member so far and does not have the member to add.
    Incomplete,
    /// It is the last member so far and has the member to add.
    Complete,
    Passed,
}

impl<'a> Watch<'a> {
    /// Adds a member to the `_meta` of the outermost object, unless `_meta` has that member already. A
    /// missing `_meta` is created.
    pub(super) fn adding(name: &'a str, value: &'a RawValue) -> Self {
        Self::new(Purpose::Add { name, value })
    }

    /// Writes a line break instead of the comma between members of the outermost object and of its
    /// `_meta`, and one at the beginning and the end of `_meta`.
    pub(super) fn separating() -> Self {
        Self::new(Purpose::Separate)
    }

    fn new(purpose: Purpose<'a>) -> Self {
        Self {
            purpose,
            depth: 0,
            meta: Meta::Missing,
            is_empty: true,
        }
    }

    /// Returns `true` if the members that are being written belong to the outermost object or to
    /// its `_meta`.
    fn matters(&self) -> bool {
        let within = matches!(self.meta, Meta::Incomplete | Meta::Complete);
        self.depth == 1 || (self.depth == 2 && within)
    }

    /// Returns `true` if a line break stands before the next member, or before the end of `_meta`.
    pub(super) fn separates(&self, is_first: bool) -> bool {
        let within = matches!(self.purpose, Purpose::Separate) && self.matters();
        within && (!is_first || self.depth == 2)
    }

    /// Returns `true` if a line break stands before a raw value, because it is the outermost value, whose
    /// members are not known.
    pub(super) fn separates_raw(&self) -> bool {
        matches!(self.purpose, Purpose::Separate) && self.depth == 0
    }

    /// Takes note of the beginning of an array or an object.
    pub(super) fn open(&mut self) {
        self.depth += 1;
        if self.matters() {
            self.is_empty = true;
        }
    }

    /// Takes note of the end of an array or an object.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.matters() {
            self.is_empty = false;
        }
    }

    /// Takes note of the name of a member.
    pub(super) fn name(&mut self, name: &str) {
        if !self.matters() {
            return;
        }
        self.is_empty = false;
        match (self.depth, &self.purpose) {
            (1, _) if name == META => self.meta = Meta::Incomplete,
            (1, _) if self.meta != Meta::Missing => self.meta = Meta::Passed,
            (2, Purpose::Add { name: wanted, .. }) if name == *wanted => {
                self.meta = Meta::Complete;
            }
            _ => {}
        }
    }

    /// Adds the missing member, or the last separator, when an object ends.
    pub(super) fn complete(&self, buffer: &mut Vec<u8>) {
        let Purpose::Add { name, value } = self.purpose else {
            if self.separates(true) {
                buffer.push(b'\n');
            }
            return;
        };
        let (open, close) = match (self.depth, self.meta) {
            (1, Meta::Missing) => ("\"_meta\":{", "}"),
            (2, Meta::Incomplete) => ("", ""),
            _ => return,
        };
        if !self.is_empty {
            buffer.push(b',');
        }
        buffer.extend_from_slice(open.as_bytes());
        string::write(buffer, name);
        buffer.push(b':');
        string::write_in_one_line(buffer, value.get());
        buffer.extend_from_slice(close.as_bytes());
    }
}
