//! Requests to URLs that a server names: resources (the proposal `https-url`), icons, and those of
//! OAuth.
//!
//! A server may name any URL. Each request uses a separate connection, contains nothing of the
//! requests to the server, and happens only if a [`FetchPolicy`] allows it.

mod address;
pub(crate) mod body;
mod dial;
#[cfg(feature = "oauth")]
mod direct;
mod error;
mod exchange;
pub(crate) mod get;
mod policy;
mod resolve;
#[cfg(feature = "oauth")]
mod server_reach;

#[cfg(feature = "oauth")]
pub(crate) use direct::Direct;
pub use error::{FetchError, RedirectFault};
pub use policy::FetchPolicy;
