//! Iterators over the members of a [`Map`](super::Map).

use std::{fmt, slice, vec};

use super::Member;

/// Iterator over the members, in order.
#[derive(Debug)]
pub struct Iter<'a, V>(slice::Iter<'a, Member<V>>);

/// Iterator over the members with mutable values, in order.
#[derive(Debug)]
pub struct IterMut<'a, V>(slice::IterMut<'a, Member<V>>);

/// Iterator that moves the members out of the object, in order.
pub struct IntoIter<V>(vec::IntoIter<Member<V>>);

impl<'a, V> Iter<'a, V> {
    #[inline]
    pub(super) fn new(members: &'a [Member<V>]) -> Self {
        Self(members.iter())
    }
}

// A derived implementation would require `V: Clone`.
impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, V> IterMut<'a, V> {
    pub(super) fn new(members: &'a mut [Member<V>]) -> Self {
        Self(members.iter_mut())
    }
}

impl<V> fmt::Debug for IntoIter<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").finish_non_exhaustive()
    }
}

impl<V> IntoIter<V> {
    pub(super) fn new(members: Vec<Member<V>>) -> Self {
        Self(members.into_iter())
    }
}

macro_rules! iterate {
    (<$($life:lifetime)?> $iterator:ty, $item:ty, $member:ident => $out:expr) => {
        impl<$($life,)? V> Iterator for $iterator {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let $member = self.0.next()?;
                Some($out)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($life,)? V> DoubleEndedIterator for $iterator {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let $member = self.0.next_back()?;
                Some($out)
            }
        }

        impl<$($life,)? V> ExactSizeIterator for $iterator {}
    };
}

iterate!(<'a> Iter<'a, V>, (&'a str, &'a V), member => (member.name.as_str(), &member.value));
iterate!(<'a> IterMut<'a, V>, (&'a str, &'a mut V), member => (member.name.as_str(), &mut member.value));
iterate!(<> IntoIter<V>, (String, V), member => (String::from(member.name), member.value));
