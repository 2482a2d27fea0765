//! [`ValueStore`]: values by key, with an expiry time and a version.

use std::time::Duration;

use super::error::StoreFuture;

/// Stores values by key: sessions of older clients, revoked URLs, proofs that were used, and the
/// values of [`Stored`](crate::Stored).
///
/// Every method is atomic: processes that call them at the same time see them one after the other,
/// and a read sees all writes that were acknowledged before. Keys are at most 1,024 bytes of
/// printable ASCII, values at most 1 MiB.
pub trait ValueStore: Send + Sync + 'static {
    /// Returns the value of a key, or `None` if the key has no value or its value has expired.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>>;

    /// Writes a value, if its condition and its group allow it.
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome>;

    /// Removes a value, and its key from its group. Returns `false` if there was none.
    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool>;

    /// Returns at most `most` keys of a group, those that expire first in front. Expired ones are
    /// not in the group any more.
    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>>;
}

/// A value of a [`ValueStore`].
#[derive(Clone, PartialEq, Eq)]
pub struct VersionedValue {
    /// The value.
    pub value: Vec<u8>,
    /// The version of the value. Every write gives its key another version, also if the value was
    /// removed in between.
    pub version: u64,
}

impl std::fmt::Debug for VersionedValue {
    /// Does not show the value, which may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VersionedValue")
            .field("bytes", &self.value.len())
            .field("version", &self.version)
            .finish()
    }
}

/// A write to a [`ValueStore`].
#[derive(Clone, Copy)]
pub struct Put<'a> {
    /// The key.
    pub key: &'a str,
    /// The new value.
    pub value: &'a [u8],
    /// The time after which the value is removed, in whole milliseconds. The server sets at least a
    /// second; the checks of `mcp-stores` set less.
    pub time_to_live: Duration,
    /// What the key must have for the value to be written.
    pub condition: Condition,
    /// The group that the key belongs to. A key always has the same group.
    pub group: Option<KeyGroup<'a>>,
}

/// What a key must have for a [`Put`] to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Any value or none.
    Any,
    /// No value, or an expired one.
    Absent,
    /// A value with this version.
    Version(u64),
}

/// A group of keys, which limits their number.
#[derive(Clone, Copy, Debug)]
pub struct KeyGroup<'a> {
    /// The name of the group: the same kind of text as a key.
    pub name: &'a str,
    /// The maximum number of keys that have a value.
    pub most: usize,
}

/// The outcome of a [`Put`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The value was written and has this version.
    Written(u64),
    /// The condition does not hold. Nothing was written.
    Conflict,
    /// The key is new, and its group is full. Nothing was written.
    GroupFull,
}
