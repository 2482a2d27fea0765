//! [`Vacant`]: placeholder values that decoding in place starts from.

use serde::de::{Deserialize, Deserializer};

use super::super::json;
use super::{Base64Text, Cursor, Empty, Map, Number, ProgressToken, RequestId, Value};

/// A type with a placeholder value that is replaced while the real value is decoded.
///
/// A struct is decoded in place, member by member. Each required member is replaced, or decoding
/// fails. So a partly decoded struct need not be moved, nor its fields dropped one by one when the
/// input ends too early.
pub trait Vacant: Sized {
    /// The placeholder.
    const VACANT: Self;

    /// Decodes a value in the place of the placeholder, so that a large struct is not moved through the
    /// layers of a format.
    fn read_into<'de, D: Deserializer<'de>>(
        place: &mut Self,
        deserializer: D,
    ) -> Result<(), D::Error>
    where
        Self: Deserialize<'de>,
    {
        *place = Self::deserialize(deserializer)?;
        Ok(())
    }
}

/// Decodes a value in the place of the placeholder and returns it. It is decoded where it is returned, so that
/// a large value is not moved.
#[inline]
pub(super) fn fill<T: Vacant, E>(decode: impl FnOnce(&mut T) -> Result<(), E>) -> Result<T, E> {
    let mut result = Ok(T::VACANT);
    if let Ok(place) = &mut result
        && let Err(error) = decode(place)
    {
        result = Err(error);
    }
    result
}

impl Vacant for bool {
    const VACANT: Self = false;
}

impl Vacant for i64 {
    const VACANT: Self = 0;
}

impl Vacant for Number {
    const VACANT: Self = Self::NAN;
}

impl Vacant for String {
    const VACANT: Self = Self::new();
}

impl Vacant for Value {
    const VACANT: Self = Self::Null;

    #[inline]
    fn read_into<'de, D: Deserializer<'de>>(
        place: &mut Self,
        deserializer: D,
    ) -> Result<(), D::Error> {
        json::read_into(place, deserializer)
    }
}

impl Vacant for Empty {
    const VACANT: Self = Self;
}

impl Vacant for Base64Text {
    const VACANT: Self = Self::EMPTY;
}

impl Vacant for Cursor {
    const VACANT: Self = Self::EMPTY;
}

impl Vacant for RequestId {
    const VACANT: Self = Self::Number(0);
}

impl Vacant for ProgressToken {
    const VACANT: Self = Self::Number(0);
}

impl<T> Vacant for Option<T> {
    const VACANT: Self = None;
}

impl<T> Vacant for Vec<T> {
    const VACANT: Self = Self::new();
}

impl<T> Vacant for Map<T> {
    const VACANT: Self = Self::new();
}
