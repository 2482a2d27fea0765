//! URLs of resources, by the proposal `https-url`.
//!
//! What a program says is in `config`. `issue` hands URLs out, each with a `token` that one of the
//! `keys` has signed, and knows which are `revoked`. What comes back goes through `service`: it
//! `read`s as much of the resource as it has to, and `answer`s with what `select` finds is asked for,
//! under a tag from `etag`.

mod answer;
mod config;
pub(crate) mod etag;
mod issue;
mod keys;
mod offload;
mod read;
mod representation;
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
