//! [`Field`]: describes a member of an object from its JSON Schema.

use mcp_client::types::json::Value;

use crate::shape::{Reader, Shape, plain};

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    title: Option<String>,
    description: Option<String>,
    pub(crate) required: bool,
    pub(crate) shape: Shape,
    pub(crate) default: Option<Value>,
    /// The constraints besides the type, in words.
    bounds: Vec<String>,
}

/// Returns the members that the schema of an object declares.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    Reader::new(schema).shape(schema, 0).into_members()
}

/// Describes a member.
pub(crate) fn field(name: &str, schema: &Value, required: bool, shape: Shape) -> Field {
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

impl Field {
    /// Describes the field in a list of arguments.
    pub(crate) fn described(&self) -> String {
        let required = if self.required { ", required" } else { "" };
        let choices = self.choices(|_, choice| choice);
        let types = self.shape.types();
        format!("{}: {types}{required}{choices}{}", self.name, self.rest())
    }

    /// Describes the field as a question. Choices are numbered.
    pub(crate) fn question(&self) -> String {
        let name = self.title.as_ref().unwrap_or(&self.name);
        let optional = if self.required { "" } else { ", optional" };
        let choices = self.choices(|number, choice| format!("{number}: {choice}"));
        let types = self.shape.types();
        format!("{name} ({types}{optional}){choices}{}", self.rest())
    }

    /// Says which values are allowed.
    pub(crate) fn expected(&self) -> String {
        if self.shape.choices().next().is_some() {
            return "Expected one of the choices.".to_owned();
        }
        format!("Expected a value of the type {}.", self.shape.types())
    }

    fn choices(&self, show: impl Fn(usize, String) -> String) -> String {
        let choices = self.shape.choices().map(|(value, title)| match title {
            Some(title) if title != plain(value) => format!("{} ({title})", plain(value)),
            _ => plain(value),
        });
        let choices: Vec<String> = choices
            .enumerate()
            .map(|(at, choice)| show(at + 1, choice))
            .collect();
        if choices.is_empty() {
            return String::new();
        }
        format!(" [{}]", choices.join(", "))
    }

    fn rest(&self) -> String {
        let mut line = String::new();
        for bound in &self.bounds {
            line += &format!(", {bound}");
        }
        if let Some(default) = &self.default {
            line += &format!(", default {default}");
        }
        if let Some(description) = &self.description {
            line += &format!(" - {}", description.trim());
        }
        line
    }
}
