//! [`Shape`]: the JSON values that a schema allows, as far as a line of text can describe them, and
//! [`Field`]: a member of an object.

pub(crate) mod reader;

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

use mcp_client::types::json::Value;

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
