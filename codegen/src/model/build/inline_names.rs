//! The inline types of a schema, and the names that they get instead of those of the hints.

use crate::model::Kind;
use std::collections::BTreeMap;

/// An inline type that needs a name.
pub(super) struct Use {
    pub(super) name: String,
    pub(super) position: Position,
    pub(super) kind: Kind,
}

/// Names of inline types that cannot have the name from the hints.
#[derive(Default)]
pub(super) struct AutomaticNames(pub(super) BTreeMap<Position, Automatic>);

/// The position of an inline type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) pointer: String,
    /// The name that follows from the position.
    pub(super) default: String,
    /// Parts of a union have the same pointer, and possibly the same name: the number of those
    /// before.
    pub(super) before: usize,
}

pub(super) struct Automatic {
    pub(super) name: String,
    /// The name that it would have without the hints.
    pub(super) chosen: String,
    pub(super) hinted: String,
}

impl AutomaticNames {
    /// Returns the name from the hints that a type would have.
    pub(super) fn hinted(&self, name: &str) -> Option<&str> {
        let mut all = self.0.values();
        all.find(|automatic| automatic.name == name)
            .map(|automatic| automatic.hinted.as_str())
    }
}
