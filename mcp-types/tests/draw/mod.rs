//! Generates instances and mutants from the schema, for property tests.
//!
//! This module does not use the Rust types of the crate. Values are generated from the definitions
//! of a revision, and a JSON Schema validator decides whether they are valid. So the types and the
//! schema are tested against each other.
//!
//! * [`Schemas`] contains the definitions of one revision.
//! * [`instance`] generates valid instances of a definition.
//! * [`mutate`] changes an instance at one position; the result may be valid or not.
//! * [`Schemas::is_valid`] validates a value.
//! * [`forgive`] rewrites a value according to the two leniencies of the types.

// Every test binary compiles this module and uses only a part of it.
#![allow(dead_code, unused_imports)]

mod dice;
mod forgive;
mod instance;
mod merge;
mod mutate;
mod node;
mod scalar;
mod schemas;
mod shrink;
mod valid;

pub(crate) use forgive::forgive;
pub(crate) use instance::{Options, instance, instance_with};
pub(crate) use mutate::mutate;
pub(crate) use node::Node;
pub(crate) use schemas::Schemas;
pub(crate) use valid::Validator;

/// Returns `true` if the second validator, which [`forgive`] uses inside definitions, accepts a
/// value.
pub(crate) fn holds(schemas: &Schemas, name: &str, value: &serde_json::Value) -> bool {
    forgive::holds(schemas, schemas.node(name), value)
}
