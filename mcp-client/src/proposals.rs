//! Proposals on the newest revision, behind the Cargo feature `proposals`.

pub(crate) mod hooks;
pub(crate) mod https_url;
pub(crate) mod sep_2093;
pub(crate) mod versioned_resources;
