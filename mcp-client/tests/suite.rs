//! All integration tests of the crate, except those that need a process of their own.
//!
//! One test binary instead of one for each folder, because each binary links both libraries and
//! their dependencies again. A new folder of tests is declared here.

#[cfg_attr(
    not(all(feature = "proposals", feature = "process")),
    allow(dead_code, reason = "the modules of some features use it")
)]
mod support;

#[cfg(all(feature = "http", feature = "process"))]
mod error_texts;
mod faults;
#[cfg(feature = "proposals")]
mod fetch;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod icons;
#[cfg(all(feature = "http", feature = "process"))]
mod matrix;
#[cfg(feature = "http")]
mod middleware;
#[cfg(feature = "process")]
mod process;
#[cfg(feature = "proposals")]
mod resources;
mod scripted;
mod streams;
#[cfg(feature = "http")]
mod tasks;
#[cfg(feature = "tls")]
mod tls;
