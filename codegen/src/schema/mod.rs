//! Schema documents as data: parses, checks, corrects, extends and compares them.
//!
//! This module does no I/O: texts are passed as strings, and file names are used in messages only.

mod change;
mod check;
mod dialect;
mod diff;
mod differ;
mod document;
mod duplicate;
mod errata;
mod error;
pub(crate) mod exact;
mod facts;
mod gather;
pub(crate) mod keyword;
mod numbers;
mod patch;
pub mod pointer;
mod prose;
mod rebase;
mod render;
pub(crate) mod resolve;
pub(crate) mod simplify;
mod structure;
mod values;
mod walk;

pub use change::{ChangeKind, SchemaChange, Subject};
pub use dialect::{Dialect, Draft};
pub use diff::{SchemaDiff, diff};
pub use document::Document;
pub use duplicate::parse;
pub use errata::{Action, Change, Errata, Erratum, ErratumError};
pub use error::SchemaError;
pub use facts::{Facts, FactsChange, FactsError, Variant, accepted, place, variants_of};
pub use patch::{Applied, FEATURE, Patch, PatchError, Side};
pub use rebase::{RebaseOutcome, Rebased, RebasedChange, rebase, renamed};
pub use simplify::{Warning, WarningKind};
pub use structure::{Difference, verify};
pub use walk::{reference, walk, walk_mut};
