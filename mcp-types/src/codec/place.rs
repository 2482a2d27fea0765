//! Seeds that decode a value in place.

use super::super::error::excerpt;
use super::super::json::grow;
use super::Vacant;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Unexpected, Visitor,
};
use std::fmt;

/// Decodes a value in place, so that it is not moved through the layers of a format.
pub(super) struct Place<'a, T>(pub(super) &'a mut T);

impl<'de, T: Deserialize<'de> + Vacant> DeserializeSeed<'de> for Place<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::read_into(self.0, deserializer)
    }
}

/// Implements `DeserializeSeed` for a place whose visitor accepts `null`.
macro_rules! optional_seed {
    ($place:ident) => {
        impl<'de, T: Deserialize<'de> + Vacant> DeserializeSeed<'de> for $place<'_, T> {
            type Value = ();

            #[inline]
            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_option(self)
            }
        }
    };
}

/// The methods that all visitors of values that may be `null` share.
macro_rules! null_leaves_the_place_empty {
    ($expected:literal) => {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($expected)
        }

        fn visit_none<E>(self) -> Result<(), E> {
            Ok(())
        }

        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    };
}

/// Decodes a value that may be `null` in place.
pub(super) struct OptionalPlace<'a, T>(pub(super) &'a mut Option<T>);

optional_seed!(OptionalPlace);

impl<'de, T: Deserialize<'de> + Vacant> Visitor<'de> for OptionalPlace<'_, T> {
    null_leaves_the_place_empty!("a value or null");

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::read_into(self.0.insert(T::VACANT), deserializer)
    }
}

/// Decodes the elements of a list in place. The list grows within bounds.
pub(super) struct ListPlace<'a, T>(pub(super) &'a mut Vec<T>);

impl<'de, T: Deserialize<'de> + Vacant> DeserializeSeed<'de> for ListPlace<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de> + Vacant> Visitor<'de> for ListPlace<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        list_into(items, self.0)
    }
}

/// Decodes the elements of an array.
pub fn list<'de, T: Deserialize<'de> + Vacant, A: SeqAccess<'de>>(
    items: A,
) -> Result<Vec<T>, A::Error> {
    let mut list = Vec::new();
    list_into(items, &mut list)?;
    Ok(list)
}

/// Decodes the elements of an array into an empty list. Large elements are decoded at their place in the list,
/// so that they are not moved through the layers of a format.
fn list_into<'de, T: Deserialize<'de> + Vacant, A: SeqAccess<'de>>(
    mut items: A,
    list: &mut Vec<T>,
) -> Result<(), A::Error> {
    if const { grow::is_large::<T>() } {
        while let rest = items.size_hint()
            && items.next_element_seed(Next { list, rest })?.is_some()
        {}
    } else {
        let Some(first) = items.next_element()? else {
            return Ok(());
        };
        let Some(second) = items.next_element()? else {
            *list = vec![first];
            return Ok(());
        };
        *list = grow::pair(first, second);
        while let Some(item) = items.next_element()? {
            grow::push(list, item, items.size_hint());
        }
    }
    grow::settle_elements(list);
    Ok(())
}

/// Appends one element.
struct Next<'a, T> {
    list: &'a mut Vec<T>,
    /// The number of elements from this one on, if it is known.
    rest: Option<usize>,
}

impl<'de, T: Deserialize<'de> + Vacant> DeserializeSeed<'de> for Next<'_, T> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let rest = self.rest.map(|rest| rest.saturating_sub(1));
        let place = grow::push_with(self.list, || T::VACANT, rest);
        T::read_into(place, deserializer)
    }
}

/// Decodes a list that may be `null` in place.
pub(super) struct OptionalListPlace<'a, T>(pub(super) &'a mut Option<Vec<T>>);

optional_seed!(OptionalListPlace);

impl<'de, T: Deserialize<'de> + Vacant> Visitor<'de> for OptionalListPlace<'_, T> {
    null_leaves_the_place_empty!("a list or null");

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(ListPlace(self.0.insert(Vec::new())))
    }
}

/// Accepts one specific string.
pub(super) struct Text(pub(super) &'static str);

impl<'de> DeserializeSeed<'de> for Text {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Text {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if text == self.0 {
            Ok(())
        } else {
            Err(E::invalid_value(Unexpected::Str(&excerpt(text)), &self))
        }
    }
}

/// Accepts a list of strings, or one string of words separated by white space.
pub(super) struct OneOrMany;

impl<'de> DeserializeSeed<'de> for OneOrMany {
    type Value = Option<Vec<String>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Option<Vec<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of strings, or a string of words")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.split_whitespace().map(str::to_owned).collect()))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Self::Value, S::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(items)).map(Some)
    }
}
