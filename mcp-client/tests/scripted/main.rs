//! Our client and servers that do what a test says.

mod cache;
mod fake;
mod forms;
mod lists;
mod resources;
#[cfg(feature = "json-schema")]
mod schemas;
