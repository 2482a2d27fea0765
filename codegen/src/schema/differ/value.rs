//! Compares types, known values, and the keywords that have no rule of their own.

use serde_json::{Map, Value};

use super::{Differ, Location};
use crate::schema::error::describe_value;
use crate::schema::resolve::type_names;
use crate::schema::values::{Values, narrower, types, values};

impl Differ<'_> {
    pub(super) fn types(&mut self, location: &Location, before: &Value, after: &Value) {
        let (old, new) = (types(before), types(after));
        let widened = old
            .iter()
            .all(|each| new.contains(each) || (*each == "integer" && new.contains(&"number")));
        if old.len() != new.len() || old.iter().any(|each| !new.contains(each)) {
            let detail = format!("is {}, was {}", type_names(&new), type_names(&old));
            self.changed(location, !widened, detail);
        }
    }

    pub(super) fn values(&mut self, location: &Location, before: &Value, after: &Value) {
        match (values(before), values(after)) {
            (Values::Any, Values::Any) => {}
            (Values::Any, Values::These(now)) => {
                self.changed(location, true, format!("is limited to {}", list(&now)));
            }
            (Values::These(_), Values::Any) => {
                self.changed(
                    location,
                    false,
                    "is not limited to known values any more".to_owned(),
                );
            }
            (Values::These(old), Values::These(new)) => {
                let gone: Vec<_> = old
                    .iter()
                    .copied()
                    .filter(|each| !new.contains(each))
                    .collect();
                let fresh: Vec<_> = new
                    .iter()
                    .copied()
                    .filter(|each| !old.contains(each))
                    .collect();
                if !gone.is_empty() {
                    self.changed(location, true, format!("is no longer {}", list(&gone)));
                }
                if !fresh.is_empty() {
                    self.changed(location, false, format!("may also be {}", list(&fresh)));
                }
            }
        }
    }

    /// Compares the keywords that have no rule of their own above.
    pub(super) fn rest(&mut self, location: &Location, before: &Value, after: &Value) {
        let mut keywords: Vec<&String> = Vec::new();
        for schema in [before, after] {
            keywords.extend(schema.as_object().into_iter().flat_map(Map::keys));
        }
        keywords.sort();
        keywords.dedup();
        for keyword in keywords {
            let (old, new) = (before.get(keyword), after.get(keyword));
            if old == new {
                continue;
            }
            let Some(narrower) = narrower(keyword, old, new) else {
                continue;
            };
            let detail = match new {
                Some(Value::Bool(true)) if keyword == "deprecated" => "is deprecated".to_owned(),
                Some(new) => format!(
                    "has `{keyword}` {}, was {}",
                    describe_value(Some(new)),
                    describe_value(old)
                ),
                None => format!("has no `{keyword}` any more, was {}", describe_value(old)),
            };
            self.changed(location, narrower, detail);
        }
    }
}

fn list(values: &[&Value]) -> String {
    values
        .iter()
        .map(|value| format!("`{value}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
