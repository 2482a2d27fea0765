//! Proposals on the newest revision that need more than additional members of types. Each has a
//! folder; `resources/` has what they share, and how they act together.

#[cfg(feature = "https-url")]
pub(crate) mod https_url;
pub(crate) mod resources;
#[cfg(feature = "sep-2093")]
pub(crate) mod sep_2093;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versioned_resources;
