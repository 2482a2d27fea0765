//! A guide to the crate, one page per topic. Every example compiles, and those that need no
//! external server run as tests.

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "oauth")]
pub mod authorization;
pub mod calls;
pub mod changes;
pub mod eras;
#[cfg(feature = "https-url")]
pub mod fetch;
pub mod icons;
pub mod middleware;
#[cfg(feature = "model-tools")]
pub mod models;
pub mod questions;
#[cfg(all(feature = "sep-2093", feature = "versioned-resources"))]
pub mod resources;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "tasks")]
pub mod tasks;
#[cfg(all(feature = "http", feature = "process"))]
pub mod transports;
#[cfg(all(feature = "http", feature = "json-schema", feature = "process"))]
pub mod trust;
