//! Compares the members of objects.

use serde_json::{Map, Value};

use super::{Differ, Location};
use crate::schema::change::ChangeKind;

impl<'a> Differ<'a> {
    pub(super) fn members(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let none = Map::new();
        let old = before.get("properties").and_then(Value::as_object);
        let new = after.get("properties").and_then(Value::as_object);
        for name in old.unwrap_or(&none).keys() {
            if !new.is_some_and(|new| new.contains_key(name)) {
                self.member(
                    &location.member(name),
                    ChangeKind::Removed,
                    true,
                    String::new(),
                );
            }
        }
        for (name, after_member) in new.into_iter().flatten() {
            let location = location.member(name);
            let (was, is) = (required(before, name), required(after, name));
            let Some(before_member) = old.and_then(|old| old.get(name)) else {
                let detail = if is { "required" } else { "optional" };
                self.member(&location, ChangeKind::Added, is, detail.to_owned());
                continue;
            };
            if was != is {
                let detail = if is {
                    "became required"
                } else {
                    "became optional"
                };
                self.member(&location, ChangeKind::Changed, is, detail.to_owned());
            }
            self.schema(&location, before_member, after_member);
        }
        self.undeclared(location, before, after);
    }

    /// Compares the required members that neither schema declares.
    fn undeclared(&mut self, location: &Location, before: &Value, after: &Value) {
        let is_declared = |name: &str| {
            let declares = |schema: &Value| schema.get("properties")?.get(name).map(|_| ());
            declares(before).or_else(|| declares(after)).is_some()
        };
        let required_at = location.keyword("required", "").pointer;
        for (from, to, breaking, detail) in [
            (before, after, true, "became required"),
            (after, before, false, "became optional"),
        ] {
            let names = to.get("required").and_then(Value::as_array);
            for name in names.into_iter().flatten().filter_map(Value::as_str) {
                if !required(from, name) && !is_declared(name) {
                    let mut location = location.member(name);
                    location.pointer.clone_from(&required_at);
                    self.member(&location, ChangeKind::Changed, breaking, detail.to_owned());
                }
            }
        }
    }
}

fn required(schema: &Value, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|each| each == name))
}
