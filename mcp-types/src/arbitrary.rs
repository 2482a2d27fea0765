//! `proptest` strategies for every type: `any::<CallToolRequest>()` draws a request.
//!
//! A strategy of `proptest` is compiled anew for each type of its values. For more than a thousand
//! types, this would take longer than compiling all other code of this crate. So a value is drawn
//! in parts, which have one type, [`Part`]. Only the code that puts them together is compiled for
//! each type.

mod basic;
mod part;
mod table;

// The generated tables name these. A schema need not have types of every kind.
#[doc(hidden)]
pub use self::basic::{closed_text, extra, int, number, open_text, unless_deep};
#[doc(hidden)]
pub use self::part::{
    Draw, Field, FieldParts, Part, boxed, content, content_of, draw, empty_list, empty_map, field,
    field_of, fields, list, map, maybe, no_content, none, one_of, remembered, with_fields,
};
pub(crate) use self::table::{
    field_strategy, object_strategy, strategy, text_strategy, union_strategy, variant_part,
    variant_strategy,
};

use proptest::strategy::{BoxedStrategy, NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fmt::{self, Debug};

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
