//! Forms of elicitation: validates the answers of the user against the schema sent by the server.
//!
//! From revision 2026-07-28, page "Elicitation", section "Requested Schema".

mod format;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;

use crate::json::{self, Map, Number, Value};
use crate::{ElicitAction, ElicitResult, ElicitValue, PrimitiveSchemaDefinition, RequestedSchema};

/// The reasons why an answer to a form is invalid. Errors do not repeat values, which may be
/// private.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FormError {
    /// A required member is missing and has no default.
    Missing {
        /// The member.
        member: String,
    },
    /// A member does not match its schema.
    Misfit {
        /// The member.
        member: String,
        /// The constraint that is violated.
        reason: Misfit,
    },
}

/// The constraint of a form that a member violates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Misfit {
    /// The value has another type.
    Type {
        /// The expected type.
        expected: &'static str,
    },
    /// The value is too short.
    Few {
        /// The lower bound.
        least: i64,
        /// The unit of the bound: characters or values.
        of: &'static str,
    },
    /// The value is too long.
    Many {
        /// The upper bound.
        most: i64,
        /// The unit of the bound: characters or values.
        of: &'static str,
    },
    /// The number is too small.
    Less {
        /// The lower bound.
        least: Number,
    },
    /// The number is too large.
    More {
        /// The upper bound.
        most: Number,
    },
    /// The string does not have the required format, such as a date or an email address.
    Format {
        /// The format.
        format: String,
    },
    /// The value is not one of the values that the form allows.
    NotOffered,
}

impl fmt::Display for FormError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { member } => write!(f, "`content` lacks the required member `{member}`"),
            Self::Misfit { member, reason } => {
                write!(f, "`content.{member}` {reason}")
            }
        }
    }
}

impl fmt::Display for Misfit {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { expected } => write!(f, "is not {expected}"),
            Self::Few { least, of } => write!(f, "has fewer than {least} {of}"),
            Self::Many { most, of } => write!(f, "has more than {most} {of}"),
            Self::Less { least } => write!(f, "is less than {least}"),
            Self::More { most } => write!(f, "is more than {most}"),
            Self::Format { format } => write!(f, "is not of the format `{format}`"),
            Self::NotOffered => f.write_str("is not one of the allowed values"),
        }
    }
}

impl Error for FormError {}

impl Error for Misfit {}

/// Completes an answer with the defaults for missing members, and [checks](check) it. An answer
/// that was declined or cancelled is returned unchanged.
///
/// ```
/// use mcp_types::json::Map;
/// use mcp_types::{
///     BooleanSchema, ElicitAction, ElicitResult, PrimitiveSchemaDefinition, RequestedSchema, form,
/// };
///
/// let field = BooleanSchema::new().default(true);
/// let asked = RequestedSchema::new(Map::from([("news", PrimitiveSchemaDefinition::from(field))]));
/// let answer = form::complete(&asked, ElicitResult::new(ElicitAction::Accept))?;
/// assert!(answer.content.is_some_and(|content| content.contains_key("news")));
/// # Ok::<(), form::FormError>(())
/// ```
///
/// # Errors
///
/// Returns an error for the first member that is missing or invalid.
#[inline]
pub fn complete(
    form: &RequestedSchema,
    mut answer: ElicitResult,
) -> Result<ElicitResult, FormError> {
    if answer.action != ElicitAction::Accept {
        answer.content = None;
        return Ok(answer);
    }
    let mut content = answer.content.unwrap_or_default();
    let filled: HashSet<&str> = content.keys().collect();
    let left_out = form.properties.iter();
    let left_out = left_out.filter(|(name, _)| !filled.contains(name));
    let defaults: Vec<_> = left_out
        .filter_map(|(name, schema)| Some((name, default(schema)?)))
        .collect();
    for (name, default) in defaults {
        // The names of a form are unique, so the member does not exist yet.
        content.push(name, default);
    }
    check(form, &content)?;
    answer.content = Some(content);
    Ok(answer)
}

/// Checks an answer against a form: required members, types, bounds, formats and choices. Members
/// that the form does not define are ignored. For email addresses and URIs only the syntax is
/// checked, loosely.
///
/// # Errors
///
/// Returns an error for the first member that is missing or invalid.
#[inline]
pub fn check(form: &RequestedSchema, content: &Map<ElicitValue>) -> Result<(), FormError> {
    // A lookup in a [`Map`] is linear, and the server chooses the number of members.
    let filled: HashMap<&str, &ElicitValue> = content.iter().collect();
    for name in form.required.iter().flatten() {
        if !filled.contains_key(name.as_str()) {
            let member = name.clone();
            return Err(FormError::Missing { member });
        }
    }
    for (name, schema) in &form.properties {
        if let Some(value) = filled.get(name) {
            field(schema, value).map_err(|reason| FormError::Misfit {
                member: name.to_owned(),
                reason,
            })?;
        }
    }
    Ok(())
}

/// Returns the members of a field's schema. Revisions differ in the kinds of fields, which have the
/// same members, so the code below depends on the members and not on the types of the kinds.
#[inline]
fn members(schema: &PrimitiveSchemaDefinition) -> Value {
    json::to_value(schema).unwrap_or_default()
}

#[inline]
fn default(schema: &PrimitiveSchemaDefinition) -> Option<ElicitValue> {
    let value = members(schema).get("default")?.clone();
    json::from_value(value).ok()
}

#[inline]
fn field(schema: &PrimitiveSchemaDefinition, value: &ElicitValue) -> Result<(), Misfit> {
    let schema = members(schema);
    let expected = match (schema.get("type").and_then(Value::as_str), value) {
        (Some("string"), ElicitValue::String(text)) => return string(&schema, text),
        (Some("number"), ElicitValue::Number(value)) => return number(&schema, value),
        (Some("integer"), ElicitValue::Number(value)) => return integer(&schema, value),
        (Some("array"), ElicitValue::Array(values)) => return many(&schema, values),
        (Some("string"), _) => "a string",
        (Some("number" | "integer"), _) => "a number",
        (Some("boolean"), ElicitValue::Boolean(_)) => return Ok(()),
        (Some("boolean"), _) => "true or false",
        (Some("array"), _) => "a list of values",
        // A kind of field that a newer revision adds.
        _ => return Ok(()),
    };
    Err(Misfit::Type { expected })
}

/// Returns the values that a schema offers, or `None` if it does not restrict them.
#[inline]
fn choices(schema: &Value) -> Option<HashSet<&str>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter_map(Value::as_str).collect());
    }
    let titled = schema.get("oneOf").or_else(|| schema.get("anyOf"))?;
    let options = titled.as_array()?.iter();
    let values = options.filter_map(|option| option.get("const")?.as_str());
    Some(values.collect())
}

#[inline]
fn offered(known: bool) -> Result<(), Misfit> {
    known.then_some(()).ok_or(Misfit::NotOffered)
}

#[inline]
fn bounds(
    of: &'static str,
    count: usize,
    least: Option<&Value>,
    most: Option<&Value>,
) -> Result<(), Misfit> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let bound = |value: Option<&Value>| value?.as_number()?.to_i64();
    match (bound(least), bound(most)) {
        (Some(least), _) if count < least => Err(Misfit::Few { least, of }),
        (_, Some(most)) if count > most => Err(Misfit::Many { most, of }),
        _ => Ok(()),
    }
}

#[inline]
fn string(schema: &Value, text: &str) -> Result<(), Misfit> {
    if let Some(choices) = choices(schema) {
        return offered(choices.contains(text));
    }
    let length = text.chars().count();
    let (least, most) = (schema.get("minLength"), schema.get("maxLength"));
    bounds("characters", length, least, most)?;
    match schema.get("format").and_then(Value::as_str) {
        Some(format) if !format::fits(format, text) => Err(Misfit::Format {
            format: format.to_owned(),
        }),
        _ => Ok(()),
    }
}

#[inline]
fn integer(schema: &Value, value: &Number) -> Result<(), Misfit> {
    let float = value.as_f64().unwrap_or(f64::NAN);
    if !value.is_integer() && float.fract() != 0.0 {
        let expected = "an integer";
        return Err(Misfit::Type { expected });
    }
    number(schema, value)
}

#[inline]
fn number(schema: &Value, value: &Number) -> Result<(), Misfit> {
    let float = value.as_f64().unwrap_or(f64::NAN);
    let beyond = |bound: &Number, order: std::cmp::Ordering| {
        let exact = value.to_i64().zip(bound.to_i64());
        let found = match exact {
            Some((value, bound)) => Some(value.cmp(&bound)),
            None => bound.as_f64().and_then(|bound| float.partial_cmp(&bound)),
        };
        found == Some(order)
    };
    let bound = |name| schema.get(name).and_then(Value::as_number);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), _) if beyond(least, std::cmp::Ordering::Less) => {
            let least = least.clone();
            Err(Misfit::Less { least })
        }
        (_, Some(most)) if beyond(most, std::cmp::Ordering::Greater) => {
            let most = most.clone();
            Err(Misfit::More { most })
        }
        _ => Ok(()),
    }
}

#[inline]
fn many(schema: &Value, values: &[String]) -> Result<(), Misfit> {
    let (least, most) = (schema.get("minItems"), schema.get("maxItems"));
    bounds("values", values.len(), least, most)?;
    match schema.get("items").and_then(choices) {
        Some(choices) => offered(values.iter().all(|it| choices.contains(it.as_str()))),
        None => Ok(()),
    }
}
