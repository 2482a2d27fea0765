//! Metadata and collections of resources, by the proposal SEP-2093.

pub(crate) mod members;
pub(crate) mod metadata;
pub(crate) mod rules;
mod setters;
