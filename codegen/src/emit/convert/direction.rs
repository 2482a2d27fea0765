//! [`Direction`]: a conversion to the next revision or to the one before.

use super::super::Emitter;
use crate::model::Ty;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// The steps that the search for the conversion of a member or of a variant may take. Types that refer
/// to each other in a graph have exponentially many paths.
const MOST_STEPS: usize = 1000;

/// The most types inside each other through which a search goes.
const MOST_NESTED: usize = 64;

/// One direction of the conversion between two adjacent revisions.
pub(super) struct Direction<'a> {
    pub(super) emitter: &'a Emitter<'a>,
    /// The indices of the models.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The source names of the conversions in this direction, and whether each can fail.
    pub(super) fails: BTreeMap<String, bool>,
    /// What the conversions lose, set or reject, one line for each member or variant.
    pub(super) losses: RefCell<BTreeSet<String>>,
    /// The searches for a conversion that have not ended, with their source and target types.
    pub(super) open: RefCell<Vec<(Search, Ty, Ty)>>,
    /// The number of steps that the current search may still take.
    pub(super) steps: Cell<usize>,
}

/// A function that looks for a conversion by looking for those of the types inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    Same,
    Value,
    Variant,
}

impl Direction<'_> {
    /// Searches for the conversion of a type with a number of variants. Returns `None` if there is
    /// none, or if the search takes more steps than it may.
    pub(super) fn search<T>(
        &self,
        variants: usize,
        found: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let before = mem::take(&mut *self.losses.borrow_mut());
        self.steps.set(variants.saturating_mul(MOST_STEPS));
        let found = found();
        let is_complete = self.steps.take() > 0;
        let lost = self.losses.replace(before);
        if !is_complete {
            return None;
        }
        self.losses.borrow_mut().extend(lost);
        found
    }

    /// Looks for the conversion between two types. Returns `None` inside a search for the same
    /// conversion: types that contain themselves would lead there again and again.
    pub(super) fn once<T>(
        &self,
        search: Search,
        from: &Ty,
        to: &Ty,
        found: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let step = (search, from.clone(), to.clone());
        if self.open.borrow().contains(&step) {
            return None;
        }
        let is_deep = self.open.borrow().len() >= MOST_NESTED;
        let left = self.steps.get().saturating_sub(1);
        self.steps.set(if is_deep { 0 } else { left });
        if self.steps.get() == 0 {
            return None;
        }
        self.open.borrow_mut().push(step);
        let found = found();
        self.open.borrow_mut().pop();
        found
    }
}
