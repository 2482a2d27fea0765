//! Generates Rust source code from schema documents.
//!
//! The stages of the pipeline, in order:
//!
//! 1. [`schema`] parses and checks documents, and applies errata and proposals.
//! 2. [`model`] builds named types from the definitions: it merges `allOf`, names inline types and
//!    finds the messages. Types that are the same in several revisions become one.
//!    [`checks`] makes tables of what the types do not express.
//! 3. [`discriminate`] plans how a decoder selects the variant of each union.
//! 4. [`lower`] gets the Rust types of fields and the variants of enumerations from `typify`.
//! 5. [`emit`] generates the definitions by area, and tables from which macros in the support code
//!    implement codecs, conversions and strategies.
//!
//! [`export`] writes what the first three stages know as JSON, for generators of other languages.
//!
//! This crate does no I/O. It contains no name of a protocol or of a crate that it generates sources
//! for: information that a schema does not contain is passed as data, in [`hints`] and
//! [`doc_texts`].

pub mod checks;
pub mod discriminate;
pub mod doc_texts;
pub mod emit;
pub mod export;
pub mod hints;
pub mod lower;
pub mod model;
pub mod project;
pub mod schema;
