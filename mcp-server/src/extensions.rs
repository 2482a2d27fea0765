//! The official extensions.

#[cfg(feature = "skills")]
pub(crate) mod skills;
