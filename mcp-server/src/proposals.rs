//! Proposals on the newest revision that need more than additional members of types. Each has a
//! folder. `metadata/` reads what describes a resource, `resources/` has what they add to results, and
//! `hooks` combines them.

pub(crate) mod hooks;
pub(crate) mod https_url;
pub(crate) mod metadata;
pub(crate) mod resources;
pub(crate) mod sep_2093;
pub(crate) mod versioned_resources;
