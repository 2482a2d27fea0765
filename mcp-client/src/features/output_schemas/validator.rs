//! [`Validator`]: a schema of a server, compiled.

use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{Draft, PatternOptions, ValidationError};
use mcp_types::error::{DecodeError, Path, Segment};
use mcp_types::schema_cost::{self, BACKTRACKING, Cost, CostError, Extent};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::error::OutputError;

/// The maximum size of a schema in bytes.
const SIZE: usize = 256 << 10;
/// The maximum number of faults in an error.
const FAULTS: usize = 8;
/// The maximum length of the description of a fault, in characters.
const FAULT: usize = 256;

/// A compiled schema.
pub(super) struct Validator {
    schema: jsonschema::Validator,
    cost: Cost,
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
        let cost = schema_cost::of(&schema)?;
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKING);
        let compiled = jsonschema::options()
            .with_draft(draft)
            .with_pattern_options(patterns)
            .offline()
            .build(&schema);
        let schema = compiled.map_err(|error| unusable(fault(&error).to_string()))?;
        Ok(Self { schema, cost })
    }

    /// Validates a value.
    pub(super) fn check(&self, value: &Value) -> Result<(), OutputError> {
        let extent = Extent::of_json(value);
        if !self.cost.admits(&extent) {
            return Err(OutputError::Costly);
        }
        if self.schema.is_valid(value) {
            return Ok(());
        }
        let faults = if self.cost.explains(&extent) {
            let faults = self.schema.iter_errors(value).take(FAULTS);
            faults.map(|error| fault(&error)).collect()
        } else {
            Vec::new()
        };
        Err(OutputError::Mismatch { faults })
    }
}

impl From<CostError> for OutputError {
    fn from(error: CostError) -> Self {
        match error {
            CostError::Costly(_) => Self::Costly,
            error => Self::Schema {
                reason: error.to_string(),
            },
        }
    }
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
