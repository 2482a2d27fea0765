//! Compiles JSON Schemas and validates values of our JSON type, with bounded cost.
//!
//! A library validates; [`schema_cost`] decides before whether that could take too long.

mod faults;
mod view;

use std::error::Error;
use std::fmt;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ValidationError};

use crate::schema_cost::{self, AUTOMATON, BACKTRACKING, Cost, CostError};
pub use faults::Fault;
use faults::{MAX_FAULTS, describe};
pub use view::Node;
use view::View;

/// Formats that are not checked: one compiles the value as a pattern, and internationalized names
/// are decoded in quadratic time.
const UNCHECKED: [&str; 3] = ["regex", "idn-hostname", "idn-email"];

/// A compiled schema.
#[derive(Debug)]
pub struct Validator {
    schema: jsonschema::Validator<View>,
    cost: Cost,
}

impl Validator {
    /// Compiles a schema in its dialect: 2020-12 by default, 2019-09, draft 7, draft 6 or draft 4.
    /// Nothing is downloaded.
    ///
    /// # Errors
    ///
    /// If the schema is invalid or its dialect is unknown, and if validation could take too long:
    /// the schema may come from a peer.
    pub fn new(schema: &serde_json::Value) -> Result<Self, SchemaError> {
        Self::build(schema, false)
    }

    /// Compiles a schema like [`new`](Self::new), and checks the formats of strings, too, such as
    /// `date`. Unknown formats are ignored.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_formats(schema: &serde_json::Value) -> Result<Self, SchemaError> {
        Self::build(schema, true)
    }

    fn build(schema: &serde_json::Value, formats: bool) -> Result<Self, SchemaError> {
        let draft = match schema.get("$schema") {
            None => Draft::Draft202012,
            Some(serde_json::Value::String(dialect)) => {
                draft(dialect).ok_or_else(|| SchemaError::Dialect(dialect.clone()))?
            }
            Some(_) => return Err(SchemaError::DialectType),
        };
        let cost = schema_cost::of(schema).map_err(SchemaError::Cost)?;
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(BACKTRACKING)
            .size_limit(AUTOMATON)
            .dfa_size_limit(AUTOMATON);
        let options = jsonschema::options_for::<View>()
            .with_draft(draft)
            .with_pattern_options(patterns)
            .should_validate_formats(formats)
            .offline();
        let unchecked = UNCHECKED.iter();
        let options = unchecked.fold(options, |options, name| {
            options.with_format(*name, |_| true)
        });
        match options.build(schema) {
            Ok(schema) => Ok(Self { schema, cost }),
            Err(error) => Err(SchemaError::Invalid(describe([&error]))),
        }
    }

    /// Returns `true` if the value is validated within about a millisecond. Other values should be
    /// validated outside of an async runtime, if a peer chose the schema.
    #[must_use]
    pub fn is_quick<'a>(&self, value: impl Into<Node<'a>>) -> bool {
        self.cost.is_quick(&value.into().extent())
    }

    /// Returns the number of parts of the schema with references expanded, to which the memory of
    /// the validator is proportional. Patterns count as many parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.cost.parts()
    }

    /// Validates a value, or an object.
    ///
    /// # Errors
    ///
    /// What is wrong with the value, without the value itself, which may be large or secret.
    pub fn check<'a>(&self, value: impl Into<Node<'a>>) -> Result<(), Invalid> {
        let value = value.into();
        if !self.cost.is_small() && !self.cost.admits(&value.extent()) {
            return Err(Invalid::Costly);
        }
        if self.schema.is_valid(value) {
            return Ok(());
        }
        if !self.cost.explains(&value.extent()) {
            return Err(Invalid::Unexplained);
        }
        let mut errors = self.schema.iter_errors(value);
        let first: Vec<_> = errors.by_ref().take(MAX_FAULTS).collect();
        if first.iter().any(is_unfinished) {
            return Err(Invalid::Costly);
        }
        Err(Invalid::Faults {
            faults: describe(&first),
            are_more: errors.next().is_some(),
        })
    }
}

/// Why a schema cannot be used.
#[derive(Debug)]
pub enum SchemaError {
    /// The dialect is not known.
    Dialect(String),
    /// `$schema` is not a string.
    DialectType,
    /// Validation could take too long, or the references of the schema are invalid.
    Cost(CostError),
    /// The schema is not valid in its dialect, for these reasons.
    Invalid(Vec<Fault>),
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dialect(dialect) => write!(f, "the dialect `{dialect}` is not known"),
            Self::DialectType => f.write_str("`$schema` is no string"),
            Self::Cost(error) => error.fmt(f),
            Self::Invalid(faults) => list(faults, f),
        }
    }
}

impl Error for SchemaError {}

/// Why a value does not match a schema.
#[derive(Debug)]
pub enum Invalid {
    /// Validation would take too long.
    Costly,
    /// The value does not match, but looking for the place would take too long.
    Unexplained,
    /// These are the first faults.
    Faults {
        /// What is wrong, and where.
        faults: Vec<Fault>,
        /// Whether there are more of them.
        are_more: bool,
    },
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Costly => f.write_str("validation would take too long: too large for its schema"),
            Self::Unexplained => {
                f.write_str("does not fit the schema; too large or too deep to find the place")
            }
            Self::Faults { faults, are_more } => {
                list(faults, f)?;
                f.write_str(if *are_more { "; and more" } else { "" })
            }
        }
    }
}

impl Error for Invalid {}

fn list(faults: &[Fault], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, fault) in faults.iter().enumerate() {
        let before = if index == 0 { "" } else { "; " };
        write!(f, "{before}{fault}")?;
    }
    Ok(())
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

/// Returns `true` if a pattern backtracked too often, so that it is not known whether it matches.
fn is_unfinished(error: &ValidationError<'_>) -> bool {
    matches!(
        error.kind(),
        ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. }
    )
}

#[cfg(test)]
mod tests;
