//! Requests over HTTPS to URLs that are not trusted, because a peer of the
//! [Model Context Protocol](https://modelcontextprotocol.io) named them: resources, icons, metadata
//! of authorization servers. A peer may name any URL, also that of a service which only this machine
//! can reach.
//!
//! A [`FetchPolicy`] says which URLs are loaded. Each [`FetchRequest`] has a connection of its own to
//! an address that was checked, contains nothing but what the program puts into it, and has limits in
//! bytes and in time. [`Origin`] parses URLs strictly.
//!
//! | feature | adds |
//! | --- | --- |
//! | `client` | requests, over TLS with rustls; without it, the crate only parses URLs |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "client")]
mod client;
mod origin;
pub mod url;

#[cfg(feature = "client")]
pub use client::{
    FetchBody, FetchError, FetchPolicy, FetchRequest, FetchResponse, Proxy, ProxyConnector,
    ProxyError, RedirectFault, TlsError, Trust,
};
pub use origin::{Origin, UrlFault, host_name, is_loopback_url};

#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
