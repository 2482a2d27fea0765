//! Loading what a server names a URL of: resources (the proposal `https-url`) and icons.
//!
//! A server may name any URL. What is loaded from there is asked for over connections of their
//! own, with nothing on them that says who asks, and only where a [`FetchPolicy`] allows it.

mod address;
mod dial;
#[cfg(feature = "https-url")]
mod download;
mod error;
#[cfg(feature = "https-url")]
mod expiry;
#[cfg(feature = "https-url")]
mod failed;
#[cfg(feature = "https-url")]
mod fetched;
mod get;
#[cfg(feature = "https-url")]
mod media;
mod policy;
#[cfg(feature = "https-url")]
mod read;
#[cfg(feature = "https-url")]
mod reference;
#[cfg(feature = "https-url")]
mod refresh;
#[cfg(feature = "https-url")]
mod run;

pub use error::{FetchError, RedirectFault};
#[cfg(feature = "https-url")]
pub use failed::{FetchFailed, ReadError};
#[cfg(feature = "https-url")]
pub use fetched::{Fetched, FetchedBy};
pub(crate) use get::{Get, Got, content_type, plain};
pub use policy::FetchPolicy;
#[cfg(feature = "https-url")]
pub use reference::Reference;
#[cfg(feature = "https-url")]
pub use run::Fetch;
