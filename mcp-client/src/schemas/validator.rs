//! [`Validator`]: a schema of a server, compiled.

use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{Draft, PatternOptions, ValidationError};
use mcp_types::error::{DecodeError, Path, Segment};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{OutputError, cost};

/// Bytes that a schema may have.
const SIZE: usize = 256 << 10;
/// Faults that are told at once.
const FAULTS: usize = 8;
/// Characters of a fault that are told.
const FAULT: usize = 256;
/// Steps back that matching a pattern may take, so that no text makes it take forever.
const BACKTRACKING: usize = 100_000;
/// Parts of a schema times bytes that are checked.
const WORK: usize = 1 << 30;
/// Levels of a schema that refers to itself times levels that are checked: the validator calls
/// itself as often.
const STACK: usize = 4_096;

/// A schema, ready to check with.
pub(super) struct Validator {
    schema: jsonschema::Validator,
    cost: cost::Cost,
}

impl Validator {
    /// Compiles a schema of its dialect: 2020-12 by default, 2019-09, draft 7 or draft 6. Nothing
    /// is fetched.
    pub(super) fn new(text: &RawValue) -> Result<Self, OutputError> {
        let unusable = |reason: String| OutputError::Schema { reason };
        if text.get().len() > SIZE {
            return Err(unusable(format!("it has more than {SIZE} bytes")));
        }
        let schema: Value =
            serde_json::from_str(text.get()).map_err(|error| unusable(error.to_string()))?;
        let draft = match schema.get("$schema") {
            None => Draft::Draft202012,
            Some(Value::String(dialect)) => draft(dialect)
                .ok_or_else(|| unusable(format!("the dialect `{dialect}` is not known")))?,
            Some(_) => return Err(unusable("`$schema` is no string".to_owned())),
        };
        let cost = cost::of(&schema)?;
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKING);
        let compiled = jsonschema::options()
            .with_draft(draft)
            .with_pattern_options(patterns)
            .offline()
            .build(&schema);
        let schema = compiled.map_err(|error| unusable(fault(&error).to_string()))?;
        Ok(Self { schema, cost })
    }

    /// Whether a value keeps to the schema.
    pub(super) fn check(&self, text: &RawValue) -> Result<(), OutputError> {
        if self.cost.parts.saturating_mul(text.get().len()) > WORK {
            return Err(OutputError::Costly);
        }
        let value = serde_json::from_str::<Value>(text.get());
        if let (true, Ok(value)) = (self.cost.recursive, &value)
            && self.cost.height.saturating_mul(depth(value)) > STACK
        {
            return Err(OutputError::Costly);
        }
        let faults = match value {
            Ok(value) if self.schema.is_valid(&value) => return Ok(()),
            // To look for the place, the validator would go every way once more, and there may be
            // very many where a schema refers to itself.
            Ok(_) if self.cost.recursive => Vec::new(),
            Ok(value) => {
                let faults = self.schema.iter_errors(&value).take(FAULTS);
                faults.map(|error| fault(&error)).collect()
            }
            Err(error) => vec![error.into()],
        };
        Err(OutputError::Mismatch { faults })
    }
}

/// Levels that a value nests. Reading it has bounded them.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(values) => values.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => None,
    };
    1 + inner.unwrap_or_default()
}

fn draft(dialect: &str) -> Option<Draft> {
    match dialect.strip_suffix('#').unwrap_or(dialect) {
        "https://json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        "https://json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "http://json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "http://json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        _ => None,
    }
}

fn fault(error: &ValidationError<'_>) -> DecodeError {
    let mut text = error.masked().to_string();
    if let Some((end, _)) = text.char_indices().nth(FAULT) {
        text.truncate(end);
        text.push('…');
    }
    DecodeError::data(text).with_path(path(error.instance_path()))
}

fn path(location: &Location) -> Path {
    let step = |segment| match segment {
        LocationSegment::Property(name) => Segment::Member(name.into_owned()),
        LocationSegment::Index(index) => Segment::Index(index),
    };
    location.into_iter().map(step).collect()
}
