//! Compares the schemas of items and of members without a name.

use serde_json::{Map, Value};

use super::{Differ, Location};
use crate::schema::resolve::{described, is_anything};

/// Keywords with a schema, and how the values that it describes are named.
const INNER: [(&str, &str); 7] = [
    ("items", "[]"),
    ("additionalProperties", ".*"),
    ("additionalItems", "[more]"),
    ("unevaluatedItems", "[more]"),
    ("unevaluatedProperties", ".*"),
    ("propertyNames", "{name}"),
    ("contains", "[one]"),
];

/// Keywords with a list of schemas, one for each item.
const TUPLES: [&str; 2] = ["prefixItems", "items"];

/// Keywords with schemas by name, and what stands before the name.
const NAMED: [(&str, &str); 2] = [("patternProperties", ""), ("dependentSchemas", "with ")];

impl<'a> Differ<'a> {
    /// Compares schemas that no member of an object has by name.
    pub(super) fn inner(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        for (keyword, suffix) in INNER {
            let single = |schema: &'a Value| schema.get(keyword).filter(|inner| !inner.is_array());
            let location = location.keyword(keyword, suffix);
            self.limit(&location, single(before), single(after));
        }
        for keyword in TUPLES {
            let list = |schema: &'a Value| schema.get(keyword).and_then(Value::as_array);
            let (old, new) = (list(before), list(after));
            let count = old.map_or(0, Vec::len).max(new.map_or(0, Vec::len));
            for index in 0..count {
                let at = |list: Option<&'a Vec<Value>>| list.and_then(|list| list.get(index));
                let place = location.named(keyword, &index.to_string(), &format!("[{index}]"));
                self.limit(&place, at(old), at(new));
            }
        }
        for (keyword, words) in NAMED {
            let none = &Map::new();
            let map = |schema: &'a Value| schema.get(keyword).and_then(Value::as_object);
            let (old, new) = (map(before), map(after));
            let kept = old.into_iter().flatten().map(|(name, _)| name);
            let names = new.into_iter().flatten().map(|(name, _)| name);
            let is_old = |name: &&String| old.unwrap_or(none).contains_key(*name);
            for name in kept.chain(names.filter(|name| !is_old(name))) {
                let at = |map: Option<&'a Map<String, Value>>| map.and_then(|map| map.get(name));
                let place = location.named(keyword, name, &format!("{{{words}{name}}}"));
                self.limit(&place, at(old), at(new));
            }
        }
    }

    /// Compares schemas that limit values. Without a schema there is no limit.
    fn limit(&mut self, location: &Location, before: Option<&'a Value>, after: Option<&'a Value>) {
        let before = before.filter(|inner| !is_anything(self.old, inner));
        let after = after.filter(|inner| !is_anything(self.new, inner));
        match (before, after) {
            (Some(before), Some(after)) => self.schema(location, before, after),
            (None, Some(after)) if *after == Value::Bool(false) => {
                self.changed(location, true, "is not allowed any more".to_owned());
            }
            (None, Some(after)) => {
                self.changed(
                    location,
                    true,
                    format!("is limited to {}", described(after)),
                );
            }
            (Some(_), None) => self.changed(location, false, "is not limited any more".into()),
            (None, None) => {}
        }
    }
}
