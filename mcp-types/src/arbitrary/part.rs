//! Parts of values, and strategies for them.

use super::Values;
use super::basic::{depth, strings};
use crate::json::Map;
use proptest::collection::vec;
use proptest::option;
use proptest::strategy::{BoxedStrategy, LazyJust, Strategy, Union};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// How many of the optional values are not `None`.
const PRESENT: f64 = 0.3;

/// A drawn value whose type is not known here.
#[doc(hidden)]
#[derive(Debug)]
pub enum Part {
    /// A value without parts.
    Whole(Box<dyn Any>),
    Maybe(Option<Box<Part>>),
    List(Vec<Part>),
    Map(Vec<(String, Part)>),
    /// The fields of a struct and their names.
    Fields(Vec<(&'static str, Part)>),
    /// The index of the variant of a union, and its content.
    Variant(usize, Box<Part>),
}

/// A type whose values are drawn in parts.
#[doc(hidden)]
pub trait Draw: Debug + Sized + 'static {
    /// Returns the strategy for the values if the schema does not restrict them.
    fn values() -> Values<Self>;

    /// Puts a value together.
    ///
    /// # Panics
    ///
    /// Panics if the parts are those of another type, so that every test of the type would notice.
    fn from_part(part: Part) -> Self;
}

impl Part {
    pub(crate) fn whole<T: Debug + 'static>(value: T) -> Self {
        Self::Whole(Box::new(value))
    }

    /// Returns a value without parts.
    ///
    /// # Panics
    ///
    /// Panics if it is the part of another type.
    #[must_use]
    pub fn into_whole<T: 'static>(self) -> T {
        let Self::Whole(value) = self else {
            mismatch(&self)
        };
        let Ok(value) = value.downcast() else {
            panic!("a part is not a {}", std::any::type_name::<T>());
        };
        *value
    }

    /// Returns the index of the variant, and its content.
    ///
    /// # Panics
    ///
    /// Panics if it is the part of another type.
    #[must_use]
    pub fn into_variant(self) -> (usize, Self) {
        match self {
            Self::Variant(index, content) => (index, *content),
            other => mismatch(&other),
        }
    }

    /// Returns the parts of the fields of a struct.
    ///
    /// # Panics
    ///
    /// Panics if it is the part of another type.
    #[must_use]
    pub fn into_fields(self) -> FieldParts {
        match self {
            Self::Fields(fields) => FieldParts(fields.into_iter()),
            other => mismatch(&other),
        }
    }

    /// Returns `true` for the parts of a struct in which these optional fields are not `None`.
    fn has_fields(&self, names: &[&str]) -> bool {
        let Self::Fields(fields) = self else {
            mismatch(self)
        };
        let is_present = |name: &&str| {
            fields
                .iter()
                .any(|(field, part)| field == name && !matches!(part, Self::Maybe(None)))
        };
        names.iter().all(is_present)
    }
}

fn mismatch(part: &Part) -> ! {
    panic!("a value has the parts of another type: {part:?}")
}

/// The parts of the fields of a struct that are not used yet.
#[doc(hidden)]
#[derive(Debug)]
pub struct FieldParts(std::vec::IntoIter<(&'static str, Part)>);

impl FieldParts {
    /// Returns the value of the next field.
    pub fn take<T: Draw>(&mut self) -> T {
        T::from_part(self.next_part())
    }

    /// Returns the value of the next field, which has no parts.
    pub fn take_whole<T: 'static>(&mut self) -> T {
        self.next_part().into_whole()
    }

    /// Ends the use of the parts.
    ///
    /// # Panics
    ///
    /// Panics if one was not used, because then they are those of another struct.
    pub fn end(&mut self) {
        if let Some((name, _)) = self.0.next() {
            panic!("a value has the parts of a struct with the field {name}, too");
        }
    }

    fn next_part(&mut self) -> Part {
        match self.0.next() {
            Some((_, part)) => part,
            None => panic!("a value has the parts of a struct with fewer fields"),
        }
    }
}

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

/// Returns the strategy for a variant without content.
pub fn no_content() -> BoxedStrategy<Part> {
    just(|| Part::Maybe(None))
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

/// Returns the strategy for `None`.
#[must_use]
pub fn none<T: Draw>() -> Values<Option<T>> {
    Values::new(just(|| Part::Maybe(None)))
}

/// Returns a strategy for lists with these lengths.
#[must_use]
pub fn list<T: Draw>(item: Values<T>, length: RangeInclusive<usize>) -> Values<Vec<T>> {
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

thread_local! {
    /// The strategies for the parts of types, by the type and the depth at which they were built.
    static BUILT: RefCell<HashMap<(TypeId, usize), BoxedStrategy<Part>>> = RefCell::default();
}

/// Returns the strategy that `build` returns for a type. It is built once for each thread, because
/// a type has many others in it.
pub fn remembered<T: Draw>(build: fn() -> BoxedStrategy<Part>) -> Values<T> {
    let key = (TypeId::of::<T>(), depth());
    Values::new(remembered_parts(key, build))
}

fn remembered_parts(
    key: (TypeId, usize),
    build: fn() -> BoxedStrategy<Part>,
) -> BoxedStrategy<Part> {
    if let Some(built) = BUILT.with_borrow(|all| all.get(&key).cloned()) {
        return built;
    }
    let parts = build();
    BUILT.with_borrow_mut(|all| all.insert(key, parts.clone()));
    parts
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
