//! The official extensions.

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "skills")]
pub mod skills;
