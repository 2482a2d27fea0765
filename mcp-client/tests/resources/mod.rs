//! The proposals for resources.

mod announced;
mod embedded;
mod metadata;
mod script;
mod together;
mod versions;
