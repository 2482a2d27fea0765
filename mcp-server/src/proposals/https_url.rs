//! URLs of resources, by the proposal `https-url`.
//!
//! What a program says is in `config`. `issue` hands URLs out, each with a `token` that one of the
//! `keys` has signed, and knows which are `revoked`. What comes back goes through `service`: it
//! `read`s as much of the resource as it has to, and `answer`s with what `select` finds is asked for,
//! under a tag from `etag`.

pub(crate) mod config;
pub(crate) mod issue;
pub(crate) mod keys;
pub(crate) mod revoked;
pub(crate) mod time;
pub(crate) mod token;
