//! Proposals on the newest revision that need more than additional members of types. Each has a
//! folder. `metadata/` reads what describes a resource, `resources/` has what they add to results, and
//! `hooks` combines them.

pub(crate) mod hooks;
#[cfg(feature = "https-url")]
pub(crate) mod https_url;
pub(crate) mod metadata;
pub(crate) mod resources;
#[cfg(feature = "sep-2093")]
pub(crate) mod sep_2093;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versioned_resources;
