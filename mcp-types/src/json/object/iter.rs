//! Walking the members of an [`Object`](super::Object).

use std::{slice, vec};

use super::{Member, Value};

/// The members in order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    names: &'a str,
    start: usize,
    members: slice::Iter<'a, Member>,
}

/// The members in order, their values to be changed.
#[derive(Debug)]
pub struct IterMut<'a> {
    names: &'a str,
    start: usize,
    members: slice::IterMut<'a, Member>,
}

/// The members in order, taken out of the object.
#[derive(Debug)]
pub struct IntoIter {
    names: String,
    start: usize,
    members: vec::IntoIter<Member>,
}

impl<'a> Iter<'a> {
    pub(super) fn new(names: &'a str, members: &'a [Member]) -> Self {
        Self {
            names,
            start: 0,
            members: members.iter(),
        }
    }
}

impl<'a> IterMut<'a> {
    pub(super) fn new(names: &'a str, members: &'a mut [Member]) -> Self {
        Self {
            names,
            start: 0,
            members: members.iter_mut(),
        }
    }
}

impl IntoIter {
    pub(super) fn new(names: String, members: Vec<Member>) -> Self {
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
            names: &self.names,
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
        impl<'a> Iterator for $iterator {
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

        impl<'a> DoubleEndedIterator for $iterator {
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

        impl<'a> ExactSizeIterator for $iterator {}
    };
}

iterate!(Iter<'a>, (&'a str, &'a Value), (name, member) => (name, &member.value));
iterate!(IterMut<'a>, (&'a str, &'a mut Value), (name, member) => (name, &mut member.value));

impl Iterator for IntoIter {
    type Item = (String, Value);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.members.next()?;
        let name = part(&self.names, self.start, member.end).to_owned();
        self.start = member.end;
        Some((name, member.value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members.size_hint()
    }
}

impl DoubleEndedIterator for IntoIter {
    fn next_back(&mut self) -> Option<Self::Item> {
        let member = self.members.next_back()?;
        let start = self
            .members
            .as_slice()
            .last()
            .map_or(self.start, |last| last.end);
        Some((
            part(&self.names, start, member.end).to_owned(),
            member.value,
        ))
    }
}

impl ExactSizeIterator for IntoIter {}
