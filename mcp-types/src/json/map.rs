//! [`Map`]: members by name, in insertion order.

use std::collections::{HashMap, HashSet};
use std::{fmt, mem};

use lean_string::LeanString;

use super::grow;

pub(super) mod iter;

use iter::{IntoIter, Iter, IterMut};

/// A JSON object whose members have one type. Names are unique and keep their order.
///
/// Members are stored in a list, which is fast to decode, iterate and encode, and suits the objects
/// of protocol messages. [`get`](Self::get) and the other lookups search that list. To look up many
/// names in an object of thousands of members, collect it into a hash map first.
///
/// An empty object allocates nothing, and other objects allocate once. Names of more than 16 bytes (8 bytes on
/// 32-bit targets) are allocated, too. This matters because a peer chooses how many objects a message has.
#[derive(Clone)]
pub struct Map<V>(Vec<Member<V>>);

/// A name and its value.
#[derive(Clone, Debug)]
pub(super) struct Member<V> {
    pub(super) name: LeanString,
    pub(super) value: V,
}

/// Up to this number of members, comparing all pairs is faster than hashing.
const FEW: usize = 16;

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> Map<V> {
    /// Creates an empty object.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates an empty object with the given capacity.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Vec::with_capacity(capacity))
    }

    /// Sets a member and returns its previous value. A new member is appended; an existing one
    /// keeps its position.
    pub fn insert(&mut self, name: impl AsRef<str>, value: impl Into<V>) -> Option<V> {
        let (name, value) = (name.as_ref(), value.into());
        if let Some(old) = self.get_mut(name) {
            return Some(mem::replace(old, value));
        }
        self.push(name, value);
        None
    }

    /// Appends a member without checking whether the name exists already. Meant for decoders, which
    /// call [`duplicate`](Self::duplicate) after all members are read.
    pub fn push(&mut self, name: &str, value: V) {
        self.push_vacant(name, value);
    }

    /// The same as [`push`](Self::push). Returns the value in its place.
    #[inline]
    pub(crate) fn push_vacant(&mut self, name: &str, value: V) -> &mut V {
        let name = LeanString::from(name);
        &mut grow::push(&mut self.0, Member { name, value }, None).value
    }

    /// Frees the unused capacity of an object with large members.
    pub(super) fn settle(&mut self) {
        grow::settle_members(&mut self.0);
    }

    /// Returns a name that occurs twice, which is possible only after [`push`](Self::push).
    #[must_use]
    pub fn duplicate(&self) -> Option<&str> {
        if self.len() <= FEW {
            let mut seen = 0_u64;
            return self.keys().enumerate().find_map(|(at, name)| {
                let mark = mark(name);
                let suspect = seen & mark != 0;
                seen |= mark;
                (suspect && self.keys().take(at).any(|before| before == name)).then_some(name)
            });
        }
        twice(self.keys())
    }

    /// Returns the value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        let member = self.0.iter().find(|member| member.name == name);
        member.map(|member| &member.value)
    }

    /// Returns a mutable reference to the value of a member.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let member = self.0.iter_mut().find(|member| member.name == name);
        member.map(|member| &mut member.value)
    }

    /// Removes a member and returns its value. The other members keep their order.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let at = self.0.iter().position(|member| member.name == name)?;
        Some(self.0.remove(at).value)
    }

    /// Returns `true` if the object has the member, even if its value is `null`.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns an iterator over the members, in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, V> {
        Iter::new(&self.0)
    }

    /// Returns an iterator over the members with mutable values, in order.
    pub fn iter_mut(&mut self) -> IterMut<'_, V> {
        IterMut::new(&mut self.0)
    }

    /// Returns an iterator over the names, in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + Clone {
        self.iter().map(|(name, _)| name)
    }

    /// Returns an iterator over the values, in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.0.iter().map(|member| &member.value)
    }

    /// Converts all values and keeps the names.
    #[must_use]
    pub fn map<U>(self, mut change: impl FnMut(V) -> U) -> Map<U> {
        let members = self.0.into_iter().map(|Member { name, value }| Member {
            name,
            value: change(value),
        });
        Map(members.collect())
    }

    /// Converts all values and keeps the names, with a conversion that may fail.
    ///
    /// # Errors
    ///
    /// Returns the first error of `change`.
    pub fn try_map<U, E>(self, mut change: impl FnMut(V) -> Result<U, E>) -> Result<Map<U>, E> {
        let members = self.0.into_iter().map(|Member { name, value }| {
            let value = change(value)?;
            Ok(Member { name, value })
        });
        Ok(Map(members.collect::<Result<_, E>>()?))
    }

    /// Keeps only the members for which `keep` returns `true`.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut V) -> bool) {
        self.0
            .retain_mut(|member| keep(&member.name, &mut member.value));
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns the first name that occurs a second time.
pub(crate) fn twice<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Uses hashing and does not compare all pairs, because a peer chooses how many members there
    // are. Allocates the whole table at once: a table that grows exists twice for a while.
    let mut seen = HashSet::with_capacity(names.size_hint().0);
    names.find(|name| !seen.insert(*name))
}

/// Returns one of 64 marks for a name, which is cheap to compute. Names with different marks
/// differ.
#[inline]
pub(super) fn mark(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| usize::from(*byte));
    let sum = bytes.len()
        + byte(0) * 5
        + byte(bytes.len() / 2) * 11
        + byte(bytes.len().wrapping_sub(1)) * 23;
    1 << (sum % 64)
}

impl<V: PartialEq> PartialEq for Map<V> {
    /// Compares names and values. The order of members does not matter.
    fn eq(&self, other: &Self) -> bool {
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let same: fn(&Self, &Self) -> bool = same;
        same(self, other)
    }
}

/// Returns `true` if two objects have the same names with the same values, in any order.
fn same<V: PartialEq>(one: &Map<V>, other: &Map<V>) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // In most cases the order is the same, and no search is needed.
    if one.keys().eq(other.keys()) {
        return one.values().eq(other.values());
    }
    if one.len() <= FEW {
        return one
            .iter()
            .all(|(name, value)| other.get(name) == Some(value));
    }
    let by_name: HashMap<&str, &V> = other.iter().collect();
    one.iter()
        .all(|(name, value)| by_name.get(name) == Some(&value))
}

impl<V: fmt::Debug> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: AsRef<str>, T: Into<V>, V> Extend<(K, T)> for Map<V> {
    /// Inserts each member. If a name occurs several times, the last value is stored at the
    /// position of the first.
    fn extend<I: IntoIterator<Item = (K, T)>>(&mut self, members: I) {
        let mut members = members.into_iter();
        while self.len() <= FEW {
            match members.next() {
                Some((name, value)) => drop(self.insert(name, value)),
                None => return,
            }
        }
        let numbered = self.keys().enumerate();
        let mut places: HashMap<String, usize> =
            numbered.map(|(at, name)| (name.to_owned(), at)).collect();
        for (name, value) in members {
            let (name, value) = (name.as_ref(), value.into());
            if let Some(member) = places.get(name).and_then(|at| self.0.get_mut(*at)) {
                member.value = value;
            } else {
                places.insert(name.to_owned(), self.len());
                self.push(name, value);
            }
        }
    }
}

impl<K: AsRef<str>, T: Into<V>, V> FromIterator<(K, T)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<K: AsRef<str>, T: Into<V>, V, const N: usize> From<[(K, T); N]> for Map<V> {
    fn from(members: [(K, T); N]) -> Self {
        // An array in a program has few members, so no capacity is reserved.
        let mut object = Self::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

impl<'a, V> IntoIterator for &'a Map<V> {
    type Item = (&'a str, &'a V);
    type IntoIter = Iter<'a, V>;

    fn into_iter(self) -> Iter<'a, V> {
        self.iter()
    }
}

impl<'a, V> IntoIterator for &'a mut Map<V> {
    type Item = (&'a str, &'a mut V);
    type IntoIter = IterMut<'a, V>;

    fn into_iter(self) -> IterMut<'a, V> {
        self.iter_mut()
    }
}

impl<V> IntoIterator for Map<V> {
    type Item = (String, V);
    type IntoIter = IntoIter<V>;

    fn into_iter(self) -> IntoIter<V> {
        IntoIter::new(self.0)
    }
}
