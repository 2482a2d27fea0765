//! Strategies are built once for each type, and recursive types have a limit.

use super::part::{Draw, Part, Values};
use proptest::strategy::BoxedStrategy;
use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The number of recursive values inside one another.
const DEEPEST: usize = 2;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Returns a strategy for a value that may contain another one of the type to which it belongs, or
/// `None` where this would be too deep.
#[must_use]
pub fn unless_deep<T>(all: impl FnOnce() -> Values<T>) -> Option<Values<T>> {
    let depth = DEPTH.get();
    if depth == DEEPEST {
        return None;
    }
    DEPTH.set(depth + 1);
    let strategy = all();
    DEPTH.set(depth);
    Some(strategy)
}

thread_local! {
    /// The strategies for the parts of types, by the type and the depth at which they were built.
    static BUILT: RefCell<HashMap<(TypeId, usize), BoxedStrategy<Part>>> = RefCell::default();
}

/// Returns the strategy that `build` returns for a type. It is built once for each thread, because
/// a type has many others in it.
pub fn remembered<T: Draw>(build: fn() -> BoxedStrategy<Part>) -> Values<T> {
    let key = (TypeId::of::<T>(), DEPTH.get());
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
