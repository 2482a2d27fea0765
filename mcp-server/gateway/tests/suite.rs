//! All integration tests of the crate.

mod faults;
mod matrix;
mod presentation;
mod support;
mod users;
