//! Growth of lists while they are decoded, so that memory stays proportional to the length of the
//! text.
//!
//! `[[0],[0],..]` has four bytes of text for each inner list. How much capacity a list may leave
//! unused depends on how short the text of an element can be.

use std::iter;
use std::mem::size_of;

/// The capacity of the first allocation, in elements.
const FEW: usize = 4;

/// The size in bytes from which an element counts as large.
const LARGE: usize = 64;

/// Returns `true` if an element is so large that it is worth decoding it at its place in a list.
pub(crate) const fn is_large<T>() -> bool {
    size_of::<T>() > LARGE
}

/// Appends an element, and returns it in its place. `rest` is the number of further elements to make room
/// for, if it is known.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, element: T, rest: Option<usize>) -> &mut T {
    push_with(list, || element, rest)
}

/// The same for an element that is made at its place, so that a large one is not moved.
#[inline]
pub(crate) fn push_with<T>(
    list: &mut Vec<T>,
    element: impl FnOnce() -> T,
    rest: Option<usize>,
) -> &mut T {
    if list.len() == list.capacity() {
        make_room(list, rest);
    }
    let at = list.len();
    list.extend(iter::once_with(element));
    &mut list[at]
}

#[inline(never)]
fn make_room<T>(list: &mut Vec<T>, rest: Option<usize>) {
    if list.capacity() == 0 && rest.is_none() {
        // Lists of large types often have only one element.
        *list = Vec::with_capacity(if is_large::<T>() { 1 } else { FEW });
        return;
    }
    let more = match (rest, list.len()) {
        (Some(rest), _) => rest.saturating_add(1),
        (None, length @ 1..=16) => length,
        // Long lists leave a smaller part of their capacity unused, because nested arrays are all
        // open at the same time.
        (None, length) => length / 4,
    };
    list.reserve_exact(more);
}

/// Creates a list of the first two elements of an array, with room for two more if an element is no larger
/// than a `Vec`. For an array of one element, the caller allocates exactly one: to shrink an allocation
/// later costs more than to make it.
#[inline]
pub(crate) fn pair<T>(first: T, second: T) -> Vec<T> {
    let is_tiny = size_of::<T>() <= size_of::<Vec<T>>();
    let mut list = Vec::with_capacity(if is_tiny { FEW } else { 2 });
    list.push(first);
    list.push(second);
    list
}

/// Frees the unused capacity of an array, unless it is small.
#[inline]
pub(crate) fn settle_elements<T>(elements: &mut Vec<T>) {
    if elements.capacity() > FEW && elements.len() < elements.capacity() / 4 * 3 {
        elements.shrink_to_fit();
    }
}

/// Frees the unused capacity of an object with large members. For small members this is not worth
/// it, because the text of a member is longer than that of an element.
#[inline]
pub(crate) fn settle_members<T>(members: &mut Vec<T>) {
    if is_large::<T>() && members.len() < members.capacity() {
        members.shrink_to_fit();
    }
}
