//! Instances and mutants drawn from the schema itself, for property tests.
//!
//! Nothing here knows the Rust types of this crate: what is drawn comes from the definitions of a
//! revision, and whether it is valid is decided by a JSON Schema validator. So the types and the
//! schema check each other.
//!
//! - [`Schemas`] holds the definitions of one revision, ready to be drawn from;
//! - [`instance`] draws valid instances of a definition;
//! - [`mutate`] changes an instance at one place, validly or not;
//! - [`Schemas::is_valid`] is the judge;
//! - [`forgive`] rewrites a value under the two leniencies that the types allow themselves.

// Every test binary compiles this module for itself and uses only a part of it.
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
pub(crate) use schemas::Schemas;
pub(crate) use valid::Validator;

/// Whether the second judge, which serves [`forgive`] inside of definitions, accepts a value.
pub(crate) fn holds(schemas: &Schemas, name: &str, value: &serde_json::Value) -> bool {
    forgive::holds(schemas, schemas.node(name), value)
}
