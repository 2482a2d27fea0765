//! Tests over a pair of byte streams.

mod announcements;
mod changes;
mod connection;
mod input;
mod params;
mod peer;
pub(crate) mod reasons;
mod requests;
