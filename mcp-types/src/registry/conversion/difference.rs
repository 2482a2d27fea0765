//! What differs between two JSON values.

use std::collections::HashMap;
use std::fmt;

use crate::error::{Path, Segment, excerpt};
use crate::json::{Object, Value};

/// A difference between the text of a value and the text to which it was converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    path: Path,
    change: Change,
}

/// How a value differs from the one to which it was converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The converted text does not have the value.
    Removed,
    /// Only the converted text has the value.
    Added,
    /// The converted text has another value.
    Changed,
}

impl Difference {
    /// The largest number of differences that a conversion returns.
    pub const LIMIT: usize = 1024;

    /// Returns the place of the value: in the source, or in the converted text for a value that was
    /// added.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how the value differs.
    #[must_use]
    pub fn change(&self) -> Change {
        self.change
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match self.change {
            Change::Removed => "removed",
            Change::Added => "added",
            Change::Changed => "changed",
        };
        write!(f, "{} {change}", self.path)
    }
}

/// Returns the differences between two values, of which each member and element is visited once.
pub(super) fn differences(source: &Value, target: &Value) -> Vec<Difference> {
    let mut found = Found::default();
    found.compare(source, target);
    found.differences
}

#[derive(Default)]
struct Found {
    differences: Vec<Difference>,
    path: Vec<Segment>,
}

impl Found {
    fn add(&mut self, change: Change) {
        if self.differences.len() < Difference::LIMIT {
            let path = self.path.iter().cloned().collect();
            self.differences.push(Difference { path, change });
        }
    }

    fn inside(&mut self, segment: Segment, found: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        found(self);
        self.path.pop();
    }

    fn compare(&mut self, source: &Value, target: &Value) {
        match (source, target) {
            (Value::Object(source), Value::Object(target)) => self.compare_objects(source, target),
            (Value::Array(source), Value::Array(target)) => {
                for index in 0..source.len().max(target.len()) {
                    self.inside(Segment::Index(index), |found| {
                        found.pair(source.get(index), target.get(index));
                    });
                }
            }
            (Value::Number(source), Value::Number(target)) => {
                // An integer that was written as `1.0` becomes `1`.
                if source.canonical() != target.canonical() {
                    self.add(Change::Changed);
                }
            }
            _ if source == target => {}
            _ => self.add(Change::Changed),
        }
    }

    fn compare_objects(&mut self, source: &Object, target: &Object) {
        let member = |name| Segment::Member(excerpt(name).into_owned());
        // The members that the target has and the source does not, in the end.
        let mut others: HashMap<&str, &Value> = target.iter().collect();
        for (name, value) in source {
            let other = others.remove(name);
            self.inside(member(name), |found| found.pair(Some(value), other));
        }
        for (name, value) in target {
            if others.contains_key(name) {
                self.inside(member(name), |found| found.pair(None, Some(value)));
            }
        }
    }

    fn pair(&mut self, source: Option<&Value>, target: Option<&Value>) {
        match (source, target) {
            (Some(source), Some(target)) => self.compare(source, target),
            (Some(_), None) => self.add(Change::Removed),
            (None, Some(_)) => self.add(Change::Added),
            (None, None) => {}
        }
    }
}
