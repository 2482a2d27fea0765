//! Forms of elicitation: validates the answers of the user against the schema sent by the server.
//!
//! From revision 2026-07-28, page "Elicitation", section "Requested Schema".

mod format;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;

use crate::json::{Map, Number};
use crate::{
    ElicitAction, ElicitResult, ElicitValue, EnumSchema, MultiSelectEnumSchema, NumberSchema,
    NumberSchemaType, PrimitiveSchemaDefinition, RequestedSchema, SingleSelectEnumSchema,
    StringSchema, TitledOption,
};

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

#[inline]
fn default(schema: &PrimitiveSchemaDefinition) -> Option<ElicitValue> {
    use PrimitiveSchemaDefinition as Schema;
    let text = |text: &Option<String>| text.clone().map(ElicitValue::String);
    let texts = |texts: &Option<Vec<String>>| texts.clone().map(ElicitValue::Array);
    match schema {
        Schema::String(schema) => text(&schema.default),
        Schema::Number(schema) => schema.default.clone().map(ElicitValue::Number),
        Schema::Boolean(schema) => schema.default.map(ElicitValue::Boolean),
        Schema::Enum(schema) => match schema {
            EnumSchema::SingleSelect(SingleSelectEnumSchema::Untitled(schema)) => {
                text(&schema.default)
            }
            EnumSchema::SingleSelect(SingleSelectEnumSchema::Titled(schema)) => {
                text(&schema.default)
            }
            EnumSchema::MultiSelect(MultiSelectEnumSchema::Untitled(schema)) => {
                texts(&schema.default)
            }
            EnumSchema::MultiSelect(MultiSelectEnumSchema::Titled(schema)) => {
                texts(&schema.default)
            }
            EnumSchema::LegacyTitled(schema) => text(&schema.default),
        },
    }
}

#[inline]
fn field(schema: &PrimitiveSchemaDefinition, value: &ElicitValue) -> Result<(), Misfit> {
    use PrimitiveSchemaDefinition as Schema;
    let expected = match (schema, value) {
        (Schema::String(schema), ElicitValue::String(text)) => return string(schema, text),
        (Schema::Number(schema), ElicitValue::Number(value)) => return number(schema, value),
        (Schema::Boolean(_), ElicitValue::Boolean(_)) => return Ok(()),
        (Schema::Enum(EnumSchema::MultiSelect(schema)), ElicitValue::Array(values)) => {
            return many(schema, values);
        }
        (Schema::Enum(EnumSchema::MultiSelect(_)), _) => "a list of values",
        (Schema::Enum(schema), ElicitValue::String(value)) => {
            return offered(match schema {
                EnumSchema::SingleSelect(SingleSelectEnumSchema::Untitled(schema)) => {
                    schema.enum_.contains(value)
                }
                EnumSchema::SingleSelect(SingleSelectEnumSchema::Titled(schema)) => {
                    offers(&schema.one_of, value)
                }
                EnumSchema::LegacyTitled(schema) => schema.enum_.contains(value),
                _ => false,
            });
        }
        (Schema::String(_) | Schema::Enum(_), _) => "a string",
        (Schema::Number(_), _) => "a number",
        (Schema::Boolean(_), _) => "true or false",
    };
    Err(Misfit::Type { expected })
}

#[inline]
fn offers(options: &[TitledOption], value: &str) -> bool {
    options.iter().any(|option| option.const_ == value)
}

#[inline]
fn offered(known: bool) -> Result<(), Misfit> {
    known.then_some(()).ok_or(Misfit::NotOffered)
}

#[inline]
fn bounds(
    of: &'static str,
    count: usize,
    least: Option<i64>,
    most: Option<i64>,
) -> Result<(), Misfit> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    match (least, most) {
        (Some(least), _) if count < least => Err(Misfit::Few { least, of }),
        (_, Some(most)) if count > most => Err(Misfit::Many { most, of }),
        _ => Ok(()),
    }
}

#[inline]
fn string(schema: &StringSchema, text: &str) -> Result<(), Misfit> {
    let length = text.chars().count();
    bounds("characters", length, schema.min_length, schema.max_length)?;
    match &schema.format {
        &Some(format) if !format::fits(format, text) => Err(Misfit::Format {
            format: format.as_str().to_owned(),
        }),
        _ => Ok(()),
    }
}

#[inline]
fn number(schema: &NumberSchema, value: &Number) -> Result<(), Misfit> {
    let float = value.as_f64().unwrap_or(f64::NAN);
    let whole = value.is_integer() || float.fract() == 0.0;
    if schema.type_ == NumberSchemaType::Integer && !whole {
        let expected = "an integer";
        return Err(Misfit::Type { expected });
    }
    let beyond = |bound: &Number, order: std::cmp::Ordering| {
        let exact = value.to_i64().zip(bound.to_i64());
        let found = match exact {
            Some((value, bound)) => Some(value.cmp(&bound)),
            None => bound.as_f64().and_then(|bound| float.partial_cmp(&bound)),
        };
        found == Some(order)
    };
    match (&schema.minimum, &schema.maximum) {
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
fn many(schema: &MultiSelectEnumSchema, values: &[String]) -> Result<(), Misfit> {
    match schema {
        MultiSelectEnumSchema::Untitled(schema) => {
            bounds("values", values.len(), schema.min_items, schema.max_items)?;
            let known: HashSet<&String> = schema.items.enum_.iter().collect();
            offered(values.iter().all(|it| known.contains(it)))
        }
        MultiSelectEnumSchema::Titled(schema) => {
            bounds("values", values.len(), schema.min_items, schema.max_items)?;
            let known = schema.items.any_of.iter();
            let known: HashSet<&String> = known.map(|option| &option.const_).collect();
            offered(values.iter().all(|it| known.contains(it)))
        }
    }
}
