//! Strategies for values that contain others.

use super::basic::{expect_values, strings};
use super::part::{Draw, Part, Values, mismatch};
use crate::json::Map;
use proptest::collection::vec;
use proptest::option;
use proptest::strategy::{BoxedStrategy, LazyJust, Strategy, Union};
use std::ops::RangeInclusive;

/// How many of the optional values are not `None`.
const PRESENT: f64 = 0.3;

/// A field of a struct: its name, and the strategy for its parts.
pub type Field = (&'static str, BoxedStrategy<Part>);

/// Returns the field with the strategy of its type. `_get` is not called: it says the type.
pub fn field<T, V: Draw>(name: &'static str, _get: fn(&T) -> &V) -> Field {
    (name, V::values().into_parts())
}

/// Returns the field with a strategy of its own. `_get` is not called: it says that the strategy is
/// one for the type of the field.
pub fn field_of<T, V>(name: &'static str, _get: fn(&T) -> &V, values: Values<V>) -> Field {
    (name, values.into_parts())
}

/// Returns a strategy for a struct.
pub fn fields(fields: Vec<Field>) -> BoxedStrategy<Part> {
    let (names, parts): (Vec<&'static str>, Vec<_>) = fields.into_iter().unzip();
    parts
        .prop_map(move |parts| Part::Fields(names.iter().copied().zip(parts).collect()))
        .boxed()
}

/// Returns the strategy for the content of a variant. `_make` is not called: it says the type.
pub fn content<T: Draw, U>(_make: fn(T) -> U) -> BoxedStrategy<Part> {
    T::values().into_parts()
}

/// Returns a strategy for the content of a variant, or `None` if the variant is not drawn. `_make`
/// is not called: it says that the strategy is one for the type of the content.
#[must_use]
pub fn content_of<T, U>(
    _make: fn(T) -> U,
    values: impl Into<Option<Values<T>>>,
) -> Option<BoxedStrategy<Part>> {
    values.into().map(Values::into_parts)
}

/// Returns a strategy for a union, from the strategies for the contents of its variants.
pub fn one_of(variants: Vec<Option<BoxedStrategy<Part>>>) -> BoxedStrategy<Part> {
    let variants = variants.into_iter().enumerate();
    let variants = variants.filter_map(|(index, content)| Some((index, content?)));
    let variants = variants.map(|(index, content)| {
        content
            .prop_map(move |part| Part::Variant(index, Box::new(part)))
            .boxed()
    });
    Union::new(variants).boxed()
}

fn just(part: fn() -> Part) -> BoxedStrategy<Part> {
    LazyJust::new(part).boxed()
}

/// Returns the strategy for the values of a type.
#[must_use]
pub fn draw<T: Draw>() -> Values<T> {
    T::values()
}

/// Returns a strategy for `None` and for the values of another strategy.
#[must_use]
pub fn maybe<T: Draw>(inner: Values<T>) -> Values<Option<T>> {
    Values::new(maybe_parts(inner.into_parts()))
}

fn maybe_parts(inner: BoxedStrategy<Part>) -> BoxedStrategy<Part> {
    option::weighted(PRESENT, inner)
        .prop_map(|part| Part::Maybe(part.map(Box::new)))
        .boxed()
}

/// Returns a strategy for the values of another strategy in `Some`.
#[must_use]
pub fn some<T: Draw>(inner: Values<T>) -> Values<Option<T>> {
    let parts = inner.into_parts();
    let some = parts.prop_map(|part| Part::Maybe(Some(Box::new(part))));
    Values::new(some.boxed())
}

/// Returns the strategy for `None`.
#[must_use]
pub fn none<T: Draw>() -> Values<Option<T>> {
    Values::new(just(|| Part::Maybe(None)))
}

/// Returns a strategy for lists with these lengths.
///
/// # Panics
///
/// Panics if the range is empty.
#[must_use]
#[track_caller]
pub fn list<T: Draw>(item: Values<T>, length: RangeInclusive<usize>) -> Values<Vec<T>> {
    expect_values("length", &length);
    Values::new(list_parts(item.into_parts(), length))
}

fn list_parts(item: BoxedStrategy<Part>, length: RangeInclusive<usize>) -> BoxedStrategy<Part> {
    vec(item, length).prop_map(Part::List).boxed()
}

/// Returns the strategy for the empty list.
#[must_use]
pub fn empty_list<T: Draw>() -> Values<Vec<T>> {
    Values::new(just(|| Part::List(Vec::new())))
}

/// Returns a strategy for objects whose members have one type.
#[must_use]
pub fn map<T: Draw>(member: Values<T>) -> Values<Map<T>> {
    Values::new(map_parts(member.into_parts()))
}

fn map_parts(member: BoxedStrategy<Part>) -> BoxedStrategy<Part> {
    vec((strings(), member), 0..3).prop_map(Part::Map).boxed()
}

/// Returns the strategy for objects without members.
#[must_use]
pub fn empty_map<T: Draw>() -> Values<Map<T>> {
    Values::new(just(|| Part::Map(Vec::new())))
}

/// Returns a strategy for boxed values.
#[must_use]
pub fn boxed<T: Draw>(inner: Values<T>) -> Values<Box<T>> {
    Values::new(inner.into_parts())
}

/// Returns a strategy for the structs in which these optional fields are not `None`.
#[must_use]
pub fn with_fields<T: Draw>(values: Values<T>, names: &'static [&'static str]) -> Values<T> {
    let parts = values.into_parts();
    let present = "the members that select the variant";
    Values::new(
        parts
            .prop_filter(present, |part| part.has_fields(names))
            .boxed(),
    )
}

impl<T: Draw> Draw for Option<T> {
    fn values() -> Values<Self> {
        maybe(T::values())
    }

    fn from_part(part: Part) -> Self {
        match part {
            Part::Maybe(part) => part.map(|part| T::from_part(*part)),
            other => mismatch(&other),
        }
    }
}

impl<T: Draw> Draw for Box<T> {
    fn values() -> Values<Self> {
        boxed(T::values())
    }

    fn from_part(part: Part) -> Self {
        Box::new(T::from_part(part))
    }
}

impl<T: Draw> Draw for Vec<T> {
    fn values() -> Values<Self> {
        list(T::values(), 0..=3)
    }

    fn from_part(part: Part) -> Self {
        match part {
            Part::List(items) => items.into_iter().map(T::from_part).collect(),
            other => mismatch(&other),
        }
    }
}

impl<T: Draw> Draw for Map<T> {
    fn values() -> Values<Self> {
        map(T::values())
    }

    fn from_part(part: Part) -> Self {
        match part {
            Part::Map(members) => {
                let members = members.into_iter();
                members
                    .map(|(name, part)| (name, T::from_part(part)))
                    .collect()
            }
            other => mismatch(&other),
        }
    }
}
