//! Reads requests: the head, the address of the client, and the body.
//!
//! `accept` reads which forms of a response the client accepts, `headers` compares the headers with
//! the message, and `body` reads the body. `proxy` finds the address of the client behind trusted
//! proxies, which are given as a `network`. `refused_log` logs requests with a wrong `Host` or
//! `Origin`.

pub(crate) mod accept;
pub(crate) mod body;
pub(crate) mod headers;
pub(crate) mod network;
pub(crate) mod proxy;
pub(crate) mod refused_log;
