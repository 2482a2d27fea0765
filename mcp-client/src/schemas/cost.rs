//! [`of`]: how much work a schema makes, before anything is done with it.

use std::collections::HashMap;

use serde_json::Value;

use super::OutputError;

/// Levels that a schema may nest.
const DEPTH: usize = 64;
/// Levels that it may nest with all references written out.
const HEIGHT: usize = 256;
/// Parts that a schema may have with all references written out.
const PARTS: usize = 100_000;
/// Keywords that stand for another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that give a schema a name for references.
const NAMES: [&str; 2] = ["$anchor", "$dynamicAnchor"];

/// Schemas of schemas.
const META: [&str; 4] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
];

/// What checking against a schema costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Parts of the schema, with references written out.
    pub(super) parts: usize,
    /// Levels that these parts nest.
    pub(super) height: usize,
    /// Whether it refers to itself.
    pub(super) recursive: bool,
}

/// The cost of a schema. Refuses what it cannot foresee: a schema beyond what a program would
/// write, and references to what is not in it, or is only found by names of whole schemas.
pub(super) fn of(schema: &Value) -> Result<Cost, OutputError> {
    let mut names = HashMap::new();
    collect(schema, 0, &mut names)?;
    let mut count = Count {
        root: schema,
        names,
        known: HashMap::new(),
        recursive: false,
    };
    let Size { parts, height } = count.parts(schema, 0)?;
    Ok(Cost {
        parts,
        height,
        recursive: count.recursive,
    })
}

/// Finds the names that parts of a schema give themselves.
fn collect<'a>(
    value: &'a Value,
    depth: usize,
    names: &mut HashMap<&'a str, &'a Value>,
) -> Result<(), OutputError> {
    if depth > DEPTH {
        return Err(OutputError::Costly);
    }
    match value {
        Value::Array(values) => values
            .iter()
            .try_for_each(|value| collect(value, depth + 1, names)),
        Value::Object(members) => {
            for name in NAMES {
                if let Some(Value::String(name)) = members.get(name)
                    && names.insert(name, value).is_some()
                {
                    return Err(unusable(format!("two parts of it have the name `{name}`")));
                }
            }
            if depth > 0 && members.get("$id").is_some_and(Value::is_string) {
                return Err(unusable("a part of it has an `$id` of its own".to_owned()));
            }
            members
                .values()
                .try_for_each(|value| collect(value, depth + 1, names))
        }
        _ => Ok(()),
    }
}

fn unusable(reason: String) -> OutputError {
    OutputError::Schema { reason }
}

struct Count<'a> {
    root: &'a Value,
    names: HashMap<&'a str, &'a Value>,
    /// Parts by reference; none for one that is being counted.
    known: HashMap<&'a str, Option<Size>>,
    recursive: bool,
}

/// What a part of a schema is with all references written out.
#[derive(Clone, Copy)]
struct Size {
    parts: usize,
    height: usize,
}

impl Size {
    fn hold(&mut self, inner: Self) {
        self.parts += inner.parts;
        self.height = self.height.max(inner.height + 1);
    }
}

impl<'a> Count<'a> {
    fn parts(&mut self, value: &'a Value, level: usize) -> Result<Size, OutputError> {
        if level > HEIGHT {
            return Err(OutputError::Costly);
        }
        let mut size = Size {
            parts: 1,
            height: 1,
        };
        match value {
            Value::Array(values) => {
                for value in values {
                    size.hold(self.parts(value, level + 1)?);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    size.hold(self.parts(value, level + 1)?);
                    if let (true, Value::String(target)) =
                        (REFERENCES.contains(&name.as_str()), value)
                    {
                        size.hold(self.target(target, level + 1)?);
                    }
                }
            }
            _ => {}
        }
        if size.parts > PARTS || size.height > HEIGHT {
            return Err(OutputError::Costly);
        }
        Ok(size)
    }

    fn target(&mut self, target: &'a str, level: usize) -> Result<Size, OutputError> {
        match self.known.get(target) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => {
                self.recursive = true;
                return Ok(Size {
                    parts: 1,
                    height: 1,
                });
            }
            None => {}
        }
        if META.contains(&target.trim_end_matches('#')) {
            // The schema of schemas, which the validator knows by heart.
            self.recursive = true;
            return Ok(Size {
                parts: 1_000,
                height: 20,
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
            let reason = format!("it refers to `{}`, which is not in it", short(target));
            return Err(unusable(reason));
        };
        self.known.insert(target, None);
        let size = self.parts(value, level)?;
        self.known.insert(target, Some(size));
        Ok(size)
    }
}

/// A path without percent signs.
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

/// A reference that can be told.
fn short(target: &str) -> &str {
    let end = target.char_indices().nth(256);
    end.and_then(|(end, _)| target.get(..end)).unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Definitions of which each refers twice to the next.
    fn doubling(steps: usize) -> Value {
        let mut defs = serde_json::Map::new();
        for step in 0..steps {
            let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
            defs.insert(format!("d{step}"), json!({ "allOf": [next, next] }));
        }
        defs.insert(format!("d{steps}"), json!({ "type": "integer" }));
        json!({ "$ref": "#/$defs/d0", "$defs": defs })
    }

    #[test]
    fn a_schema_that_grows_when_written_out_is_refused_without_doing_so() {
        assert!(of(&doubling(5)).is_ok_and(|cost| cost.parts > 64 && !cost.recursive));
        assert_eq!(of(&doubling(40)), Err(OutputError::Costly));
        assert_eq!(of(&doubling(100)), Err(OutputError::Costly));
        // Each by itself is small, and the last one is far below the first.
        let mut defs = serde_json::Map::new();
        for step in 0..100 {
            let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
            defs.insert(format!("d{step}"), json!({ "not": { "not": next } }));
        }
        defs.insert("d100".to_owned(), json!({ "type": "integer" }));
        let long = json!({ "$ref": "#/$defs/d0", "$defs": defs });
        assert_eq!(of(&long), Err(OutputError::Costly));
        let text = doubling(40).to_string().replace("/d3", "/d%33");
        let encoded = serde_json::from_str(&text).expect("JSON");
        assert_eq!(of(&encoded), Err(OutputError::Costly));
        let named = json!({ "$defs": { "a": { "$anchor": "a", "items": { "$ref": "#a" } } } });
        assert!(of(&named).is_ok_and(|cost| cost.recursive));
        let mut deep = json!(true);
        for _ in 0..70 {
            deep = json!({ "not": deep });
        }
        assert_eq!(of(&deep), Err(OutputError::Costly));
    }

    #[test]
    fn what_cannot_be_foreseen_is_refused() {
        let cases = [
            json!({ "$ref": "#/$defs/none" }),
            json!({ "$ref": "#none" }),
            json!({ "$ref": "other.json" }),
            json!({ "$ref": "https://example.com/" }),
            json!({ "$defs": { "a": { "$id": "a" } } }),
            json!({ "$defs": { "a": { "$anchor": "a" }, "b": { "$anchor": "a" } } }),
        ];
        for schema in cases {
            let refused = of(&schema).expect_err("not foreseen");
            assert!(
                matches!(refused, OutputError::Schema { .. }),
                "{schema}: {refused}"
            );
        }
    }
}
