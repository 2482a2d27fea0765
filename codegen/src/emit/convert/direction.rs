//! [`Direction`]: a conversion to the next revision or to the one before.

use super::super::Emitter;
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
}
