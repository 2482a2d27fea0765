//! [`Direction`]: a conversion to the next revision or to the one before.

use super::super::Emitter;
use crate::model::Ty;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

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
}

/// A function that looks for a conversion by looking for those of the types inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    Same,
    Value,
    Variant,
}

impl Direction<'_> {
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
        self.open.borrow_mut().push(step);
        let found = found();
        self.open.borrow_mut().pop();
        found
    }
}
