//! Downloads from URLs that a server names: resources (the proposal `https-url`) and icons.
//!
//! A server may name any URL. Each download uses a separate connection, sends nothing that identifies
//! the client, and happens only if a [`FetchPolicy`] allows it.

mod address;
mod dial;
mod error;
mod get;
mod policy;

pub use error::{FetchError, RedirectFault};
#[cfg(feature = "https-url")]
pub(crate) use get::{Body, SHOWN};
pub(crate) use get::{FetchResponse, Get, check_encoding, content_type};
pub use policy::FetchPolicy;
