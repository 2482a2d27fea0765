//! Writes a schema in the form in which people write types, a line for each member.
//!
//! Each keyword appears somewhere: what has no form of its own follows its schema in parentheses.

use codegen::schema::reference;
use serde_json::{Map, Value};

/// The width from which on alternatives are written on lines of their own.
const WIDTH: usize = 60;

/// Returns the lines of a schema.
pub(super) fn lines(schema: &Value) -> Vec<String> {
    let text = written(schema);
    let text = text.trim_start_matches('\n');
    text.lines().map(str::to_owned).collect()
}

/// Returns the text of a schema, which has several lines if it has members.
fn written(schema: &Value) -> String {
    let Value::Object(members) = schema else {
        return match schema {
            Value::Bool(false) => "nothing".to_owned(),
            _ => "anything".to_owned(),
        };
    };
    let mut left = Left {
        members: members
            .iter()
            .map(|(keyword, value)| (keyword.as_str(), value))
            .collect(),
    };
    let mut parts = Vec::new();
    if let Some(name) = reference(schema) {
        left.take("$ref");
        parts.push(name.to_owned());
    }
    if let Some(value) = left.take("const") {
        left.take("type");
        parts.push(value.to_string());
    }
    if let Some(Value::Array(values)) = left.array("enum") {
        left.take("type");
        parts.push(alternatives(
            &values.iter().map(Value::to_string).collect::<Vec<_>>(),
        ));
    }
    let types = left.types();
    if !types.is_empty() {
        parts.push(alternatives(&types));
    }
    if let Some(Value::Array(all)) = left.array("allOf") {
        parts.extend(all.iter().map(|part| grouped(written(part))));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(all)) = left.array(keyword) {
            let text = alternatives(&all.iter().map(written).collect::<Vec<_>>());
            let only_one = if keyword == "oneOf" { "one of: " } else { "" };
            let text = if parts.is_empty() {
                text
            } else {
                grouped(text)
            };
            parts.push(format!("{only_one}{text}"));
        }
    }
    if parts.is_empty() {
        parts.push("anything".to_owned());
    }
    let notes = left.notes();
    parts.join(" & ") + &notes
}

/// The keywords of a schema that are not written yet.
struct Left<'a> {
    members: Vec<(&'a str, &'a Value)>,
}

impl<'a> Left<'a> {
    fn take(&mut self, keyword: &str) -> Option<&'a Value> {
        let place = self.members.iter().position(|(name, _)| *name == keyword)?;
        Some(self.members.remove(place).1)
    }

    /// Takes a keyword if its value is an array that is not empty.
    fn array(&mut self, keyword: &str) -> Option<&'a Value> {
        let found = self.members.iter().find(|(name, _)| *name == keyword)?;
        let is_array = found.1.as_array().is_some_and(|values| !values.is_empty());
        is_array.then(|| self.take(keyword)).flatten()
    }

    fn has(&self, keywords: &[&str]) -> bool {
        self.members.iter().any(|(name, _)| keywords.contains(name))
    }

    /// Returns the texts of the types that `type` and the keywords of objects and arrays describe.
    fn types(&mut self) -> Vec<String> {
        let mut names: Vec<String> = match self.take("type") {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let implied = [
            (
                "object",
                &["properties", "required", "additionalProperties"][..],
            ),
            ("array", &["items", "prefixItems"]),
        ];
        for (name, keywords) in implied {
            let position = names.iter().position(|each| each == name);
            if !self.has(keywords) || (position.is_none() && !names.is_empty()) {
                continue;
            }
            let text = if name == "object" {
                self.object()
            } else {
                self.array_type()
            };
            match position {
                Some(position) => names[position] = text,
                None => names.push(text),
            }
        }
        names
    }

    fn object(&mut self) -> String {
        let mut lines = Vec::new();
        let none = Map::new();
        let declared = self.take("properties").and_then(Value::as_object);
        let declared = declared.unwrap_or(&none);
        let names = self.take("required").and_then(Value::as_array);
        let required: Vec<&str> = names
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, schema) in declared {
            let mark = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            lines.push(format!("{}{mark}: {}", shown(name), written(schema)));
        }
        for name in required
            .iter()
            .filter(|name| !declared.contains_key(**name))
        {
            lines.push(format!("{}: anything", shown(name)));
        }
        match self.take("additionalProperties") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => lines.push("nothing else".to_owned()),
            Some(schema) => lines.push(format!("[name]: {}", written(schema))),
        }
        if lines.is_empty() {
            return "object".to_owned();
        }
        format!("{{\n{}\n}}", indented(&lines.join("\n")))
    }

    fn array_type(&mut self) -> String {
        let mut items = self.take("items");
        let tuple = self.take("prefixItems").or_else(|| {
            let list = items.filter(|items| items.is_array());
            list.inspect(|_| items = None)
        });
        let each = items.map(written);
        let Some(tuple) = tuple.and_then(Value::as_array) else {
            return format!("{}[]", grouped(each.unwrap_or_default()));
        };
        let mut places: Vec<String> = tuple.iter().map(written).collect();
        places.extend(each.map(|each| format!("...{}[]", grouped(each))));
        format!("[{}]", places.join(", "))
    }

    /// Returns what is left, in parentheses.
    fn notes(self) -> String {
        if self.members.is_empty() {
            return String::new();
        }
        let note = |(keyword, value): (&str, &Value)| match value {
            Value::Bool(true) => keyword.to_owned(),
            Value::String(text) => format!("{keyword} {text}"),
            value => format!("{keyword} {value}"),
        };
        let notes: Vec<String> = self.members.into_iter().map(note).collect();
        format!(" ({})", notes.join(", "))
    }
}

/// Joins alternatives, on one line if they fit.
fn alternatives(all: &[String]) -> String {
    if let [only] = all {
        return only.clone();
    }
    let is_short = all.iter().map(String::len).sum::<usize>() <= WIDTH;
    if is_short && !all.iter().any(|each| each.contains('\n')) {
        return all.join(" | ");
    }
    let lines: Vec<String> = all.iter().map(|each| format!("| {each}")).collect();
    format!("\n{}", indented(&lines.join("\n")))
}

/// Puts parentheses around a text of several types.
fn grouped(text: String) -> String {
    if text.contains([' ', '\n']) && !text.starts_with(['{', '[']) {
        format!("({text})")
    } else {
        text
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// Returns a name as it is, or in quotes if it is no word.
fn shown(name: &str) -> String {
    let is_word = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-'));
    if is_word {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &str) {
        assert_eq!(lines(schema).join("\n"), expected, "{schema}");
    }

    #[test]
    fn types_are_written_as_people_write_them() {
        check(&json!({ "type": "string" }), "string");
        check(&json!({ "type": ["string", "null"] }), "string | null");
        check(&json!({ "$ref": "#/$defs/Tool" }), "Tool");
        check(&json!({ "const": "a", "type": "string" }), "\"a\"");
        check(&json!({ "enum": ["a", 1] }), "\"a\" | 1");
        check(
            &json!({ "type": "array", "items": { "$ref": "#/$defs/A" } }),
            "A[]",
        );
        check(
            &json!({ "items": { "type": ["string", "null"] } }),
            "(string | null)[]",
        );
        check(
            &json!({ "prefixItems": [{ "type": "string" }], "items": false }),
            "[string, ...nothing[]]",
        );
        check(&json!(true), "anything");
        check(
            &json!({ "oneOf": [{ "type": "string" }, { "type": "null" }] }),
            "one of: string | null",
        );
    }

    #[test]
    fn each_member_has_a_line() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "ttl/ms": { "type": "integer", "minimum": 0 },
                "inner": { "properties": { "x": {} } },
            },
            "required": ["name", "other"],
            "additionalProperties": { "type": "string" },
        });
        let expected = "\
{
  name: string
  \"ttl/ms\"?: integer (minimum 0)
  inner?: {
    x?: anything
  }
  other: anything
  [name]: string
}";
        check(&schema, expected);
    }

    #[test]
    fn no_keyword_is_lost() {
        let schema = json!({
            "type": "string", "format": "uri", "deprecated": true, "not": { "const": "a" },
            "anyOf": [], "properties": {},
        });
        let expected =
            "string (format uri, deprecated, not {\"const\":\"a\"}, anyOf [], properties {})";
        check(&schema, expected);
    }

    #[test]
    fn long_alternatives_stand_one_below_the_other() {
        let texts = ["one", "two"].map(|text| format!("{text}{}", "x".repeat(30)));
        let found = lines(&json!({ "enum": texts }));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("  | \"one"), "{found:?}");
    }
}
