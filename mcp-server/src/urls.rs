//! URLs of resources, by the proposal `https-url`.
//!
//! What a program says is in `config`. `issue` hands URLs out, each with a `token` that one of the
//! `keys` has signed, and knows which are `revoked`. What comes back goes through `service`: it
//! `read`s the resource, and `answer`s with what `select` finds is asked for.

mod answer;
mod config;
mod issue;
mod keys;
mod read;
mod revoked;
mod select;
mod service;
mod time;
mod token;

pub use config::{HttpUrls, UrlError};
pub use keys::UrlKeys;
pub use read::ReadByUrl;
pub use service::UrlService;

pub(crate) use issue::{Urls, hints, offer};
