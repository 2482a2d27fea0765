//! [`Shape`]: the JSON values that a schema allows, as far as a line of text can describe them.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

use mcp_client::types::json::Value;

use crate::schema::{Field, field};

/// The maximum depth of schemas within schemas.
const DEPTH: usize = 8;

/// The maximum number of schemas that are read for one field: a schema can refer to itself in many
/// ways.
const SCHEMAS: usize = 1000;

/// The maximum number of choices that are shown within a type.
const SHOWN: usize = 8;

/// The alternatives that a schema allows; empty if it allows any value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape(pub(crate) Vec<Kind>);

/// An alternative of a [`Shape`].
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    List(Shape),
    Object(Vec<Field>),
    /// One value, with its title.
    Choice(Value, Option<String>),
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

/// Returns the first alternative of each type, so that what follows stays linear.
fn one_of_each(kinds: impl IntoIterator<Item = Kind>) -> Vec<Kind> {
    let mut types: Vec<Kind> = Vec::new();
    for kind in kinds {
        if types.iter().all(|own| own.type_name() != kind.type_name()) {
            types.push(kind);
        }
    }
    types
}

impl Shape {
    /// Returns the shape that allows what one of two allow.
    fn or(mut self, other: Self) -> Self {
        if self.0.is_empty() || other.0.is_empty() {
            return Self::default();
        }
        self.0.extend(other.0);
        self
    }

    /// Returns the shape that allows what both allow, or a little more.
    fn and(self, other: Self) -> Self {
        if self.0.is_empty() {
            return other;
        }
        if other.0.is_empty() {
            return self;
        }
        // Choices are more precise than the types that include them.
        let has_choices =
            |shape: &Self| shape.0.iter().any(|kind| matches!(kind, Kind::Choice(..)));
        let (precise, other) = if has_choices(&other) && !has_choices(&self) {
            (other, self)
        } else {
            (self, other)
        };
        let types = one_of_each(other.0);
        // Lists and objects take over what the others say, so there is one of each.
        let mut seen = HashSet::new();
        let is_new = |kind: &Kind| match kind {
            Kind::List(_) | Kind::Object(_) => seen.insert(kind.type_name()),
            _ => true,
        };
        let precise = precise.0.into_iter().filter(is_new);
        Self(precise.filter_map(|kind| kind.within(&types)).collect())
    }

    /// Returns the members of the objects that are allowed.
    pub(crate) fn into_members(self) -> Vec<Field> {
        let mut all = Vec::new();
        for kind in self.0 {
            if let Kind::Object(members) = kind {
                add_members(&mut all, &members);
            }
        }
        all
    }

    /// Returns the allowed values with their titles, if there are any; for a list, those of its
    /// elements.
    pub(crate) fn choices(&self) -> impl Iterator<Item = (&Value, Option<&str>)> {
        let elements = self.0.iter().find_map(|kind| match kind {
            Kind::List(items) => Some(&items.0),
            _ => None,
        });
        let elements = elements.into_iter().flatten();
        self.0.iter().chain(elements).filter_map(|kind| match kind {
            Kind::Choice(value, title) => Some((value, title.as_deref())),
            _ => None,
        })
    }

    /// Returns `true` if any text is allowed.
    pub(crate) fn has_text(&self) -> bool {
        self.0.iter().any(|kind| matches!(kind, Kind::Text))
    }

    /// Returns `true` if only text is allowed.
    pub(crate) fn is_text(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|kind| kind.type_name() == "string")
    }

    /// Returns the names of the types that are allowed.
    pub(crate) fn types(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for kind in &self.0 {
            let name = match kind {
                Kind::Choice(..) => kind.type_name().to_owned(),
                kind => kind.to_string(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() {
            return "any".to_owned();
        }
        names.join("|")
    }
}

/// Adds members that have other names than those before.
fn add_members(members: &mut Vec<Field>, more: &[Field]) {
    let names: HashSet<String> = members.iter().map(|field| field.name.clone()).collect();
    let new = more.iter().filter(|field| !names.contains(&field.name));
    members.extend(new.cloned());
}

impl Kind {
    /// Returns what some types leave of this alternative.
    fn within(self, types: &[Self]) -> Option<Self> {
        let name = self.type_name();
        let named = |name| types.iter().find(|kind| kind.type_name() == name);
        let found = named(name).or_else(|| match name {
            "number" => named("integer"),
            "integer" => named("number"),
            _ => None,
        })?;
        Some(match (self, found) {
            (Self::Number, Self::Integer) => Self::Integer,
            (Self::List(items), Self::List(more)) => Self::List(items.and(more.clone())),
            (Self::Object(mut members), Self::Object(more)) => {
                add_members(&mut members, more);
                Self::Object(members)
            }
            (kind, _) => kind,
        })
    }

    fn type_name(&self) -> &'static str {
        match self {
            Self::Null | Self::Choice(Value::Null, _) => "null",
            Self::Boolean | Self::Choice(Value::Bool(_), _) => "boolean",
            Self::Choice(Value::Number(number), _) if number.is_integer() => "integer",
            Self::Integer => "integer",
            Self::Number | Self::Choice(Value::Number(_), _) => "number",
            Self::Text | Self::Choice(Value::String(_), _) => "string",
            Self::List(_) | Self::Choice(Value::Array(_), _) => "array",
            Self::Object(_) | Self::Choice(Value::Object(_), _) => "object",
        }
    }

    /// Returns `true` if a JSON value that is no text has this type.
    pub(crate) fn includes(&self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::Boolean => value.as_bool().is_some(),
            Self::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Self::Number => value.as_number().is_some(),
            Self::List(_) => value.as_array().is_some(),
            Self::Object(_) => value.as_object().is_some(),
            Self::Text | Self::Choice(..) => false,
        }
    }
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() || self.0.len() > SHOWN {
            return f.write_str(&self.types());
        }
        for (at, kind) in self.0.iter().enumerate() {
            let before = if at == 0 { "" } else { "|" };
            write!(f, "{before}{kind}")?;
        }
        Ok(())
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(items) if items.0.is_empty() => f.write_str("array"),
            Self::List(items) => write!(f, "array of {items}"),
            Self::Object(members) if !members.is_empty() => {
                f.write_str("{")?;
                for (at, member) in members.iter().enumerate() {
                    let before = if at == 0 { "" } else { ", " };
                    let mark = if member.required { "" } else { "?" };
                    write!(f, "{before}{}{mark}: {}", member.name, member.shape)?;
                }
                f.write_str("}")
            }
            Self::Choice(value, _) => write!(f, "{value}"),
            kind => f.write_str(kind.type_name()),
        }
    }
}

/// Returns a value as text, without quotes.
pub(crate) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
