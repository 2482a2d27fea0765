//! URLs of resources, by the proposal `https-url`.
//!
//! `config` is the public configuration. `issue` creates URLs: each contains a `token` that one of
//! the `keys` signed. `revoked` records which tokens were revoked. `serving` handles requests for
//! the URLs.

pub(crate) mod config;
pub(crate) mod downloads;
pub(crate) mod fixed_body;
pub(crate) mod issue;
pub(crate) mod keys;
pub(crate) mod presigned;
pub(crate) mod revoked;
pub(crate) mod serving;
pub(crate) mod setters;
pub(crate) mod shared_revocations;
pub(crate) mod token;
