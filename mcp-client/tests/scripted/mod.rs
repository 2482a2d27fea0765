//! The client with servers that are controlled by a test.

mod cache;
mod fake;
mod forms;
mod lists;
mod repairs;
mod resources;
#[cfg(feature = "versioned-resources")]
mod revalidation;
#[cfg(feature = "json-schema")]
mod schemas;
