//! [`schema`]: checks the schemas of a tool.

use mcp_client::types::json::Value;
use mcp_guard::schema_validator::{SchemaError, Validator};

use crate::wire::finding::Findings;

/// Keywords at the root that APIs of models refuse.
const REFUSED: [&str; 5] = ["allOf", "anyOf", "enum", "not", "oneOf"];

/// The maximum length of the name of an argument that APIs of models accept.
const NAME: usize = 64;

/// Which schema of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Input,
    Output,
}

/// Checks a schema. `needs_object` says whether the protocol requires an object, unless the message
/// itself was found invalid before.
pub(super) fn schema(
    findings: &mut Findings,
    tool: &str,
    part: Part,
    schema: &Value,
    needs_object: bool,
) {
    let place = match part {
        Part::Input => format!("{tool} inputSchema"),
        Part::Output => format!("{tool} outputSchema"),
    };
    if needs_object && schema.get("type").and_then(Value::as_str) != Some("object") {
        findings.error(
            &place,
            "the root needs the member `type` with the value `object`",
        );
    }
    let mut references = Vec::new();
    external(schema, "$", &mut references);
    for (path, reference) in &references {
        let text = format!(
            "`$ref` leads to another document, `{reference}`, which clients do not load: \
             move it into `$defs`"
        );
        findings.error(format!("{place} {path}"), text);
    }
    if references.is_empty() {
        valid(findings, &place, schema);
    }
    if part == Part::Output {
        return;
    }
    for keyword in REFUSED {
        if schema.get(keyword).is_some() {
            let text = format!("some hosts refuse all tools if one has `{keyword}` at the root");
            findings.warning(&place, text);
        }
    }
    if schema.get("$ref").is_some() {
        findings.warning(&place, "some hosts do not follow `$ref` at the root");
    }
    arguments(findings, tool, &place, schema);
}

/// Checks that a schema is one.
fn valid(findings: &mut Findings, place: &str, schema: &Value) {
    let Ok(schema) = serde_json::from_str(&schema.to_string()) else {
        findings.error(place, "the schema cannot be read");
        return;
    };
    match Validator::new(&schema) {
        Ok(_) => {}
        Err(error @ SchemaError::Dialect(_)) => {
            let text = format!("{error}: expected draft 4, 6, 7, 2019-09 or 2020-12");
            findings.warning(place, text);
        }
        Err(SchemaError::Cost(error)) => {
            findings.warning(place, format!("clients may not use the schema: {error}"));
        }
        Err(error) => findings.error(place, format!("no valid JSON Schema: {error}")),
    }
}

fn arguments(findings: &mut Findings, tool: &str, place: &str, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let mut bare = Vec::new();
    for (name, property) in properties {
        if name.is_empty() || name.len() > NAME || !name.chars().all(is_part) {
            let text = format!(
                "some hosts refuse the name `{name}`: expected at most {NAME} letters, digits, \
                 `_`, `-` and `.`"
            );
            findings.warning(place, text);
        }
        if is_blank(property.get("description")) {
            bare.push(name);
        }
    }
    if !bare.is_empty() {
        let text = format!("arguments without a description: `{}`", bare.join("`, `"));
        findings.warning(tool, text);
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !properties.contains_key(name) {
            let text = format!("`required` names `{name}`, which is not in `properties`");
            findings.warning(place, text);
        }
    }
}

/// Returns `true` if a text is absent or empty.
pub(super) fn is_blank(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str)
        .is_none_or(|text| text.trim().is_empty())
}

/// Collects references to other documents, with their paths. JSON has a bounded depth.
fn external(schema: &Value, path: &str, found: &mut Vec<(String, String)>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                let path = || format!("{path}.{name}");
                match value {
                    Value::String(reference)
                        if matches!(name, "$ref" | "$dynamicRef")
                            && !reference.starts_with('#')
                            && found.len() < 20 =>
                    {
                        found.push((path(), reference.clone()));
                    }
                    // Values, which are no schemas.
                    _ if matches!(name, "const" | "default" | "enum" | "examples") => {}
                    Value::Object(_) | Value::Array(_) => external(value, &path(), found),
                    _ => {}
                }
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                external(value, &format!("{path}[{index}]"), found);
            }
        }
        _ => {}
    }
}
