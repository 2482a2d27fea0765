//! The example `files`, as its peers see it: a process, and real files.

#![cfg(unix)]

mod changes;
mod http;
mod lists;
mod peer;
mod reading;
mod safety;
mod start;
mod urls;
