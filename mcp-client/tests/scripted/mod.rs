//! The client with servers that are controlled by a test.

mod cache;
mod decorations;
mod fake;
mod forms;
mod lists;
mod malformed;
mod repairs;
mod resources;
#[cfg(feature = "proposals")]
mod revalidation;
#[cfg(feature = "json-schema")]
mod schemas;
