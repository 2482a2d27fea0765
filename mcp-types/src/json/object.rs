//! [`Object`]: members by name, in the order in which they came.

use std::collections::HashMap;
use std::{fmt, mem, slice, vec};

use super::Value;

/// A JSON object: unique names, in order.
///
/// Members stand in a list, which is the fastest form to decode, to walk and to write, and the
/// right one for the objects of protocol messages. [`get`](Self::get) and its kin walk that list:
/// who looks up many names in an object of thousands should collect it into a map first.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<(String, Value)>,
}

/// Up to this many members, comparing each with each beats hashing and sorting.
const FEW: usize = 16;

impl Object {
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
    pub(super) fn from_list(members: Vec<(String, Value)>) -> Self {
        Self { members }
    }

    /// Sets a member: a new one comes last, a known one keeps its place and gives its old value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        if let Some(old) = self.get_mut(&name) {
            return Some(mem::replace(old, value));
        }
        self.members.push((name, value));
        None
    }

    /// The member's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// The member's value, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.members
            .iter_mut()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
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
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.members.iter())
    }

    /// The members in order, their values to be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.members.iter_mut())
    }

    /// The names in order.
    #[must_use]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.members.iter().map(|(name, _)| name.as_str())
    }

    /// The values in order.
    #[must_use]
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
        self.members.iter().map(|(_, value)| value)
    }

    /// Keeps the members for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        self.members.retain_mut(|(name, value)| keep(name, value));
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    pub(super) fn as_list(&self) -> &[(String, Value)] {
        &self.members
    }

    pub(super) fn into_list(self) -> Vec<(String, Value)> {
        self.members
    }
}

/// A name that stands twice in the list.
pub(super) fn duplicate(members: &[(String, Value)]) -> Option<&str> {
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

impl PartialEq for Object {
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
        let by_name: HashMap<&str, &Value> = other.iter().collect();
        self.iter()
            .all(|(name, value)| by_name.get(name) == Some(&value))
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, V: Into<Value>> Extend<(K, V)> for Object {
    /// Inserts each: of members with the same name, the last value stands at the first's place.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
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

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut object = Self::new();
        object.extend(members);
        object
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for Object {
    fn from(members: [(K, V); N]) -> Self {
        members.into_iter().collect()
    }
}

/// The members of an [`Object`], in order.
#[derive(Clone, Debug)]
pub struct Iter<'a>(slice::Iter<'a, (String, Value)>);

/// The members of an [`Object`], in order, their values to be changed.
#[derive(Debug)]
pub struct IterMut<'a>(slice::IterMut<'a, (String, Value)>);

/// The members of an [`Object`], in order, taken out of it.
#[derive(Debug)]
pub struct IntoIter(vec::IntoIter<(String, Value)>);

macro_rules! iterate {
    ($iterator:ty, $item:ty, $member:pat => $out:expr) => {
        impl<'a> Iterator for $iterator {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$member| $out)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<'a> DoubleEndedIterator for $iterator {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$member| $out)
            }
        }

        impl<'a> ExactSizeIterator for $iterator {}
    };
}

iterate!(Iter<'a>, (&'a str, &'a Value), (name, value) => (name.as_str(), value));
iterate!(IterMut<'a>, (&'a str, &'a mut Value), (name, value) => (name.as_str(), value));

impl Iterator for IntoIter {
    type Item = (String, Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for IntoIter {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back()
    }
}

impl ExactSizeIterator for IntoIter {}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Object {
    type Item = (&'a str, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.members.into_iter())
    }
}
