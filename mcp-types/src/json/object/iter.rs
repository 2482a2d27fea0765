//! Walking the members of an [`Map`](super::Map).

use std::{fmt, slice, vec};

use super::{Member, Names};

/// The members in order.
#[derive(Debug)]
pub struct Iter<'a, V> {
    names: &'a str,
    start: usize,
    members: slice::Iter<'a, Member<V>>,
}

/// The members in order, their values to be changed.
#[derive(Debug)]
pub struct IterMut<'a, V> {
    names: &'a str,
    start: usize,
    members: slice::IterMut<'a, Member<V>>,
}

/// The members in order, taken out of the object.
pub struct IntoIter<V> {
    names: Names,
    start: usize,
    members: vec::IntoIter<Member<V>>,
}

impl<'a, V> Iter<'a, V> {
    pub(super) fn new(names: &'a str, members: &'a [Member<V>]) -> Self {
        Self {
            names,
            start: 0,
            members: members.iter(),
        }
    }
}

// Derived, it would ask for `V: Clone`.
impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self {
            names: self.names,
            start: self.start,
            members: self.members.clone(),
        }
    }
}

impl<'a, V> IterMut<'a, V> {
    pub(super) fn new(names: &'a str, members: &'a mut [Member<V>]) -> Self {
        Self {
            names,
            start: 0,
            members: members.iter_mut(),
        }
    }
}

impl<V> fmt::Debug for IntoIter<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").finish_non_exhaustive()
    }
}

impl<V> IntoIter<V> {
    pub(super) fn new(names: Names, members: Vec<Member<V>>) -> Self {
        Self {
            names,
            start: 0,
            members: members.into_iter(),
        }
    }

    /// The names that are left, in order.
    pub(in super::super) fn names(&self) -> impl Iterator<Item = &str> {
        let members = self.members.as_slice().iter();
        Iter {
            names: self.names.as_str(),
            start: self.start,
            members,
        }
        .map(|(name, _)| name)
    }
}

/// One of the names. The bounds are always right; there is just no need to panic over them.
#[inline]
fn part(names: &str, start: usize, end: usize) -> &str {
    names.get(start..end).unwrap_or_default()
}

macro_rules! iterate {
    ($iterator:ty, $item:ty, ($name:ident, $member:ident) => $out:expr) => {
        impl<'a, V> Iterator for $iterator {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let $member = self.members.next()?;
                let $name = part(self.names, self.start, $member.end);
                self.start = $member.end;
                Some($out)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.members.size_hint()
            }
        }

        impl<'a, V> DoubleEndedIterator for $iterator {
            fn next_back(&mut self) -> Option<Self::Item> {
                let $member = self.members.next_back()?;
                let start = self
                    .members
                    .as_slice()
                    .last()
                    .map_or(self.start, |last| last.end);
                let $name = part(self.names, start, $member.end);
                Some($out)
            }
        }

        impl<'a, V> ExactSizeIterator for $iterator {}
    };
}

iterate!(Iter<'a, V>, (&'a str, &'a V), (name, member) => (name, &member.value));
iterate!(IterMut<'a, V>, (&'a str, &'a mut V), (name, member) => (name, &mut member.value));

impl<V> Iterator for IntoIter<V> {
    type Item = (String, V);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.members.next()?;
        let name = part(self.names.as_str(), self.start, member.end).to_owned();
        self.start = member.end;
        Some((name, member.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members.size_hint()
    }
}

impl<V> DoubleEndedIterator for IntoIter<V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let member = self.members.next_back()?;
        let start = self
            .members
            .as_slice()
            .last()
            .map_or(self.start, |last| last.end);
        Some((
            part(self.names.as_str(), start, member.end).to_owned(),
            member.value,
        ))
    }
}

impl<V> ExactSizeIterator for IntoIter<V> {}
