//! Fields that are an `Option` although the member is required, because an older revision does not
//! require it. The programs that use the field do not have to change.

use super::Decode;
use std::borrow::Cow;

/// Returns the place in which the member is decoded.
pub fn place<T: Decode>(field: &mut Option<T>) -> &mut T {
    field.insert(T::vacant())
}

/// Returns the value that is encoded: an empty one if the program has set none.
pub fn value<T: Decode + Clone>(field: &Option<T>) -> Cow<'_, T> {
    match field {
        Some(value) => Cow::Borrowed(value),
        None => Cow::Owned(T::vacant()),
    }
}
