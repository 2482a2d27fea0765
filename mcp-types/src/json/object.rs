//! [`Map`] and [`Object`]: members by name, in the order in which they came.

use std::collections::HashMap;
use std::{fmt, mem, slice, vec};

use super::Value;

/// A JSON object with members of any kind.
pub type Object = Map<Value>;

/// A JSON object whose members are all of one type: unique names, in order.
///
/// Members stand in a list, which is the fastest form to decode, to walk and to write, and the
/// right one for the objects of protocol messages. [`get`](Self::get) and its kin walk that list:
/// who looks up many names in an object of thousands should collect it into a map first.
#[derive(Clone)]
pub struct Map<V> {
    members: Vec<(String, V)>,
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Up to this many members, comparing each with each beats hashing and sorting.
const FEW: usize = 16;

impl<V> Map<V> {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            members: Vec::new(),
        }
    }

    /// An object without members, with room for some.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            members: Vec::with_capacity(capacity),
        }
    }

    /// Takes a list whose names are known to be unique, or that is only read in order.
    pub(super) fn from_list(members: Vec<(String, V)>) -> Self {
        Self { members }
    }

    /// Sets a member: a new one comes last, a known one keeps its place and gives its old value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<V>) -> Option<V> {
        let (name, value) = (name.into(), value.into());
        if let Some(old) = self.get_mut(&name) {
            return Some(mem::replace(old, value));
        }
        self.members.push((name, value));
        None
    }

    /// The member's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.members
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// The member's value, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.members
            .iter_mut()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.remove(at).1)
    }

    /// Whether there is such a member, be it `null`.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, V> {
        Iter(self.members.iter())
    }

    /// The members in order, their values to be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, V> {
        IterMut(self.members.iter_mut())
    }

    /// The names in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The values in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.members.iter().map(|(_, value)| value)
    }

    /// Keeps the members for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut V) -> bool) {
        self.members.retain_mut(|(name, value)| keep(name, value));
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// Appends a member whose name may be there already: see [`duplicate`](Self::duplicate).
    pub(crate) fn push(&mut self, name: String, value: V) {
        self.members.push((name, value));
    }

    /// A name that stands twice, which only [`push`](Self::push) makes possible.
    pub(crate) fn duplicate(&self) -> Option<&str> {
        duplicate(&self.members)
    }

    pub(super) fn as_list(&self) -> &[(String, V)] {
        &self.members
    }

    pub(super) fn into_list(self) -> Vec<(String, V)> {
        self.members
    }
}

/// A name that stands twice in the list.
pub(super) fn duplicate<V>(members: &[(String, V)]) -> Option<&str> {
    if members.len() <= FEW {
        let mut rest = members;
        while let [(name, _), tail @ ..] = rest {
            if tail.iter().any(|(other, _)| other == name) {
                return Some(name);
            }
            rest = tail;
        }
        return None;
    }
    // Sorting, not comparing each with each: a peer chooses how many members there are.
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(*a),
        _ => None,
    })
}

impl<V: PartialEq> PartialEq for Map<V> {
    /// The same names with the same values, in whatever order.
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        // Most often the order is the same, which costs no search.
        if self
            .members
            .iter()
            .zip(&other.members)
            .all(|(a, b)| a.0 == b.0)
        {
            return self
                .members
                .iter()
                .zip(&other.members)
                .all(|(a, b)| a.1 == b.1);
        }
        if self.len() <= FEW {
            return self
                .iter()
                .all(|(name, value)| other.get(name) == Some(value));
        }
        let by_name: HashMap<&str, &V> = other.iter().collect();
        self.iter()
            .all(|(name, value)| by_name.get(name) == Some(&value))
    }
}

impl<V: fmt::Debug> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, T: Into<V>, V> Extend<(K, T)> for Map<V> {
    /// Inserts each: of members with the same name, the last value stands at the first's place.
    fn extend<I: IntoIterator<Item = (K, T)>>(&mut self, members: I) {
        let mut members = members.into_iter();
        while self.len() <= FEW {
            match members.next() {
                Some((name, value)) => drop(self.insert(name, value)),
                None => return,
            }
        }
        let numbered = self.members.iter().enumerate();
        let mut places: HashMap<String, usize> =
            numbered.map(|(at, (name, _))| (name.clone(), at)).collect();
        for (name, value) in members {
            let (name, value) = (name.into(), value.into());
            if let Some(member) = places.get(&name).and_then(|at| self.members.get_mut(*at)) {
                member.1 = value;
            } else {
                places.insert(name.clone(), self.members.len());
                self.members.push((name, value));
            }
        }
    }
}

impl<K: Into<String>, T: Into<V>, V> FromIterator<(K, T)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<K: Into<String>, T: Into<V>, V, const N: usize> From<[(K, T); N]> for Map<V> {
    fn from(members: [(K, T); N]) -> Self {
        members.into_iter().collect()
    }
}

/// The members of an [`Object`], in order.
#[derive(Debug)]
pub struct Iter<'a, V>(slice::Iter<'a, (String, V)>);

/// The members of an [`Object`], in order, their values to be changed.
#[derive(Debug)]
pub struct IterMut<'a, V>(slice::IterMut<'a, (String, V)>);

/// The members of an [`Object`], in order, taken out of it.
#[derive(Debug)]
pub struct IntoIter<V>(vec::IntoIter<(String, V)>);

macro_rules! iterate {
    ($iterator:ty, $item:ty, $member:pat => $out:expr) => {
        impl<'a, V> Iterator for $iterator {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$member| $out)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<'a, V> DoubleEndedIterator for $iterator {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$member| $out)
            }
        }

        impl<'a, V> ExactSizeIterator for $iterator {}
    };
}

iterate!(Iter<'a, V>, (&'a str, &'a V), (name, value) => (name.as_str(), value));
iterate!(IterMut<'a, V>, (&'a str, &'a mut V), (name, value) => (name.as_str(), value));

impl<V> Iterator for IntoIter<V> {
    type Item = (String, V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<V> DoubleEndedIterator for IntoIter<V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl<V> ExactSizeIterator for IntoIter<V> {}

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
        IntoIter(self.members.into_iter())
    }
}
