//! Tests of the example `files` as a process, with real files.

mod changes;
mod http;
mod lists;
mod peer;
mod reading;
mod safety;
mod start;
mod urls;
