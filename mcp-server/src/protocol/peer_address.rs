//! [`PeerAddress`]: the address of the client of an HTTP request.

use std::net::IpAddr;

/// The IP address of the client that sent a request. Found as an
/// [extension](crate::Context::extension) of a request over HTTP.
///
/// This is the address of the connection ([`SocketAddr`](std::net::SocketAddr), which `serve_http`
/// sets and a program can attach to a request in its own HTTP stack). If the connection comes from
/// a [trusted proxy](crate::HttpConfig::trusted_proxies), it is the address that the proxy reports.
/// The extension is absent if the address of the connection is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerAddress(pub IpAddr);
