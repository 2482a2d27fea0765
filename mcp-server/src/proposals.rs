//! Proposals on the newest revision that need more than additional members of types.

#[cfg(feature = "https-url")]
pub(crate) mod https_url;
