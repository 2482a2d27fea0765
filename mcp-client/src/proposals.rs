//! Proposals on the newest revision, each behind the Cargo feature of its name.

pub(crate) mod hooks;
#[cfg(feature = "https-url")]
pub(crate) mod https_url;
#[cfg(feature = "sep-2093")]
pub(crate) mod sep_2093;
#[cfg(feature = "versioned-resources")]
pub(crate) mod versioned_resources;
