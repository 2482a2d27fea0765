//! The generated types, as a library, so that unused ones are no warnings.

#![allow(
    mixed_script_confusables,
    reason = "titles of schemas are not all in one script"
)]

pub mod groups;
pub mod support;
