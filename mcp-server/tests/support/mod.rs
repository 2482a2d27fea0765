//! Clients and servers for tests, and what observes them.

#[cfg(feature = "http")]
pub(crate) mod apps;
#[cfg(feature = "http")]
pub(crate) mod exchange;
pub(crate) mod process;
pub(crate) mod tools;

#[cfg(feature = "http")]
pub(crate) use mcp_testkit::http::raw;
pub(crate) use mcp_testkit::peer::soon;
pub(crate) use mcp_testkit::{log, peer};
