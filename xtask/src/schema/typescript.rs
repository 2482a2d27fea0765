//! Reads the TypeScript source of a published schema, for the facts that the schema loses.
//!
//! Three steps: [`syntax`] turns the source into a small [`model`] of its types, [`compare`] walks
//! through the model and the published schema side by side and notes as a fact what only the source
//! says.

mod compare;
mod model;
mod syntax;

use std::fmt;

use codegen::schema::{Document, Facts};

/// A part of a source that is not read, or that does not fit the published schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Warning {
    /// The line and the column, both from 1.
    pub(super) position: Option<(usize, usize)>,
    pub(super) message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some((line, column)) => write!(out, "{line}:{column}: {}", self.message),
            None => out.write_str(&self.message),
        }
    }
}

/// Returns the facts of a revision, from its TypeScript source and its published schema.
///
/// What is not understood is left out, with a warning.
pub(super) fn facts(source: &str, published: &Document, revision: &str) -> (Facts, Vec<Warning>) {
    let (module, mut warnings) = syntax::read(source);
    let facts = compare::facts(&module, published, revision, &mut warnings);
    (facts, warnings)
}

#[cfg(test)]
mod tests;
