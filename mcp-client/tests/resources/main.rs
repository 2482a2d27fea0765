//! What the proposals about resources give programs.

mod announced;
mod embedded;
mod metadata;
mod script;
mod together;
mod versions;
