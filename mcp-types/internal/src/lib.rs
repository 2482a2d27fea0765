//! What `mcp-server` and `mcp-client` share besides the types of the protocol.
//!
//! This crate is not for other programs: any release may change it in any way.

#[cfg(feature = "apps")]
pub mod apps;
#[cfg(feature = "http")]
pub mod challenge;
#[cfg(feature = "connection")]
pub mod connection;
#[cfg(feature = "http")]
pub mod http_headers;
#[cfg(feature = "oauth")]
pub mod oauth;
pub mod peer_text;
#[cfg(feature = "schema-cost")]
pub mod schema_cost;
#[cfg(feature = "schema-validator")]
pub mod schema_validator;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "yaml")]
pub mod yaml;
