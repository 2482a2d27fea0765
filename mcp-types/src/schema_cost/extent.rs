//! [`Extent`]: how large a value is.

use crate::json;

/// How large a JSON value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Values in it, itself included.
    pub(super) values: usize,
    /// Bytes of its texts and of the names of its members.
    pub(super) bytes: usize,
    /// Levels that it nests.
    pub(super) depth: usize,
}

impl Extent {
    /// Measures the members of an object.
    #[must_use]
    pub fn of_object(object: &json::Object) -> Self {
        let mut extent = Self::default();
        extent.enter(1);
        for (name, value) in object {
            extent.bytes += name.len();
            extent.add(value, 2);
        }
        extent
    }

    /// Measures a value.
    #[must_use]
    pub fn of_value(value: &json::Value) -> Self {
        let mut extent = Self::default();
        extent.add(value, 1);
        extent
    }

    /// Measures a value of `serde_json`.
    #[must_use]
    pub fn of_json(value: &serde_json::Value) -> Self {
        let mut extent = Self::default();
        extent.add_json(value, 1);
        extent
    }

    fn enter(&mut self, level: usize) {
        self.values += 1;
        self.depth = self.depth.max(level);
    }

    // Decoders bound how deep a value nests, and with it how deep these functions call themselves.

    fn add(&mut self, value: &json::Value, level: usize) {
        self.enter(level);
        match value {
            json::Value::String(text) => self.bytes += text.len(),
            json::Value::Array(values) => {
                for value in values {
                    self.add(value, level + 1);
                }
            }

            json::Value::Object(members) => {
                for (name, value) in members {
                    self.bytes += name.len();
                    self.add(value, level + 1);
                }
            }
            _ => {}
        }
    }

    fn add_json(&mut self, value: &serde_json::Value, level: usize) {
        self.enter(level);
        match value {
            serde_json::Value::String(text) => self.bytes += text.len(),
            serde_json::Value::Array(values) => {
                for value in values {
                    self.add_json(value, level + 1);
                }
            }
            serde_json::Value::Object(members) => {
                for (name, value) in members {
                    self.bytes += name.len();
                    self.add_json(value, level + 1);
                }
            }
            _ => {}
        }
    }
}
