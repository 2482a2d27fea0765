//! [`Extent`]: the size of a value.

use mcp_types::json;

/// The length that a step of a path is counted with, in addition to the name of a member.
const STEP: usize = 8;

/// The size of a JSON value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The number of values in it, including itself.
    pub(super) values: usize,
    /// The number of bytes of its strings and of the names of its members.
    pub(super) bytes: usize,
    /// The nesting depth.
    pub(super) depth: usize,
    /// The maximum length of the path to a value: of the names and indexes on it.
    pub(super) path: usize,
}

impl Extent {
    /// Measures the members of an object.
    #[must_use]
    pub fn of_object(object: &json::Object) -> Self {
        let mut extent = Self::default();
        extent.enter(1, 0);
        for (name, value) in object {
            extent.bytes += name.len();
            extent.add(value, 2, STEP + name.len());
        }
        extent
    }

    /// Measures a value.
    #[must_use]
    pub fn of_value(value: &json::Value) -> Self {
        let mut extent = Self::default();
        extent.add(value, 1, 0);
        extent
    }

    /// Measures a value of `serde_json`.
    #[must_use]
    pub fn of_json(value: &serde_json::Value) -> Self {
        let mut extent = Self::default();
        extent.add_json(value, 1, 0);
        extent
    }

    fn enter(&mut self, level: usize, path: usize) {
        self.values += 1;
        self.depth = self.depth.max(level);
        self.path = self.path.max(path);
    }

    // Decoders bound the nesting of a value, and so the recursion of these functions.

    fn add(&mut self, value: &json::Value, level: usize, path: usize) {
        self.enter(level, path);
        match value {
            json::Value::String(text) => self.bytes += text.len(),
            json::Value::Array(values) => {
                for value in values {
                    self.add(value, level + 1, path + STEP);
                }
            }

            json::Value::Object(members) => {
                for (name, value) in members {
                    self.bytes += name.len();
                    self.add(value, level + 1, path + STEP + name.len());
                }
            }
            _ => {}
        }
    }

    fn add_json(&mut self, value: &serde_json::Value, level: usize, path: usize) {
        self.enter(level, path);
        match value {
            serde_json::Value::String(text) => self.bytes += text.len(),
            serde_json::Value::Array(values) => {
                for value in values {
                    self.add_json(value, level + 1, path + STEP);
                }
            }
            serde_json::Value::Object(members) => {
                for (name, value) in members {
                    self.bytes += name.len();
                    self.add_json(value, level + 1, path + STEP + name.len());
                }
            }
            _ => {}
        }
    }
}
