//! Tests of the example `files` as a process, with real files.

/// On Windows, names have no bytes; on macOS, names that differ in case or normalization are the same.
#[cfg(target_os = "linux")]
mod any_names;
mod changes;
mod http;
mod lists;
mod peer;
mod reading;
/// Needs links, pipes, sockets, and names of any bytes.
#[cfg(unix)]
mod safety;
mod start;
mod urls;
#[cfg(windows)]
mod windows;
