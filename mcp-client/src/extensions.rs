//! The official extensions.

#[cfg(feature = "skills")]
pub mod skills;
