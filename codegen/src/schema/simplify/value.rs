//! Numbers, constants, enumerations and tuples.

use serde_json::{Map, Number, Value, json};

use super::{Simplifier, is_integer};
use crate::schema::keyword::holds;
use crate::schema::{keyword::Holds, pointer};

impl Simplifier<'_> {
    /// Expresses exclusive bounds of integers by inclusive ones.
    pub(super) fn bounds(
        &mut self,
        members: &Map<String, Value>,
        simple: &mut Map<String, Value>,
        at: &str,
    ) {
        for (exclusive, inclusive, step) in [
            ("exclusiveMinimum", "minimum", 1),
            ("exclusiveMaximum", "maximum", -1),
        ] {
            let bound = match members.get(exclusive) {
                // In draft 04, the other keyword has the bound.
                Some(Value::Bool(true)) => members.get(inclusive),
                Some(Value::Number(_)) => members.get(exclusive),
                _ => continue,
            };
            let whole = bound
                .and_then(Value::as_i64)
                .filter(|_| is_integer(members));
            let Some(next) = whole.and_then(|bound| bound.checked_add(step)) else {
                if bound.is_some() {
                    self.unchecked(at, exclusive);
                }
                continue;
            };
            let other = members
                .get(inclusive)
                .and_then(Value::as_i64)
                .unwrap_or(next);
            let bound = if step > 0 {
                next.max(other)
            } else {
                next.min(other)
            };
            simple.insert(inclusive.to_owned(), bound.into());
        }
    }

    /// Reduces constants and enumerations to those that types can express: strings, and constants
    /// of other simple types.
    pub(super) fn values(&mut self, simple: &mut Map<String, Value>, at: &str) {
        if simple.get("const").is_some_and(Value::is_null) {
            simple.shift_remove("const");
            simple.insert("type".to_owned(), "null".into());
        }
        let is_simple = |value: &Value| value.is_string() || value.is_boolean() || value.is_i64();
        if let Some(value) = simple
            .get("const")
            .filter(|value| !is_simple(value))
            .cloned()
        {
            simple.shift_remove("const");
            self.unchecked(at, "const");
            simple.insert("type".to_owned(), type_of(&value).into());
        }
        let Some(Value::Array(values)) = simple.get("enum").cloned() else {
            return;
        };
        let values = self.possible(values, simple, at);
        if values.iter().all(Value::is_string)
            || matches!(values.as_slice(), [one] if is_simple(one))
        {
            return;
        }
        simple.shift_remove("enum");
        simple.shift_remove("type");
        let (texts, others): (Vec<Value>, Vec<Value>) =
            values.into_iter().partition(Value::is_string);
        let mut types: Vec<&str> = Vec::new();
        for value in &others {
            if !types.contains(&type_of(value)) {
                types.push(type_of(value));
            }
        }
        let is_covered = |ty: &&str| match *ty {
            "null" => true,
            "boolean" => others.contains(&true.into()) && others.contains(&false.into()),
            _ => false,
        };
        if !types.iter().all(is_covered) {
            self.unchecked(at, "enum");
        }
        if types.contains(&"number") {
            types.retain(|ty| *ty != "integer");
        }
        let mut all: Vec<Value> = types.iter().map(|ty| json!({ "type": ty })).collect();
        if !texts.is_empty() {
            all.insert(0, json!({ "type": "string", "enum": texts }));
        }
        match all.as_slice() {
            [Value::Object(only)] => simple.extend(only.clone()),
            _ => {
                simple.insert("anyOf".to_owned(), Value::Array(all));
            }
        }
    }

    /// Leaves out the values of an enumeration that the type beside it excludes.
    fn possible(
        &mut self,
        values: Vec<Value>,
        simple: &mut Map<String, Value>,
        at: &str,
    ) -> Vec<Value> {
        let Some(ty) = simple.get("type").cloned() else {
            return values;
        };
        let (possible, excluded): (Vec<Value>, Vec<Value>) =
            values.iter().cloned().partition(|value| is_of(value, &ty));
        if excluded.is_empty() {
            return values;
        }
        if possible.is_empty() {
            // No value is valid. The type accepts those that are in the list.
            self.unchecked(at, "type");
            return values;
        }
        simple.insert("enum".to_owned(), possible.clone().into());
        possible
    }

    /// Turns the items of a tuple into alternatives for the items of a list.
    pub(super) fn tuple(
        &mut self,
        members: &Map<String, Value>,
        simple: &mut Map<String, Value>,
        at: &str,
    ) {
        let (keyword, rest) = match (members.get("prefixItems"), members.get("items")) {
            (Some(_), rest) => ("prefixItems", rest),
            (None, Some(Value::Array(_))) => ("items", members.get("additionalItems")),
            (None, Some(Value::Bool(false))) => {
                simple.insert("maxItems".to_owned(), 0.into());
                return;
            }
            _ => return,
        };
        let Some(Value::Array(tuple)) = members.get(keyword) else {
            return;
        };
        let place = pointer::join(at, keyword);
        let mut distinct: Vec<Value> = Vec::new();
        let mut add = |schema: Value| {
            if !distinct.contains(&schema) {
                distinct.push(schema);
            }
        };
        for (number, schema) in tuple.iter().enumerate() {
            add(self.schema(schema, &format!("{place}/{number}")));
        }
        match rest {
            Some(Value::Bool(false)) => {
                if !simple.contains_key("maxItems") {
                    simple.insert("maxItems".to_owned(), tuple.len().into());
                }
            }
            Some(rest) => add(self.schema(rest, &pointer::join(at, "items"))),
            None => add(Value::Object(Map::new())),
        }
        if distinct.len() > 1 {
            self.unchecked(at, keyword);
        }
        let is_open = distinct.iter().any(super::accepts_all);
        let items = match distinct.as_slice() {
            [only] => only.clone(),
            _ if is_open => Value::Object(Map::new()),
            _ => json!({ "anyOf": distinct }),
        };
        simple.insert("items".to_owned(), items);
    }
}

/// Returns the name of the type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        // The type of integers has 64 bits.
        Value::Number(number) if !is_whole(number) || !is_small(number) => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns `true` for an integer, however it is written: `1.0` is one.
fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Returns `true` for a number that fits into 64 bits.
fn is_small(number: &Number) -> bool {
    let is_small = |number: f64| number.abs() < 2_f64.powi(63);
    number.is_i64() || number.as_f64().is_some_and(is_small)
}

/// Returns `true` if a value is of a type, or of one of several.
fn is_of(value: &Value, ty: &Value) -> bool {
    match ty {
        Value::Array(types) => types.iter().any(|ty| is_of(value, ty)),
        Value::String(ty) => match ty.as_str() {
            "number" => value.is_number(),
            "integer" => value.as_number().is_some_and(is_whole),
            ty => type_of(value) == ty,
        },
        _ => true,
    }
}

/// Returns `true` for a keyword with a text for people or tools, which is kept beside a type.
pub(super) fn describes(keyword: &str) -> bool {
    holds(keyword) == Holds::Prose || keyword == "deprecated" || keyword.starts_with("x-")
}
