//! Compares unions and other combinations of schemas.

use serde_json::Value;

use super::{Differ, Location};
use crate::schema::keyword::restricts;
use crate::schema::resolve::{described, is_union, resolve, variants};
use crate::schema::{reference, structure};

/// What the schemas of a list say about a value, and whether it is breaking that there is one more
/// or one less.
struct Listed {
    gone: (&'static str, bool),
    fresh: (&'static str, bool),
}

/// A value matches one of the schemas.
const ALTERNATIVES: Listed = Listed {
    gone: ("is no longer", true),
    fresh: ("may also be", false),
};

/// A value matches all schemas.
const PARTS: Listed = Listed {
    gone: ("need no longer be", false),
    fresh: ("also has to be", true),
};

impl<'a> Differ<'a> {
    /// Compares two schemas, of which at least one is a union.
    pub(super) fn union(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let (old, new) = (variants(self.old, before), variants(self.new, after));
        self.listed(location, &old, &new, &ALTERNATIVES);
        if is_union(self.old, before) && is_union(self.new, after) {
            let (old, new) = (resolve(self.old, before), resolve(self.new, after));
            self.rest(location, old, new);
            let only_one = |schema: &Value| schema.get("oneOf").is_some();
            match (only_one(old), only_one(new)) {
                (false, true) => {
                    let detail = "has to match only one alternative".to_owned();
                    self.changed(location, true, detail);
                }
                (true, false) => {
                    self.changed(location, false, "may match several alternatives".to_owned());
                }
                _ => {}
            }
        }
    }

    /// Compares `anyOf` and `oneOf` with other keywords beside them.
    pub(super) fn alternatives(
        &mut self,
        location: &Location,
        before: &'a Value,
        after: &'a Value,
    ) {
        for keyword in ["anyOf", "oneOf"] {
            let list = |schema: &'a Value| schema.get(keyword).and_then(Value::as_array);
            match (list(before), list(after)) {
                (Some(old), Some(new)) => {
                    let (old, new): (Vec<_>, Vec<_>) = (old.iter().collect(), new.iter().collect());
                    self.listed(location, &old, &new, &ALTERNATIVES);
                }
                (None, Some(new)) => {
                    let names: Vec<String> = new.iter().map(described).collect();
                    let detail = format!("also has to be {}", names.join(" or "));
                    self.changed(location, true, detail);
                }
                (Some(_), None) => {
                    let detail = format!("is not limited by `{keyword}` any more");
                    self.changed(location, false, detail);
                }
                (None, None) => {}
            }
        }
    }

    /// Compares `allOf`.
    pub(super) fn parts(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let list = |schema: &'a Value| -> Vec<&'a Value> {
            let parts = schema.get("allOf").and_then(Value::as_array);
            let parts = parts.into_iter().flatten();
            // A part without restrictions says nothing.
            parts
                .filter(|part| match part {
                    Value::Object(members) => members.keys().any(|keyword| restricts(keyword)),
                    part => **part == Value::Bool(false),
                })
                .collect()
        };
        self.listed(location, &list(before), &list(after), &PARTS);
    }

    /// Compares two lists of schemas whose order does not matter.
    fn listed(
        &mut self,
        location: &Location,
        old: &[&'a Value],
        new: &[&'a Value],
        listed: &Listed,
    ) {
        let missing = |from: &[&'a Value], others: &[&'a Value]| -> Vec<&'a Value> {
            let from = from.iter().copied();
            from.filter(|left| !others.iter().any(|right| is_same(left, right)))
                .collect()
        };
        let (gone, fresh) = (missing(old, new), missing(new, old));
        if let ([before], [after]) = (gone.as_slice(), fresh.as_slice())
            && reference(before).is_none()
            && reference(after).is_none()
        {
            return self.schema(location, before, after);
        }
        for (schemas, (verb, breaking)) in [(gone, listed.gone), (fresh, listed.fresh)] {
            for schema in schemas {
                let detail = format!("{verb} {}", described(schema));
                self.changed(location, breaking, detail);
            }
        }
    }
}

fn is_same(left: &Value, right: &Value) -> bool {
    match (reference(left), reference(right)) {
        (None, None) => structure::equal(left, right),
        (left_name, right_name) => left_name == right_name && structure::equal(left, right),
    }
}
