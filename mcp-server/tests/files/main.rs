//! The example `files`, as its peers see it: a process, and real files.

mod changes;
mod lists;
mod peer;
mod reading;
mod safety;
mod start;
