//! [`of`]: the cost of a schema.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::pattern::Pattern;
use super::{AUTOMATA, Cost, CostError, DEPTH, HEIGHT, PARTS, PATTERNS, Recursion, TRANSLATION};
use mcp_types::uri::percent_decode;

/// Keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that name a schema for references.
const NAMES: [&str; 2] = ["$anchor", "$dynamicAnchor"];
/// Keywords whose values are not schemas. Members of these values that look like references may be
/// plain data.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
/// Keywords that read a whole string or value. Patterns are counted apart.
const TEXTS: [&str; 8] = [
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "format",
    "maxLength",
    "minLength",
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
        patterns: HashMap::new(),
        ways: 0,
    };
    let size = count.parts(schema, 0, false)?;
    let definitions = count.recursive.len();
    let ways = count.ways.max(size.back);
    Ok(Cost {
        parts: size.parts,
        texts: size.texts,
        states: size.states,
        backtracking: size.backtracking,
        patterns: count.patterns.len(),
        automata: count.patterns.values().map(|cost| cost.states).sum(),
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
    /// The patterns so far, each of which is compiled once.
    patterns: HashMap<&'a str, Pattern>,
    /// The maximum number of recursive references in one definition.
    ways: usize,
}

/// The size of a part of a schema with all references expanded.
#[derive(Clone, Copy)]
struct Size {
    parts: usize,
    texts: usize,
    /// The states of patterns that are matched in linear time, and of those that may backtrack.
    states: usize,
    backtracking: usize,
    height: usize,
    /// The number of recursive references.
    back: usize,
}

impl Size {
    const ONE: Self = Self {
        parts: 1,
        texts: 0,
        states: 0,
        backtracking: 0,
        height: 1,
        back: 0,
    };

    /// Adds the size of a nested part. Each summand is at most [`PARTS`], because larger ones are
    /// rejected before.
    fn hold(&mut self, inner: Self) {
        self.parts = self.parts.saturating_add(inner.parts);
        self.texts = self.texts.saturating_add(inner.texts);
        self.states = self.states.saturating_add(inner.states);
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
                    self.looks_at_text(name, value, &mut size)?;
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
                let path = percent_decode(path).and_then(|path| String::from_utf8(path).ok());
                path.and_then(|path| self.root.pointer(&path))
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

    /// Counts the keywords that read a whole string. A property with such a name is counted, too.
    fn looks_at_text(
        &mut self,
        name: &str,
        value: &'a Value,
        size: &mut Size,
    ) -> Result<(), CostError> {
        match (name, value) {
            ("enum", Value::Array(values)) => size.texts = size.texts.saturating_add(values.len()),
            ("patternProperties", Value::Object(members)) => members
                .keys()
                .try_for_each(|pattern| self.pattern(pattern, size))?,
            ("pattern", Value::String(pattern)) => self.pattern(pattern, size)?,
            (name, _) if TEXTS.contains(&name) => size.texts = size.texts.saturating_add(1),
            _ => {}
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &'a str, size: &mut Size) -> Result<(), CostError> {
        let cost = if let Some(cost) = self.patterns.get(pattern) {
            *cost
        } else {
            let cost = Pattern::of(pattern)?;
            self.patterns.insert(pattern, cost);
            let sum =
                |part: fn(&Pattern) -> usize| -> usize { self.patterns.values().map(part).sum() };
            if self.patterns.len() > PATTERNS
                || sum(|cost| cost.states) > AUTOMATA
                || sum(|cost| cost.translation) > TRANSLATION
            {
                return Err(CostError::Costly("the patterns are too many or too large"));
            }
            cost
        };
        let states = if cost.backtracks {
            &mut size.backtracking
        } else {
            &mut size.states
        };
        *states = states.saturating_add(cost.states);
        Ok(())
    }
}

const TOO_HIGH: CostError =
    CostError::Costly("the schema nests deeper than 256 levels with its references written out");

/// Shortens a name for a message.
fn short(target: &str) -> &str {
    let end = target.char_indices().nth(256);
    end.and_then(|(end, _)| target.get(..end)).unwrap_or(target)
}

#[cfg(test)]
mod tests;
