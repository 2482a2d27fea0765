//! Resource templates: their definition, and matching URIs.

pub(crate) mod definition;
pub(crate) mod expand;
pub(crate) mod template;
