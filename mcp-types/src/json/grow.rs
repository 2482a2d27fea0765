//! How lists of values grow while their text is read, so that memory stays in proportion to it.
//!
//! `[[0],[0],..]` has four bytes of text for each inner list: what a list may leave unused depends
//! on how short the text of an element can be.

use std::mem::size_of;

/// How many elements the first allocation has room for.
const FEW: usize = 4;

/// From how many bytes on an element is a large one.
const LARGE: usize = 64;

/// Adds an element. `rest` is how many will follow it, where that is known.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, element: T, rest: Option<usize>) {
    if list.len() == list.capacity() {
        make_room(list, rest);
    }
    list.push(element);
}

#[inline(never)]
fn make_room<T>(list: &mut Vec<T>, rest: Option<usize>) {
    if list.capacity() == 0 && rest.is_none() {
        // Many lists of large types have one element.
        *list = Vec::with_capacity(if size_of::<T>() > LARGE { 1 } else { FEW });
        return;
    }
    let more = match (rest, list.len()) {
        (Some(rest), _) => rest.saturating_add(1),
        (None, length @ 1..=16) => length,
        // Long lists leave less of their room unused: arrays within each other are all open at the
        // same time.
        (None, length) => length / 4,
    };
    list.reserve_exact(more);
}

/// Gives back the room that an array leaves unused, unless it is little.
#[inline]
pub(crate) fn settle_elements<T>(elements: &mut Vec<T>) {
    if elements.len() < elements.capacity() / 4 * 3 {
        elements.shrink_to_fit();
    }
}

/// A list with room for the first two members of an object, and a few more where they are small.
#[inline]
pub(crate) fn for_members<T>() -> Vec<T> {
    Vec::with_capacity(if size_of::<T>() > LARGE { 2 } else { FEW })
}

/// Gives back the room that an object of large members leaves unused. The text of a member is longer
/// than that of an element, so that it is not worth it for small ones.
#[inline]
pub(crate) fn settle_members<T>(members: &mut Vec<T>) {
    if size_of::<T>() > LARGE && members.len() < members.capacity() {
        members.shrink_to_fit();
    }
}
