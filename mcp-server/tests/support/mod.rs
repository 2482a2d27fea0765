//! Clients and servers for tests, and what observes them.

#[cfg(feature = "http")]
pub(crate) mod apps;
#[cfg(feature = "http")]
pub(crate) mod exchange;
pub(crate) mod log;
pub(crate) mod peer;
pub(crate) mod process;
#[cfg(feature = "http")]
pub(crate) mod raw;
pub(crate) mod tools;

pub(crate) use peer::soon;
