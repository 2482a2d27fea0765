//! [`of`]: the cost of a schema.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Cost, CostError, DEPTH, HEIGHT, PARTS, Recursion};

/// Keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that name a schema for references.
const NAMES: [&str; 2] = ["$anchor", "$dynamicAnchor"];
/// Keywords whose values are not schemas. Members of these values that look like references may be
/// plain data.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords that read a whole string or value.
const TEXTS: [&str; 9] = [
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "format",
    "maxLength",
    "minLength",
    "pattern",
    "uniqueItems",
];

/// URIs of meta-schemas.
const META: [&str; 5] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

/// Returns the cost of a schema.
///
/// # Errors
///
/// Returns [`CostError::Costly`] for a schema that is larger than any reasonable one, and
/// [`CostError::Unusable`] for references to definitions that are not in the schema, or that can
/// only be resolved with the URIs of whole schemas.
pub fn of(schema: &Value) -> Result<Cost, CostError> {
    let dialect = schema.get("$schema").and_then(Value::as_str);
    // Only draft 4 writes this keyword without a dollar sign.
    let id = match dialect {
        Some(dialect) if dialect.contains("draft-04") => "id",
        _ => "$id",
    };
    let mut names = HashMap::new();
    collect(schema, id, 0, &mut names)?;
    let mut count = Count {
        root: schema,
        names,
        known: HashMap::new(),
        recursive: HashSet::new(),
        ways: 0,
    };
    let size = count.parts(schema, 0, false)?;
    let definitions = count.recursive.len();
    let ways = count.ways.max(size.back);
    Ok(Cost {
        parts: size.parts,
        texts: size.texts,
        backtracking: size.backtracking,
        height: size.height,
        recursion: (definitions > 0).then_some(Recursion { ways, definitions }),
    })
}

/// Collects the names that parts of a schema give themselves.
fn collect<'a>(
    value: &'a Value,
    id: &str,
    depth: usize,
    names: &mut HashMap<&'a str, &'a Value>,
) -> Result<(), CostError> {
    if depth > DEPTH {
        return Err(CostError::Costly("the schema nests deeper than 64 levels"));
    }
    match value {
        Value::Array(values) => values
            .iter()
            .try_for_each(|value| collect(value, id, depth + 1, names)),
        Value::Object(members) => {
            for name in NAMES {
                if let Some(Value::String(name)) = members.get(name)
                    && names.insert(name, value).is_some()
                {
                    let name = short(name);
                    return Err(unusable(format!("the schema uses the name `{name}` twice")));
                }
            }
            if depth > 0 && members.get(id).is_some_and(Value::is_string) {
                return Err(unusable(format!("a part of the schema has its own `{id}`")));
            }
            members
                .values()
                .try_for_each(|value| collect(value, id, depth + 1, names))
        }
        _ => Ok(()),
    }
}

fn unusable(reason: String) -> CostError {
    CostError::Unusable(reason)
}

struct Count<'a> {
    root: &'a Value,
    names: HashMap<&'a str, &'a Value>,
    /// The sizes of references; `None` for those that are being counted.
    known: HashMap<&'a str, Option<Size>>,
    /// References that are recursive.
    recursive: HashSet<&'a str>,
    /// The maximum number of recursive references in one definition.
    ways: usize,
}

/// The size of a part of a schema with all references expanded.
#[derive(Clone, Copy)]
struct Size {
    parts: usize,
    texts: usize,
    backtracking: usize,
    height: usize,
    /// The number of recursive references.
    back: usize,
}

impl Size {
    const ONE: Self = Self {
        parts: 1,
        texts: 0,
        backtracking: 0,
        height: 1,
        back: 0,
    };

    /// Adds the size of a nested part. Each summand is at most [`PARTS`], because larger ones are
    /// rejected before.
    fn hold(&mut self, inner: Self) {
        self.parts = self.parts.saturating_add(inner.parts);
        self.texts = self.texts.saturating_add(inner.texts);
        self.backtracking = self.backtracking.saturating_add(inner.backtracking);
        self.back = self.back.saturating_add(inner.back);
        self.height = self.height.max(inner.height + 1);
    }
}

impl<'a> Count<'a> {
    /// Returns the size of a value. `data` is `true` in a keyword whose value is not a schema.
    fn parts(&mut self, value: &'a Value, level: usize, data: bool) -> Result<Size, CostError> {
        if level > HEIGHT {
            return Err(TOO_HIGH);
        }
        let mut size = Size::ONE;
        match value {
            Value::Array(values) => {
                for value in values {
                    size.hold(self.parts(value, level + 1, data)?);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let data = data || DATA.contains(&name.as_str());
                    size.hold(self.parts(value, level + 1, data)?);
                    if let (true, Value::String(target)) =
                        (REFERENCES.contains(&name.as_str()), value)
                    {
                        size.hold(self.target(target, level + 1, data)?);
                    }
                    looks_at_text(name, value, &mut size);
                }
            }
            _ => {}
        }
        if size.parts > PARTS {
            return Err(CostError::Costly(
                "the schema has more than 100000 parts with its references written out",
            ));
        }
        if size.height > HEIGHT {
            return Err(TOO_HIGH);
        }
        Ok(size)
    }

    fn target(&mut self, target: &'a str, level: usize, data: bool) -> Result<Size, CostError> {
        match self.known.get(target) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => {
                self.recursive.insert(target);
                return Ok(Size {
                    back: 1,
                    ..Size::ONE
                });
            }
            None => {}
        }
        if META.contains(&target.trim_end_matches('#')) {
            // A meta-schema, which is built into the validator. It is recursive, with more paths
            // than a validator should follow to produce an error message.
            self.recursive.insert(target);
            return Ok(Size {
                parts: 1_000,
                texts: 100,
                height: 20,
                back: 100,
                ..Size::ONE
            });
        }
        let value = match target.strip_prefix('#') {
            None => None,
            Some("") => Some(self.root),
            Some(path) if path.starts_with('/') => {
                decoded(path).and_then(|path| self.root.pointer(&path))
            }
            Some(name) => self.names.get(name).copied(),
        };
        let Some(value) = value else {
            if data {
                // If it is a reference nevertheless, the validator does not find its target either.
                return Ok(Size::ONE);
            }
            let reason = format!(
                "the schema refers to `{}`, which it does not contain",
                short(target)
            );
            return Err(unusable(reason));
        };
        self.known.insert(target, None);
        let size = self.parts(value, level, data)?;
        self.known.insert(target, Some(size));
        self.ways = self.ways.max(size.back);
        Ok(size)
    }
}

const TOO_HIGH: CostError =
    CostError::Costly("the schema nests deeper than 256 levels with its references written out");

/// Counts the keywords that read a whole string. A property with such a name is counted, too.
fn looks_at_text(name: &str, value: &Value, size: &mut Size) {
    match (name, value) {
        ("enum", Value::Array(values)) => size.texts = size.texts.saturating_add(values.len()),
        ("patternProperties", Value::Object(members)) => {
            size.texts = size.texts.saturating_add(members.len());
            size.backtracking += members.keys().filter(|name| backtracks(name)).count();
        }
        ("pattern", Value::String(pattern)) => {
            size.texts = size.texts.saturating_add(1);
            size.backtracking += usize::from(backtracks(pattern));
        }
        (name, _) if TEXTS.contains(&name) => size.texts = size.texts.saturating_add(1),
        _ => {}
    }
}

/// Returns `true` for a pattern that needs backtracking: it has a lookaround, an atomic group, or a
/// reference to another group.
fn backtracks(pattern: &str) -> bool {
    let refers = |pair: &[u8]| matches!(pair, [b'\\', b'1'..=b'9' | b'k']);
    ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?("]
        .iter()
        .any(|group| pattern.contains(group))
        || pattern.as_bytes().windows(2).any(refers)
}

/// Decodes the percent-encoding of a path.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        let (digits, after) = after.split_at_checked(2)?;
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// Shortens a name for a message.
fn short(target: &str) -> &str {
    let end = target.char_indices().nth(256);
    end.and_then(|(end, _)| target.get(..end)).unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema_cost::Extent;
    use serde_json::json;

    /// Creates definitions each of which refers twice to the next.
    fn doubling(steps: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for step in 0..steps {
            let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
            defs.insert(format!("d{step}"), json!({ "allOf": [next, next] }));
        }
        defs.insert(format!("d{steps}"), json!({ "type": "integer" }));
        json!({ "$ref": "#/$defs/d0", "$defs": defs })
    }

    fn is_costly(schema: &Value) -> bool {
        matches!(of(schema), Err(CostError::Costly(_)))
    }

    #[test]
    fn schema_that_explodes_when_expanded_is_rejected_without_expanding_it() {
        assert!(of(&doubling(5)).is_ok_and(|cost| cost.parts > 64 && cost.recursion.is_none()));
        assert!(is_costly(&doubling(40)));
        assert!(is_costly(&doubling(100)));
        // Each one is small, and the last one is nested far below the first.
        let mut defs = serde_json::Map::new();
        for step in 0..100 {
            let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
            defs.insert(format!("d{step}"), json!({ "not": { "not": next } }));
        }
        defs.insert("d100".to_owned(), json!({ "type": "integer" }));
        let long = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        assert!(is_costly(&long));
        let text = doubling(40).to_string().replace("/d3", "/d%33");
        assert!(is_costly(&serde_json::from_str(&text).expect("JSON")));
        let named = json!({ "$defs": { "a": { "$anchor": "a", "items": { "$ref": "#a" } } } });
        assert!(of(&named).is_ok_and(|cost| cost.recursion.is_some()));
        let mut deep = json!(true);
        for _ in 0..70 {
            deep = json!({ "not": deep });
        }
        assert!(is_costly(&deep));
    }

    #[test]
    fn references_whose_cost_is_unknown_are_rejected() {
        let four = "http://json-schema.org/draft-04/schema#";
        let cases = [
            json!({ "$ref": "#/$defs/none" }),
            json!({ "$ref": "#none" }),
            json!({ "$ref": "other.json" }),
            json!({ "$ref": "https://example.com/" }),
            json!({ "$defs": { "a": { "$id": "a" } } }),
            json!({ "$schema": four, "definitions": { "a": { "id": "a" } } }),
            json!({ "$defs": { "a": { "$anchor": "a" }, "b": { "$anchor": "a" } } }),
        ];
        for schema in cases {
            let refused = of(&schema).expect_err("its cost is unknown");
            assert!(
                matches!(refused, CostError::Unusable(_)),
                "{schema}: {refused}"
            );
        }
    }

    #[test]
    fn data_that_looks_like_a_reference_is_accepted() {
        let schema = json!({ "default": { "$ref": "#/none" }, "enum": [{ "$ref": "none" }] });
        of(&schema).expect("no reference");
        // A property may have such a name; the references in its schema are counted.
        let mut schema = doubling(40);
        schema["properties"] = json!({ "default": { "$ref": "#/$defs/d0" } });
        schema.as_object_mut().expect("an object").remove("$ref");
        assert!(is_costly(&schema));
    }

    #[test]
    fn cost_limit_is_the_product_of_value_and_schema_sizes() {
        let many = Extent::of_json(&Value::from(vec![1; 10_000]));
        let long = Extent::of_json(&Value::from("x".repeat(3 << 20)));
        let list = of(&json!({ "items": { "type": "integer" } })).expect("a cost");
        assert!(list.is_small() && list.admits(&many) && list.admits(&long));
        let branches = vec![json!({ "type": "integer" }); 20_000];
        let wide = of(&json!({ "items": { "anyOf": branches } })).expect("a cost");
        assert!(!wide.is_small() && !wide.admits(&many) && wide.admits(&long));
        let patterns = vec![json!({ "pattern": "a+" }); 1_000];
        let scans = of(&json!({ "allOf": patterns })).expect("a cost");
        assert!(scans.admits(&many) && !scans.admits(&long));
        let tries = of(&json!({ "items": { "pattern": "^(?!a)" } })).expect("a cost");
        let more = Extent::of_json(&Value::from(vec![1; 100_000]));
        assert!(!tries.is_small() && tries.admits(&many) && !tries.admits(&more));
    }

    #[test]
    fn errors_are_collected_only_if_cheap() {
        let mut deep = json!(1);
        for _ in 0..40 {
            deep = json!({ "a": deep });
        }
        let deep = Extent::of_json(&deep);
        // One path from each level to the next, and two paths.
        let again = json!({ "properties": { "a": { "$ref": "#" } } });
        let one = of(&again).expect("a cost");
        let two = of(&json!({ "allOf": [again, again] })).expect("a cost");
        let flat = Extent::of_json(&json!({ "a": { "a": 1 } }));
        assert!(one.admits(&deep) && one.explains(&deep));
        assert!(two.admits(&deep) && !two.explains(&deep));
        assert!(two.explains(&flat));
        let many = Extent::of_json(&Value::from(vec![1; 1_000_000]));
        assert!(one.admits(&many) && !one.explains(&many));
    }
}
