//! [`Reader`]: reads shapes and fields from JSON Schemas.

use std::collections::HashSet;

use mcp_client::types::json::Value;

use super::{Field, Kind, Shape, one_of_each, plain};

/// The maximum depth of schemas within schemas.
const DEPTH: usize = 8;

/// The maximum number of schemas that are read for one field: a schema can refer to itself in many
/// ways.
const SCHEMAS: usize = 1000;

/// Returns the members that the schema of an object declares.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    Reader::new(schema).shape(schema, 0).into_members()
}

/// Reads shapes from the schemas of a document.
pub(crate) struct Reader<'a> {
    document: &'a Value,
    /// The number of schemas that may still be read.
    left: usize,
    /// The references that lead to the current schema.
    open: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        Self {
            document,
            left: SCHEMAS,
            open: Vec::new(),
        }
    }

    /// Reads a schema. The rest of a schema that is too large or refers to itself allows any value.
    pub(crate) fn shape(&mut self, schema: &'a Value, depth: usize) -> Shape {
        if depth == DEPTH || self.left == 0 {
            return Shape(kinds(schema));
        }
        self.left -= 1;
        let mut shape = self.own(schema, depth);
        for part in list(schema, "allOf") {
            shape = shape.and(self.shape(part, depth + 1));
        }
        for name in ["anyOf", "oneOf"] {
            let branches = list(schema, name).map(|branch| self.shape(branch, depth + 1));
            if let Some(either) = branches.reduce(Shape::or) {
                shape = shape.and(either);
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            shape = shape.and(self.referenced(reference, depth));
        }
        shape
    }

    /// Reads the schema to which a reference within the document leads.
    fn referenced(&mut self, reference: &'a str, depth: usize) -> Shape {
        let document = self.document;
        let pointer = reference.strip_prefix('#');
        let Some(schema) = pointer.and_then(|pointer| document.pointer(pointer)) else {
            return Shape::default();
        };
        if self.open.contains(&reference) {
            return Shape(kinds(schema));
        }
        self.open.push(reference);
        let shape = self.shape(schema, depth + 1);
        self.open.pop();
        shape
    }

    /// Reads what a schema says without the schemas that it combines.
    fn own(&mut self, schema: &'a Value, depth: usize) -> Shape {
        let title = schema.get("title").and_then(Value::as_str);
        if let Some(value) = schema.get("const") {
            return Shape(vec![Kind::Choice(value.clone(), title.map(str::to_owned))]);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let mut titles = list(schema, "enumNames").map(|title| title.as_str());
            let choices = values.iter().map(|value| {
                let title = titles.next().flatten().map(str::to_owned);
                Kind::Choice(value.clone(), title)
            });
            return Shape(choices.collect());
        }
        let mut kinds = kinds(schema);
        for kind in &mut kinds {
            match kind {
                Kind::List(items) => {
                    if let Some(schema) = schema.get("items") {
                        *items = self.shape(schema, depth + 1);
                    }
                }
                Kind::Object(members) => *members = self.members(schema, depth),
                _ => {}
            }
        }
        Shape(kinds)
    }

    fn members(&mut self, schema: &'a Value, depth: usize) -> Vec<Field> {
        let required: HashSet<&str> = list(schema, "required").filter_map(Value::as_str).collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flat_map(|properties| properties.iter())
            .map(|(name, schema)| {
                let shape = self.shape(schema, depth + 1);
                field(name, schema, required.contains(name), shape)
            })
            .collect()
    }
}

fn list<'a>(schema: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Returns the types that a schema names, without what it says about members.
fn kinds(schema: &Value) -> Vec<Kind> {
    let kind = |name: &str| {
        Some(match name {
            "null" => Kind::Null,
            "boolean" => Kind::Boolean,
            "integer" => Kind::Integer,
            "number" => Kind::Number,
            "string" => Kind::Text,
            "array" => Kind::List(Shape::default()),
            "object" => Kind::Object(Vec::new()),
            _ => return None,
        })
    };
    match schema.get("type") {
        Some(Value::String(name)) => kind(name).into_iter().collect(),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            one_of_each(names.filter_map(kind))
        }
        _ if schema.get("properties").is_some() => vec![Kind::Object(Vec::new())],
        _ => Vec::new(),
    }
}

/// Describes a member.
fn field(name: &str, schema: &Value, required: bool, shape: Shape) -> Field {
    let text = |name| schema.get(name).and_then(Value::as_str).map(str::to_owned);
    Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        required,
        default: schema.get("default").cloned(),
        bounds: bounds(schema, shape.has_text()),
        shape,
    }
}

/// Returns the constraints of a schema besides its type. Formats of numbers only say how a program
/// stores them.
fn bounds(schema: &Value, has_text: bool) -> Vec<String> {
    let with_values = [
        ("format", "format ", ""),
        ("minimum", "at least ", ""),
        ("exclusiveMinimum", "more than ", ""),
        ("maximum", "at most ", ""),
        ("exclusiveMaximum", "less than ", ""),
        ("minLength", "at least ", " characters"),
        ("maxLength", "at most ", " characters"),
        ("minItems", "at least ", " values"),
        ("maxItems", "at most ", " values"),
        ("pattern", "pattern ", ""),
    ];
    let with_values = with_values.into_iter().filter_map(|(name, before, after)| {
        let value = schema.get(name).filter(|_| has_text || name != "format")?;
        Some(format!("{before}{}{after}", plain(value)))
    });
    with_values.collect()
}
