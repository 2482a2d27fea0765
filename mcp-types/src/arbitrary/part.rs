//! [`Part`]: parts of values, and [`Values`], which puts the values together.

use proptest::strategy::{BoxedStrategy, NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::any::Any;
use std::fmt::{self, Debug};

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
    pub(super) fn has_fields(&self, names: &[&str]) -> bool {
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

pub(super) fn mismatch(part: &Part) -> ! {
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

/// The strategy for values of a type of this crate. `proptest::prelude::any` returns it.
pub struct Values<T> {
    parts: BoxedStrategy<Part>,
    make: fn(Part) -> T,
}

impl<T: Draw> Values<T> {
    /// Returns a strategy that puts the values together from their parts.
    pub(crate) fn new(parts: BoxedStrategy<Part>) -> Self {
        Self {
            parts,
            make: T::from_part,
        }
    }
}

impl<T> Values<T> {
    /// Returns the strategy for the parts of the values.
    pub(crate) fn into_parts(self) -> BoxedStrategy<Part> {
        self.parts
    }
}

impl<T> Clone for Values<T> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            make: self.make,
        }
    }
}

impl<T> Debug for Values<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").finish_non_exhaustive()
    }
}

impl<T: Debug> Strategy for Values<T> {
    type Tree = ValuesTree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        Ok(ValuesTree {
            parts: self.parts.new_tree(runner)?,
            make: self.make,
        })
    }
}

/// A value that [`Values`] has drawn, and simpler ones.
pub struct ValuesTree<T> {
    parts: Box<dyn ValueTree<Value = Part>>,
    make: fn(Part) -> T,
}

impl<T> Debug for ValuesTree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValuesTree").finish_non_exhaustive()
    }
}

impl<T: Debug> ValueTree for ValuesTree<T> {
    type Value = T;

    fn current(&self) -> T {
        (self.make)(self.parts.current())
    }

    fn simplify(&mut self) -> bool {
        self.parts.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.parts.complicate()
    }
}
