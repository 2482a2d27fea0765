//! How things are done, page by page. Every example compiles.

#[cfg(all(feature = "json-schema", feature = "asking", feature = "templates"))]
pub mod offers;
#[cfg(feature = "asking")]
pub mod peers;
#[cfg(all(feature = "http", feature = "asking"))]
pub mod requests;
#[cfg(all(feature = "sep-2093", feature = "templates"))]
pub mod resources;
#[cfg(all(feature = "http", feature = "asking"))]
pub mod serving;
#[cfg(feature = "https-url")]
pub mod urls;
#[cfg(all(feature = "versioned-resources", feature = "templates"))]
pub mod versions;
