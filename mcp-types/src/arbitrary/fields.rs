//! The strategy of a struct, from the strategies of its fields.
//!
//! A tuple of strategies would be simpler. But the compiler would generate code for each pair of a
//! struct and a field, which takes longer than all other code of this crate. Here it generates code
//! for each type of a field, and one assignment for each field.

use proptest::strategy::{BoxedStrategy, NewTree, Strategy, ValueTree};
use proptest::test_runner::{Reason, TestRunner};
use std::any::Any;
use std::fmt::{self, Debug};

/// A strategy for values of a type that is not known here.
trait AnyStrategy {
    fn draw(&self, runner: &mut TestRunner) -> Result<Box<dyn AnyTree>, Reason>;
}

/// A generated value of a type that is not known here, and simpler ones.
trait AnyTree {
    fn simplify(&mut self) -> bool;
    fn complicate(&mut self) -> bool;
    /// Returns the [`Tree`].
    fn as_any(&self) -> &dyn Any;
}

/// A generated value of a field, and simpler ones.
struct Tree<V>(Box<dyn ValueTree<Value = V>>);

impl<V: Debug + 'static> AnyStrategy for BoxedStrategy<V> {
    fn draw(&self, runner: &mut TestRunner) -> Result<Box<dyn AnyTree>, Reason> {
        Ok(Box::new(Tree(self.new_tree(runner)?)))
    }
}

impl<V: Debug + 'static> AnyTree for Tree<V> {
    fn simplify(&mut self) -> bool {
        self.0.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.0.complicate()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A generated value of a field, which knows its type when it is assigned.
pub(crate) struct Drawn<'a>(&'a dyn AnyTree);

impl Drawn<'_> {
    /// Assigns the value to the field.
    ///
    /// # Panics
    ///
    /// Panics if it is the value of another field. The macro that lists the fields names each field
    /// once for both, so that every test of the type would notice.
    pub(crate) fn assign<V: Debug + 'static>(&self, field: &mut V) {
        match self.0.as_any().downcast_ref::<Tree<V>>() {
            Some(tree) => *field = tree.0.current(),
            None => panic!("the value of another field is assigned"),
        }
    }
}

/// A field of a struct: a strategy for its values, and the assignment of one.
pub(crate) struct Field<T> {
    strategy: Box<dyn AnyStrategy>,
    assign: fn(&mut T, &Drawn<'_>),
}

/// Returns a field. `_get` is not called: it says that the strategy is one for the type of the field.
pub(crate) fn field<T, V: Debug + 'static>(
    strategy: BoxedStrategy<V>,
    _get: fn(&T) -> &V,
    assign: fn(&mut T, &Drawn<'_>),
) -> Field<T> {
    let strategy = Box::new(strategy);
    Field { strategy, assign }
}

/// Returns a strategy for a struct, from a value and the fields that are assigned to it.
pub(crate) fn object<T: Debug + 'static>(
    start: fn() -> T,
    fields: Vec<Field<T>>,
) -> BoxedStrategy<T> {
    Fields { start, fields }.boxed()
}

struct Fields<T> {
    start: fn() -> T,
    fields: Vec<Field<T>>,
}

impl<T> Debug for Fields<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fields")
    }
}

impl<T: Debug + 'static> Strategy for Fields<T> {
    type Tree = FieldsTree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut trees = Trees::default();
        for field in &self.fields {
            trees.all.push(field.strategy.draw(runner)?);
        }
        Ok(FieldsTree {
            start: self.start,
            assign: self.fields.iter().map(|field| field.assign).collect(),
            trees,
        })
    }
}

struct FieldsTree<T> {
    start: fn() -> T,
    assign: Vec<fn(&mut T, &Drawn<'_>)>,
    trees: Trees,
}

impl<T: Debug + 'static> ValueTree for FieldsTree<T> {
    type Value = T;

    fn current(&self) -> T {
        let mut value = (self.start)();
        for (assign, tree) in self.assign.iter().zip(&self.trees.all) {
            assign(&mut value, &Drawn(tree.as_ref()));
        }
        value
    }

    fn simplify(&mut self) -> bool {
        self.trees.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.trees.complicate()
    }
}

/// The generated values of all fields. Fields are simplified one after the other.
#[derive(Default)]
struct Trees {
    all: Vec<Box<dyn AnyTree>>,
    /// The field that is simplified next.
    next: usize,
    /// The field that was simplified last.
    last: Option<usize>,
}

impl Trees {
    fn simplify(&mut self) -> bool {
        while let Some(tree) = self.all.get_mut(self.next) {
            if tree.simplify() {
                self.last = Some(self.next);
                return true;
            }
            self.next += 1;
        }
        self.last = None;
        false
    }

    fn complicate(&mut self) -> bool {
        let Some(tree) = self.last.and_then(|last| self.all.get_mut(last)) else {
            return false;
        };
        if tree.complicate() {
            true
        } else {
            self.last = None;
            false
        }
    }
}
