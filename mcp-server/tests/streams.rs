//! Tests over a pair of byte streams.

#![cfg(unix)]

#[path = "subject/tools.rs"]
mod tools;

mod streams {
    mod changes;
    mod connection;
    mod input;
    mod params;
    mod peer;
    mod requests;
}
