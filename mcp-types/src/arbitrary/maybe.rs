//! The strategy of an optional value.

use proptest::strategy::{BoxedStrategy, NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::fmt::Debug;

/// How many of the values are not `None`.
const PRESENT: f64 = 0.3;

/// Returns a strategy for `None` and for the values of another strategy.
///
/// It does the same as `proptest::option::weighted`, for which the compiler generates several times
/// as much code for each type.
pub(crate) fn maybe<V: Debug + 'static>(
    inner: impl Strategy<Value = V> + 'static,
) -> BoxedStrategy<Option<V>> {
    Maybe(inner.boxed()).boxed()
}

#[derive(Debug)]
struct Maybe<V: Debug>(BoxedStrategy<V>);

impl<V: Debug + 'static> Strategy for Maybe<V> {
    type Tree = MaybeTree<V>;
    type Value = Option<V>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let is_present = proptest::bool::weighted(PRESENT).new_tree(runner)?;
        let inner = if is_present.current() {
            Some(self.0.new_tree(runner)?)
        } else {
            None
        };
        Ok(MaybeTree {
            inner,
            shown: Shown::Drawn,
        })
    }
}

/// The values that a [`MaybeTree`] shows one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The value as it was drawn.
    Drawn,
    /// `None`, which is simpler than any other value.
    Nothing,
    /// Simpler forms of the value.
    Simpler,
}

struct MaybeTree<V> {
    inner: Option<Box<dyn ValueTree<Value = V>>>,
    shown: Shown,
}

impl<V: Debug + 'static> ValueTree for MaybeTree<V> {
    type Value = Option<V>;

    fn current(&self) -> Option<V> {
        let inner = self.inner.as_ref();
        let inner = inner.filter(|_| self.shown != Shown::Nothing);
        inner.map(ValueTree::current)
    }

    fn simplify(&mut self) -> bool {
        let Some(inner) = &mut self.inner else {
            return false;
        };
        match self.shown {
            Shown::Drawn => {
                self.shown = Shown::Nothing;
                true
            }
            Shown::Nothing => false,
            Shown::Simpler => inner.simplify(),
        }
    }

    fn complicate(&mut self) -> bool {
        match (&mut self.inner, self.shown) {
            (Some(_), Shown::Nothing) => {
                self.shown = Shown::Simpler;
                true
            }
            (Some(inner), Shown::Simpler) => inner.complicate(),
            _ => false,
        }
    }
}
