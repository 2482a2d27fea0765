//! [`Validator`]: compiled JSON Schemas.

use jsonschema::error::ValidationErrorKind;
use jsonschema::json::Node as _;
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{Draft, PatternOptions, ValidationError};
use mcp_types::error::{Path, Segment};
use mcp_types::json::{Object, Value};
use mcp_types::schema_cost::{self, BACKTRACKING, Cost, CostError};

use super::view::{Node, View};
use crate::features::definition_error::DefinitionError;
use crate::protocol::error_text::short;

/// The maximum number of errors in a message.
const MAX_ERRORS: usize = 8;
/// The maximum number of characters of one error.
const MAX_CHARS: usize = 256;

/// A compiled schema.
pub(crate) struct Validator {
    schema: jsonschema::Validator<View>,
    cost: Cost,
}

/// What is wrong with a value, and where.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Invalid(String);

impl Validator {
    /// Compiles a schema in its dialect, 2020-12 by default. Nothing is downloaded.
    ///
    /// A gateway may have the schema from another server, so a schema whose validation could take
    /// too long is rejected.
    pub(crate) fn new(schema: &Object) -> Result<Self, DefinitionError> {
        let draft = match schema.get("$schema") {
            None => Draft::Draft202012,
            Some(Value::String(dialect)) => {
                draft(dialect).ok_or_else(|| format!("the dialect `{dialect}` is not known"))?
            }
            Some(_) => return Err("`$schema` is no string".into()),
        };
        let schema = serde_json::Value::Object(schema.clone().into());
        let cost = schema_cost::of(&schema).map_err(|error| match error {
            error @ CostError::Costly(_) => error.to_string(),
            error => format!("in the schema: {error}"),
        })?;
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKING);
        jsonschema::options_for::<View>()
            .with_draft(draft)
            .with_pattern_options(patterns)
            .offline()
            .build(&schema)
            .map(|schema| Self { schema, cost })
            .map_err(|error| format!("in the schema: {}", describe(&error)).into())
    }

    /// Validates a value. The error does not contain the value, which may be large or secret.
    pub(crate) fn check<'a>(&self, value: impl Into<Node<'a>>) -> Result<(), Invalid> {
        let value = value.into();
        if !self.cost.is_small() && !self.cost.admits(&value.extent()) {
            let reason = "validation would take too long: too large for its schema";
            return Err(Invalid(reason.to_owned()));
        }
        if self.schema.is_valid(value) {
            return Ok(());
        }
        if !self.cost.explains(&value.extent()) {
            let reason = "does not fit the schema; too large or too deep to find the place";
            return Err(Invalid(reason.to_owned()));
        }
        let mut errors = self.schema.iter_errors(value);
        let mut texts: Vec<String> = errors
            .by_ref()
            .take(MAX_ERRORS)
            .map(|error| unexpected(&error, &value.to_value()).unwrap_or_else(|| describe(&error)))
            .collect();
        if errors.next().is_some() {
            texts.push("and more".to_owned());
        }
        Err(Invalid(texts.join("; ")))
    }
}

fn draft(dialect: &str) -> Option<Draft> {
    match dialect.strip_suffix('#').unwrap_or(dialect) {
        "https://json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        "https://json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "http://json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "http://json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        "http://json-schema.org/draft-04/schema" => Some(Draft::Draft4),
        _ => None,
    }
}

/// Returns the names of members that the schema forbids, which the validator does not name.
fn unexpected(error: &ValidationError<'_>, value: &serde_json::Value) -> Option<String> {
    if !matches!(error.kind(), ValidationErrorKind::FalseSchema) {
        return None;
    }
    let object = value.pointer(error.instance_path().as_str())?.as_object()?;
    let names: Vec<String> = object
        .keys()
        .take(MAX_ERRORS)
        .map(|name| short(name))
        .collect();
    let path = path(error.instance_path());
    Some(format!("{path}: unexpected: `{}`", names.join("`, `")))
}

fn describe(error: &ValidationError<'_>) -> String {
    let text = format!("{}: {}", path(error.instance_path()), error.masked());
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn path(location: &Location) -> Path {
    let step = |segment| match segment {
        LocationSegment::Property(name) => Segment::Member(name.into_owned()),
        LocationSegment::Index(index) => Segment::Index(index),
    };
    location.into_iter().map(step).collect()
}
