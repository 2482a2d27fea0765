//! The generated types, as a library, so that unused ones are no warnings.

pub mod groups;
pub mod support;
