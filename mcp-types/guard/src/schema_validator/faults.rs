//! [`Fault`]: what is wrong with a value, in words that a model can act on.
//!
//! The library reports one error for a choice (`anyOf`, `oneOf`) and keeps those of its branches.
//! This module finds the branch that the value was meant for, and reports its faults.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

use mcp_types::error::{Path, Segment};
use mcp_types::peer_text::PeerText;

/// The maximum number of faults in an error.
pub(super) const MAX_FAULTS: usize = 8;
/// The maximum length of the description of a fault, in characters.
const MAX_CHARS: usize = 512;
/// The maximum number of errors of a branch that are looked at.
const MAX_ERRORS: usize = 64;
/// The maximum number of branches of a choice that are looked at.
const MAX_BRANCHES: usize = 1_024;
/// The maximum number of branches of a choice whose expectations are compared.
const MAX_COMPARED: usize = 64;
/// The maximum length of a name in a path, in characters.
const MAX_NAME: usize = 64;
/// The maximum length of a path, in characters. A step counts as one.
const MAX_PATH: usize = 512;
/// The maximum number of choices within choices that are looked into.
const MAX_CHOICES: usize = 8;

/// What is wrong with a value or a schema, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The place.
    pub path: Path,
    /// What is wrong, or what is expected.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.text)
    }
}

type Errors<'e> = Vec<&'e ValidationError<'e>>;

/// Returns `true` if the value at a place was not meant for a branch with these errors.
type IsOther = fn(&Location, &Errors<'_>) -> bool;

/// Describes errors that the library found in one value.
pub(super) fn describe<'e>(
    errors: impl IntoIterator<Item = &'e ValidationError<'e>>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    add(&errors.into_iter().collect(), MAX_CHOICES, &mut faults);
    faults
}

/// Adds the faults that some errors stand for.
fn add(errors: &Errors<'_>, choices: usize, faults: &mut Vec<Fault>) {
    for error in errors {
        if faults.len() >= MAX_FAULTS {
            return;
        }
        // The list of the allowed values says more than their type.
        let has_values = |other: &&ValidationError<'_>| {
            values(other).is_some() && other.instance_path() == error.instance_path()
        };
        if matches!(error.kind(), Kind::Type { .. }) && errors.iter().any(has_values) {
            continue;
        }
        match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if choices > 0 => {
                let branches = context
                    .iter()
                    .take(MAX_BRANCHES)
                    .map(|branch| branch.iter().take(MAX_ERRORS).collect());
                choice(error, branches.collect(), choices - 1, faults);
            }
            _ => faults.push(fault(error, text(error))),
        }
    }
}

/// Adds the faults of a value that fits no branch of a choice.
fn choice<'e>(
    error: &'e ValidationError<'e>,
    mut branches: Vec<Errors<'e>>,
    choices: usize,
    faults: &mut Vec<Fault>,
) {
    let here = error.instance_path();
    let drop_others = |branches: &mut Vec<Errors<'e>>, is_other: IsOther| {
        if !branches.iter().all(|branch| is_other(here, branch)) {
            branches.retain(|branch| !is_other(here, branch));
        }
    };
    drop_others(&mut branches, has_other_type);
    drop_others(&mut branches, has_other_tag);
    if branches.len() > 1
        && let Some((place, options)) = all_values(&branches)
    {
        return faults.push(fault(place, one_of(options.into_iter())));
    }
    drop_others(&mut branches, has_other_members);
    if let [branch] = &branches[..] {
        return add(branch, choices, faults);
    }
    // The value could be meant for several branches: what each of them expects.
    let mut texts: Vec<String> = Vec::new();
    for branch in branches.iter().take(MAX_COMPARED) {
        let mut inner = Vec::new();
        add(branch, choices, &mut inner);
        let text = inner.first().map(|fault| {
            if fault.path == path(here) {
                fault.text.clone()
            } else {
                fault.to_string()
            }
        });
        texts.extend(text.filter(|text| !texts.contains(text)));
    }
    let text = match &texts[..] {
        [] => "fits none of the alternatives".to_owned(),
        [text] => text.clone(),
        texts => format!("fits none of the alternatives: {}", texts.join(", or ")),
    };
    faults.push(fault(error, text));
}

/// Returns `true` if a branch expects another type, such as `null`.
fn has_other_type(here: &Location, branch: &Errors<'_>) -> bool {
    let is_type = |error: &&ValidationError<'_>| matches!(error.kind(), Kind::Type { .. });
    branch
        .iter()
        .any(|error| is_type(error) && error.instance_path() == here)
}

/// Returns `true` if a branch expects another constant in a member, which is a tag.
fn has_other_tag(here: &Location, branch: &Errors<'_>) -> bool {
    branch.iter().any(|error| {
        values(error).is_some_and(|values| values.len() == 1)
            && depth(error.instance_path()) == depth(here) + 1
    })
}

/// Returns `true` if a branch expects other members, one of which may be a tag.
fn has_other_members(here: &Location, branch: &Errors<'_>) -> bool {
    branch.iter().any(|error| {
        let members = matches!(
            error.kind(),
            Kind::Required { .. }
                | Kind::AdditionalProperties { .. }
                | Kind::UnevaluatedProperties { .. }
        );
        members && error.instance_path() == here
    })
}

/// Returns the allowed values if each branch has some, all of them for one place.
fn all_values<'e>(branches: &[Errors<'e>]) -> Option<(&'e ValidationError<'e>, Vec<&'e Value>)> {
    let mut place: Option<&ValidationError<'_>> = None;
    let mut options = Vec::new();
    for branch in branches {
        let error = branch.iter().find(|error| values(error).is_some())?;
        if place.is_some_and(|place| place.instance_path() != error.instance_path()) {
            return None;
        }
        place = Some(error);
        options.extend(values(error)?);
    }
    Some((place?, options))
}

/// Returns the values that an error lists as allowed.
fn values<'e>(error: &'e ValidationError<'_>) -> Option<&'e [Value]> {
    match error.kind() {
        Kind::Constant { expected_value } => Some(std::slice::from_ref(expected_value)),
        Kind::Enum { options } => options.as_array().map(Vec::as_slice),
        _ => None,
    }
}

/// Lists the allowed values. `null` stands for a value that is left out, and is no choice beside
/// others.
fn one_of<'a>(options: impl Iterator<Item = &'a Value> + Clone) -> String {
    let mut values = options.clone().filter(|option| !option.is_null());
    match (values.next(), values.next()) {
        (Some(option), None) => return format!("expected {}", quoted(option)),
        (None, _) => return "expected null".to_owned(),
        (Some(_), Some(_)) => {}
    }
    let mut text = String::from("expected one of ");
    let values = options.filter(|option| !option.is_null());
    for (index, option) in values.enumerate() {
        if text.len() > MAX_CHARS {
            break;
        }
        text.push_str(if index == 0 { "" } else { ", " });
        text.push_str(&quoted(option));
    }
    text
}

fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", PeerText(text)),
        value => PeerText(&value.to_string()).to_string(),
    }
}

/// Describes an error that is not a choice, without the value, which may be large or secret.
fn text(error: &ValidationError<'_>) -> String {
    let named = |names: &mut dyn Iterator<Item = &str>| {
        let names: Vec<_> = names
            .take(MAX_FAULTS)
            .map(|name| PeerText(name).to_string())
            .collect();
        format!("unexpected: `{}`", names.join("`, `"))
    };
    match error.kind() {
        Kind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(kind) => kind.to_string(),
                TypeKind::Multiple(kinds) => {
                    let kinds = kinds.iter().map(|kind| kind.to_string());
                    let kinds: Vec<_> = kinds.filter(|kind| kind != "null").collect();
                    kinds.join(" or ")
                }
            };
            format!("expected {expected}, found {}", type_of(error.instance()))
        }
        Kind::Enum { .. } | Kind::Constant { .. } => {
            one_of(values(error).unwrap_or_default().iter())
        }
        Kind::Required { property } => format!("{} is required", quoted(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            named(&mut unexpected.iter().map(String::as_str))
        }
        Kind::FalseSchema => match error.instance().as_object() {
            Some(members) => named(&mut members.keys().map(String::as_str)),
            None => "unexpected".to_owned(),
        },
        Kind::Format { format } => match &format[..] {
            "date" => "expected a date such as 2026-01-31".to_owned(),
            "date-time" => "expected a date and time such as 2026-01-31T12:00:00Z".to_owned(),
            "time" => "expected a time such as 12:00:00Z".to_owned(),
            format => format!("expected the format `{}`", PeerText(format)),
        },
        Kind::Minimum { limit } => format!("expected at least {limit}"),
        Kind::Maximum { limit } => format!("expected at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
        Kind::MinItems { limit } => format!("expected at least {limit} elements"),
        Kind::MaxItems { limit } => format!("expected at most {limit} elements"),
        Kind::MinProperties { limit } => format!("expected at least {limit} members"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} members"),
        Kind::UniqueItems => "expected elements that differ".to_owned(),
        Kind::Pattern { pattern } => {
            format!("expected text that matches `{}`", PeerText(pattern))
        }
        Kind::OneOfMultipleValid { .. } => {
            "fits several alternatives, but must fit exactly one".to_owned()
        }
        Kind::PropertyNames { error } => format!("in the name of a member: {}", text(error)),
        _ => error.masked().to_string(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns a fault at the place of an error.
pub(super) fn fault(error: &ValidationError<'_>, text: String) -> Fault {
    Fault {
        path: path(error.instance_path()),
        text: truncated(text, MAX_CHARS),
    }
}

fn truncated(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn depth(location: &Location) -> usize {
    location.into_iter().count()
}

/// Returns the path of a location. Names may be long, so they are shortened, and so is the path.
fn path(location: &Location) -> Path {
    let mut path = Path::root();
    let mut left = MAX_PATH;
    for segment in location {
        let (segment, length) = match segment {
            LocationSegment::Property(name) => {
                let name: String = name.chars().take(MAX_NAME + 1).collect();
                let name = truncated(name, MAX_NAME);
                let length = name.chars().count();
                (Segment::Member(name), 1 + length)
            }
            LocationSegment::Index(index) => (Segment::Index(index), 1),
        };
        let Some(rest) = left.checked_sub(length) else {
            path.push(Segment::Member("…".to_owned()));
            break;
        };
        left = rest;
        path.push(segment);
    }
    path
}
