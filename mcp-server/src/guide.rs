//! How things are done, page by page. Every example compiles.

#[cfg(all(feature = "json-schema", feature = "seal"))]
pub mod offers;
#[cfg(feature = "seal")]
pub mod peers;
#[cfg(all(feature = "http", feature = "seal"))]
pub mod requests;
#[cfg(feature = "sep-2093")]
pub mod resources;
#[cfg(all(feature = "http", feature = "seal"))]
pub mod serving;
#[cfg(feature = "https-url")]
pub mod urls;
#[cfg(feature = "versioned-resources")]
pub mod versions;
