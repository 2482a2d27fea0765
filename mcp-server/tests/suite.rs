//! All integration tests of the crate, except those that need a process of their own.
//!
//! One test binary instead of one for each folder, because each binary links the server and its
//! dependencies again. A new folder of tests is declared here.

#[cfg_attr(
    not(all(unix, feature = "json-schema", feature = "proposals")),
    allow(dead_code, reason = "the modules of some features use it")
)]
mod support;

#[cfg(all(any(feature = "apps", feature = "tasks"), feature = "json-schema"))]
mod extensions;
#[cfg(feature = "json-schema")]
mod features;
/// The example of that name.
#[cfg(all(feature = "proposals", feature = "tls"))]
mod files;
#[cfg(all(feature = "http", feature = "json-schema", feature = "tls"))]
mod http;
mod input;
/// The documents of `docs/resources.md`.
#[cfg(all(feature = "json-schema", feature = "proposals"))]
mod resources;
mod stdio;
mod streams;
#[cfg(feature = "http")]
mod trace;
/// The document `https-url` of `docs/resources.md`.
#[cfg(all(feature = "json-schema", feature = "proposals", feature = "tls"))]
mod urls;
