//! Versions of resources, filters and `resources/get`, by the proposal `versioned-resources`.

pub(crate) mod content_version;
pub(crate) mod get;
pub(crate) mod versioned;
