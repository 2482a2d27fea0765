//! The official extensions.

#[cfg(feature = "apps")]
pub mod apps;
