//! Facts: what the source of a published schema states and the published schema loses.
//!
//! A schema is published in two forms: as a source in TypeScript, and as JSON Schema, which a
//! program derives from it. That program sorts members and values by name, writes aliases out, and
//! drops constants and marks. The facts of a revision give them back. They are applied before the
//! errata, which correct real faults.

mod apply;
mod content;
mod error;
mod file;
mod rebase;

pub use self::apply::{accepted, place, variants_of};
pub use self::content::{Facts, Variant};
pub use self::error::FactsError;
pub use self::rebase::FactsChange;
