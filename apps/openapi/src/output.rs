//! [`Output`]: the schema of a tool's structured content.

use std::sync::OnceLock;

use http::HeaderValue;
use mcp_guard::schema_validator::{SchemaError, Validator};
use mcp_server::types::json::{Object, Value};

use super::body::{MEDIA_TYPE, is_json};
use super::document::Resolver;
use super::schema::{Converter, Detail, Direction, is_object, size};

/// The member that has a result that is not an object.
pub(super) const RESULT: &str = "result";
/// The member that has a result that does not fit the schema of the document.
pub(super) const UNDOCUMENTED: &str = "undocumented";

/// The largest schemas of several responses that are compared, in bytes.
const COMPARED: usize = 16 << 10;

/// What an operation returns.
pub(super) struct Output {
    /// The schema of the structured content, if each success of the operation has some.
    pub(super) schema: Option<Object>,
    /// Compiled for the first result: an API can have thousands of operations, of which few are called.
    validator: OnceLock<Option<Validator>>,
    /// Set if the content is not an object and is therefore wrapped into one. Without a schema, this
    /// depends on the content.
    pub(super) wrapped: bool,
    /// The value of the header `Accept`.
    pub(super) accept: HeaderValue,
}

impl Output {
    /// Reads the responses of an operation. Also returns what could not be kept.
    pub(super) fn read<'a>(
        resolver: &Resolver<'a>,
        operation: &'a Value,
        with_schema: bool,
        details: &[Detail],
    ) -> (Self, Vec<String>) {
        let responses = successes(resolver, operation);
        let mut schemas: Vec<&'a Value> = Vec::new();
        let mut accept: Vec<&'a str> = Vec::new();
        let mut is_always_json = !responses.is_empty();
        for response in responses {
            let content = response.get("content").and_then(Value::as_object);
            let mut schema = None;
            for (name, media) in content.into_iter().flatten().take(8) {
                if name.len() > MEDIA_TYPE {
                    continue;
                }
                let media = resolver.follow(media).ok();
                let essence = name.split(';').next().unwrap_or_default().trim();
                if is_json(&essence.to_ascii_lowercase()) {
                    schema = schema.or_else(|| media?.get("schema"));
                    accept.insert(0, name);
                } else {
                    accept.push(name);
                }
            }
            match schema {
                // Many operations can share large schemas, which are too many to compare.
                Some(schema)
                    if schemas.iter().any(|known| {
                        std::ptr::eq(*known, schema)
                            || (size(schema, COMPARED).is_some() && *known == schema)
                    }) => {}
                Some(schema) => schemas.push(schema),
                None => is_always_json = false,
            }
        }
        let mut output = Self {
            schema: None,
            validator: OnceLock::new(),
            wrapped: false,
            accept: accept_of(&accept),
        };
        let (&[schema], true, true) = (&*schemas, is_always_json, with_schema) else {
            return (output, Vec::new());
        };
        if is_blank(resolver, schema) {
            return (output, Vec::new());
        }
        let mut notes = Vec::new();
        for &detail in details {
            let (whole, wrapped, left_out) = output_schema(resolver, schema, detail);
            match compiled(&whole) {
                Ok(_) => {
                    output.schema = Some(whole);
                    output.wrapped = wrapped;
                    notes.extend(
                        left_out
                            .into_iter()
                            .map(|note| format!("the result: {note}")),
                    );
                    break;
                }
                Err(error) => notes.push(format!("the result: {error}")),
            }
        }
        (output, notes)
    }

    /// Returns `true` if the response has no structured content, or content that fits the schema.
    pub(super) fn fits(&self, content: &Value) -> bool {
        let Some(schema) = &self.schema else {
            return true;
        };
        let validator = self.validator.get_or_init(|| compiled(schema).ok());
        let validator = validator.as_ref();
        validator.is_none_or(|validator| validator.check(content).is_ok())
    }
}

fn compiled(schema: &Object) -> Result<Validator, SchemaError> {
    Validator::new(&serde_json::Value::Object(schema.clone().into()))
}

/// Returns `true` for a schema that says nothing about the value.
fn is_blank<'a>(resolver: &Resolver<'a>, schema: &'a Value) -> bool {
    let is_text = |keyword: &str| matches!(keyword, "description" | "example" | "title");
    match resolver.follow(schema) {
        Ok(Value::Object(schema)) => schema.keys().all(is_text),
        Ok(schema) => schema.as_bool() == Some(true),
        Err(_) => false,
    }
}

/// Returns the responses that the document lists for a success.
fn successes<'a>(resolver: &Resolver<'a>, operation: &'a Value) -> Vec<&'a Value> {
    let responses = operation.get("responses").and_then(Value::as_object);
    let all: Vec<_> = responses.into_iter().flatten().take(64).collect();
    let of = |is_wanted: fn(&str) -> bool| {
        let wanted = all.iter().filter(|(status, _)| is_wanted(status));
        wanted
            .filter_map(|(_, response)| resolver.follow(response).ok())
            .collect::<Vec<_>>()
    };
    let found = of(|status| status.starts_with('2'));
    if found.is_empty() {
        return of(|status| status == "default");
    }
    found
}

/// Returns the schema of the structured content, whether it wraps the one of the document, and what
/// could not be kept.
fn output_schema<'a>(
    resolver: &Resolver<'a>,
    schema: &'a Value,
    detail: Detail,
) -> (Object, bool, Vec<String>) {
    let mut converter = Converter::new(resolver, Direction::Response, detail);
    let is_wrapped = !is_object(resolver, schema, &mut 64);
    let documented = if is_wrapped {
        let properties = Object::from([(RESULT, converter.convert(schema))]);
        Object::from([
            ("type", Value::from("object")),
            ("properties", properties.into()),
            ("required", Value::Array(vec![RESULT.into()])),
        ])
    } else {
        let schema = resolver.follow(schema).unwrap_or(schema);
        let mut documented = match converter.convert(schema) {
            Value::Object(documented) => documented,
            _ => Object::new(),
        };
        documented.insert("type", "object");
        documented
    };
    // A tool with an output schema must return what fits it, and APIs do not observe their documents: a
    // call that has worked is not a failure because of that.
    let text = "A result that the document of the API does not describe";
    let any = Object::from([(UNDOCUMENTED, Object::from([("description", text)]))]);
    let other = Object::from([
        ("properties", Value::from(any)),
        ("required", Value::Array(vec![UNDOCUMENTED.into()])),
    ]);
    let mut whole = Object::from([
        // Older revisions and some clients require the type at the root.
        ("type", Value::from("object")),
        ("anyOf", Value::Array(vec![documented.into(), other.into()])),
    ]);
    let notes = converter.finish(&mut whole).unwrap_or_default();
    (whole, is_wrapped, notes)
}

/// Returns the header `Accept` for the media types of a document.
fn accept_of(types: &[&str]) -> HeaderValue {
    let mut all: Vec<&str> = Vec::new();
    for name in types.iter().take(8).chain(&["*/*;q=0.1"]) {
        if !all.contains(name) && name.contains('/') && *name != "*/*" {
            all.push(name);
        }
    }
    if types.is_empty() {
        all.insert(0, "application/json");
    }
    HeaderValue::from_str(&all.join(", ")).unwrap_or(HeaderValue::from_static("*/*"))
}
