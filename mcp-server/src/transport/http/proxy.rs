//! The address of the client behind trusted proxies.

use std::net::{IpAddr, SocketAddr};

use http::header::FORWARDED;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::protocol::caller::PeerAddress;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::config::network::{IpNetwork, IpNetworkError};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl HttpConfig {
    /// Trusts the proxies at these addresses and networks to report the address of the client, in
    /// the header `Forwarded` (RFC 7239) or `X-Forwarded-For`. None are trusted by default.
    ///
    /// Limits for each peer count by this address, and handlers find it as [`PeerAddress`]. It is
    /// the rightmost address in the header that is not one of a trusted proxy: everything to the
    /// left of it was sent by the client and cannot be trusted. If that entry is not an address
    /// (`unknown`, or malformed), the request counts for the proxy that reported it.
    ///
    /// Each trusted proxy has to append the address of its own client. If a request has both
    /// headers and they do not lead to the same address, the client probably sent one of them and
    /// the proxy did not remove it, so the request counts for the proxy itself. Configure the proxy
    /// to set one header and to delete the other.
    ///
    /// ```
    /// use mcp_server::HttpConfig;
    ///
    /// let config = HttpConfig::new()
    ///     .allow_hosts(["mcp.example.com"])
    ///     .trusted_proxies(["127.0.0.1", "::1", "10.0.0.0/8"])?;
    /// # drop(config);
    /// # Ok::<(), mcp_server::IpNetworkError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`IpNetworkError`] if an entry is neither an address nor a network.
    pub fn trusted_proxies<T>(
        mut self,
        proxies: impl IntoIterator<Item = T>,
    ) -> Result<Self, IpNetworkError>
    where
        T: TryInto<IpNetwork>,
        IpNetworkError: From<T::Error>,
    {
        for proxy in proxies {
            self.proxies.push(proxy.try_into()?);
        }
        Ok(self)
    }

    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|proxy| proxy.contains(address))
    }
}

/// Returns the address of the client, as described at [`PeerAddress`]. `remote` is the address of
/// the connection; a [`SocketAddr`] among the request's own extensions takes precedence.
pub(crate) fn peer_address(
    config: &HttpConfig,
    parts: &Parts,
    remote: Option<SocketAddr>,
) -> Option<IpAddr> {
    let known = parts.extensions.get::<SocketAddr>().copied();
    let connection = known.or(remote)?.ip().to_canonical();
    if !config.is_trusted(connection) {
        return Some(connection);
    }
    let follow = |name, read: ReadAddress| client(config, connection, &parts.headers, name, read);
    let forwarded = follow(&FORWARDED, forwarded_for);
    let x_forwarded = follow(&X_FORWARDED_FOR, address);
    match (forwarded, x_forwarded) {
        (Some(one), Some(other)) if one != other => Some(connection),
        (forwarded, x_forwarded) => forwarded.or(x_forwarded).or(Some(connection)),
    }
}

/// Attaches the address of the client as [`PeerAddress`], for handlers and limits.
pub(crate) fn attach(config: &HttpConfig, parts: &mut Parts, remote: Option<SocketAddr>) {
    if !config.proxies.is_empty()
        && let Some(address) = peer_address(config, parts, remote)
    {
        parts.extensions.insert(PeerAddress(address));
    }
}

/// Parses the address in an element of a header.
type ReadAddress = fn(&[u8]) -> Option<IpAddr>;

/// Reads a header from the right, from proxy to proxy. Returns `None` if the header is absent.
fn client(
    config: &HttpConfig,
    connection: IpAddr,
    headers: &HeaderMap,
    name: &HeaderName,
    read: ReadAddress,
) -> Option<IpAddr> {
    let mut lines = headers.get_all(name).iter().rev().peekable();
    lines.peek()?;
    let mut hop = connection;
    for element in lines.flat_map(Elements::of) {
        match read(element) {
            Some(address) => hop = address,
            None => return Some(hop),
        }
        if !config.is_trusted(hop) {
            return Some(hop);
        }
    }
    Some(hop)
}

/// Iterates over the elements of a list in a header, from the last to the first, in linear time.
///
/// Read from the right, because the client may have sent the left part: a quote that it does not
/// close must not hide the elements that proxies appended.
struct Elements<'a>(Option<&'a [u8]>);

impl<'a> Elements<'a> {
    fn of(line: &'a HeaderValue) -> Self {
        Self(Some(line.as_bytes()))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0.take()?;
        let mut quoted = false;
        let mut end = rest.len();
        while let Some((&byte, before)) = rest.get(..end).and_then(<[u8]>::split_last) {
            end = before.len();
            if byte == b',' && !quoted {
                self.0 = Some(before);
                return rest.get(end + 1..).map(<[u8]>::trim_ascii);
            }
            if byte == b'"' {
                let slashes = before.iter().rev().take_while(|byte| **byte == b'\\');
                let slashes = slashes.count();
                quoted ^= slashes % 2 == 0;
                end -= slashes;
            }
        }
        Some(rest.trim_ascii())
    }
}

/// Parses the address in an element of `Forwarded`, such as `for=192.0.2.1;proto=https`.
fn forwarded_for(element: &[u8]) -> Option<IpAddr> {
    let mut found = None;
    for pair in element.split(|byte| *byte == b';') {
        let at = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = pair.split_at_checked(at)?;
        if !name.trim_ascii().eq_ignore_ascii_case(b"for") {
            continue;
        }
        if found.is_some() {
            return None;
        }
        let value = value.get(1..)?.trim_ascii();
        let inner = value
            .strip_prefix(b"\"")
            .and_then(|value| value.strip_suffix(b"\""));
        found = Some(address(inner.unwrap_or(value))?);
    }
    found
}

/// Parses an address with an optional port: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`,
/// `[2001:db8::1]:4711`.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let bare = || text.parse().ok();
    let with_port = || text.parse().ok().map(|socket: SocketAddr| socket.ip());
    let bracketed = || {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse().ok()
    };
    let found: Option<IpAddr> = bare().or_else(with_port).or_else(bracketed);
    found.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The peer of a connection from 10.0.0.1, with 10.0.0.0/8 trusted.
    fn peer(headers: &[(&str, &str)]) -> String {
        peer_from("10.0.0.1", headers)
    }

    fn peer_from(connection: &str, headers: &[(&str, &str)]) -> String {
        let config = HttpConfig::new()
            .trusted_proxies(["10.0.0.0/8", "fd00::1"])
            .expect("networks");
        let mut request = http::Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let remote = SocketAddr::new(connection.parse().expect("an address"), 1);
        let peer = peer_address(&config, &parts, Some(remote));
        peer.expect("known").to_string()
    }

    #[test]
    fn forwarded_header_is_read_from_the_right() {
        let cases = [
            ("for=192.0.2.1", "192.0.2.1"),
            (
                "For=\"192.0.2.1:4711\"; proto=https;by=10.0.0.1",
                "192.0.2.1",
            ),
            ("proto=https;for=\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("for=\"[2001:db8::1]\"", "2001:db8::1"),
            ("for=192.0.2.1, for=198.51.100.2", "198.51.100.2"),
            ("for=192.0.2.1, for=10.0.0.9", "192.0.2.1"),
            ("for=10.0.0.8, for=10.0.0.9", "10.0.0.8"),
            // What the client sent to the left does not matter.
            ("for=\"x, for=192.0.2.1", "192.0.2.1"),
            ("\\\"\"\\\\\", for=\"192.0.2.1\"", "192.0.2.1"),
            // Where an entry is not an address, the proxy that reported it counts.
            ("for=unknown", "10.0.0.1"),
            ("for=_hidden, for=10.0.0.9", "10.0.0.9"),
            ("for=192.0.2.1;for=192.0.2.2", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
            ("for=192.0.2.1,", "10.0.0.1"),
            ("for", "10.0.0.1"),
            ("", "10.0.0.1"),
        ];
        for (value, expected) in cases {
            assert_eq!(peer(&[("forwarded", value)]), expected, "{value}");
        }
    }

    #[test]
    fn x_forwarded_for_is_read_from_the_right() {
        let cases = [
            ("192.0.2.1", "192.0.2.1"),
            ("203.0.113.9, 192.0.2.1,10.0.0.9", "192.0.2.1"),
            ("192.0.2.1:80", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("192.0.2.1, nonsense, 10.0.0.9", "10.0.0.9"),
            ("nonsense", "10.0.0.1"),
        ];
        for (value, expected) in cases {
            assert_eq!(peer(&[("x-forwarded-for", value)]), expected, "{value}");
        }
        let lines = [
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-for", "192.0.2.1"),
        ];
        assert_eq!(peer(&lines), "192.0.2.1");
    }

    #[test]
    fn contradictory_headers_yield_the_address_of_the_proxy() {
        let both = |one, other| peer(&[("forwarded", one), ("x-forwarded-for", other)]);
        assert_eq!(both("for=192.0.2.1", "192.0.2.1"), "192.0.2.1");
        assert_eq!(both("for=203.0.113.9", "192.0.2.1"), "10.0.0.1");
    }

    #[test]
    fn headers_of_an_untrusted_connection_are_ignored() {
        let spoofed = [("x-forwarded-for", "192.0.2.1")];
        assert_eq!(peer_from("198.51.100.2", &spoofed), "198.51.100.2");
        assert_eq!(peer_from("fd00::1", &spoofed), "192.0.2.1");
        assert_eq!(peer_from("::ffff:10.0.0.1", &spoofed), "192.0.2.1");
    }
}
