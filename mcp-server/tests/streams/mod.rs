//! Tests over a pair of byte streams.

mod changes;
mod connection;
mod input;
mod params;
mod peer;
mod requests;
