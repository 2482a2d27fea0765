//! Proposals on the newest revision that are more than members of existing types.

#[cfg(feature = "https-url")]
pub(crate) mod https_url;
