//! The proposal `https-url`: resources by their HTTPS URLs.

mod download;
mod expiry;
mod failed;
mod fetched;
mod read;
mod reference;
mod refresh;
mod run;

pub use failed::{FetchFailed, ReadError};
pub use fetched::{Fetched, FetchedBy};
pub use reference::Reference;
pub use run::Fetch;
