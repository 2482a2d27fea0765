//! [`Validator`]: JSON Schemas, compiled.

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

/// Faults that are told at once.
const FAULTS: usize = 8;
/// Characters of a fault that are told.
const FAULT: usize = 256;

/// A schema, ready to validate.
pub(crate) struct Validator {
    schema: jsonschema::Validator<View>,
    cost: Cost,
}

/// What is wrong with a value, and where.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Invalid(String);

impl Validator {
    /// Compiles a schema of its dialect, 2020-12 by default. Nothing is fetched.
    ///
    /// A gateway may have the schema from elsewhere, so that one whose validation could take too
    /// long is refused.
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
            .map_err(|error| format!("in the schema: {}", said(&error)).into())
    }

    /// What is wrong with a value, and where. Values are not repeated, they may be large or
    /// secret.
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
            let reason = "breaks the schema; too large or too deep to say where";
            return Err(Invalid(reason.to_owned()));
        }
        let mut faults = self.schema.iter_errors(value);
        let mut told: Vec<String> = faults
            .by_ref()
            .take(FAULTS)
            .map(|error| unexpected(&error, &value.to_value()).unwrap_or_else(|| said(&error)))
            .collect();
        if faults.next().is_some() {
            told.push("and more".to_owned());
        }
        Err(Invalid(told.join("; ")))
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

/// The names of members where none may be: the validator does not say them.
fn unexpected(error: &ValidationError<'_>, value: &serde_json::Value) -> Option<String> {
    if !matches!(error.kind(), ValidationErrorKind::FalseSchema) {
        return None;
    }
    let object = value.pointer(error.instance_path().as_str())?.as_object()?;
    let names: Vec<String> = object.keys().take(FAULTS).map(|name| short(name)).collect();
    let path = path(error.instance_path());
    Some(format!("{path}: unexpected: `{}`", names.join("`, `")))
}

fn said(error: &ValidationError<'_>) -> String {
    let text = format!("{}: {}", path(error.instance_path()), error.masked());
    match text.char_indices().nth(FAULT) {
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
