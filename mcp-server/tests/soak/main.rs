//! A hundred thousand requests of all kinds, a thousand at once: each gets exactly one response,
//! and no state is left behind.

#[cfg(unix)]
mod descriptors;
mod http;
mod mix;
mod pipes;
mod process;
#[path = "../support/process.rs"]
mod processes;
mod wire;
