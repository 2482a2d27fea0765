//! Schema documents in, Rust source out.
//!
//! The pipeline, in the order in which data flows:
//!
//! 1. [`schema`]: documents are read and checked; errata and proposals are applied.
//! 2. [`model`]: definitions become named types; `allOf` is merged, inline types are hoisted,
//!    messages are found. Over several revisions, types that are the same become one.
//! 3. [`discriminate`]: how the members of each union are told apart.
//! 4. [`lower`]: `typify` gives the Rust types of fields and the variants of enumerations.
//! 5. [`emit`]: types, unions, the method table, conversions and strategies are written.
//!
//! Nothing here does input or output. Nothing here knows a name of the Model Context Protocol:
//! what a schema cannot say comes as data, in [`hints`] and [`words`].

pub mod discriminate;
pub mod emit;
pub mod hints;
pub mod lower;
pub mod model;
pub mod project;
pub mod schema;
pub mod words;
