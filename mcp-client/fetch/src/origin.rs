//! [`Origin`]: scheme, host and port of a URL, parsed strictly.
//!
//! URLs that a server names are parsed by different programs: this one, a browser, a proxy. A URL
//! that they might parse in different ways is rejected.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// Why a URL that a server named is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlFault {
    /// It contains characters that are not allowed in URLs, such as spaces, quotes, backslashes,
    /// and all that are not ASCII.
    #[error("it contains characters that are not allowed in URLs")]
    Characters,
    /// It has no scheme.
    #[error("the scheme is missing")]
    Relative,
    /// Its scheme is not supported.
    #[error("the scheme `{0}` is not supported")]
    Scheme(String),
    /// It contains a user name.
    #[error("it contains a user name")]
    User,
    /// Its host is missing or invalid.
    #[error("the host is missing or invalid")]
    Host,
    /// Its port is invalid.
    #[error("the port is invalid")]
    Port,
}

/// The origin of a URL of the scheme `http` or `https`. URLs with equal origins belong to the same
/// server.
///
/// ```
/// use mcp_fetch::{Origin, UrlFault};
///
/// let origin = Origin::parse("https://Example.com/mcp")?;
/// assert_eq!(origin.to_string(), "https://example.com:443");
/// let ambiguous = Origin::parse("https://evil.example\\@good.example/");
/// assert_eq!(ambiguous, Err(UrlFault::Characters));
/// # Ok::<(), UrlFault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// Whether the scheme is `https`; `http` otherwise.
    pub secure: bool,
    /// In normalized form; an IPv6 address without its brackets.
    pub host: String,
    /// The port, which is 443 or 80 if the URL has none.
    pub port: u16,
}

/// The maximum number of characters of a scheme in an error.
const SHOWN: usize = 32;

/// The longest name that a host can have (RFC 1035, section 3.1, without the last dot).
const HOST_BYTES: usize = 253;

impl Origin {
    /// Parses the origin of a URL of the scheme `http` or `https`.
    ///
    /// # Errors
    ///
    /// Fails if the URL is invalid, contains a user name, or might be parsed differently by another
    /// program.
    pub fn parse(url: &str) -> Result<Self, UrlFault> {
        let legal = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        if !url.bytes().all(legal) {
            return Err(UrlFault::Characters);
        }
        let (scheme, rest) = url.split_once(':').ok_or(UrlFault::Relative)?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            other => return Err(UrlFault::Scheme(other.chars().take(SHOWN).collect())),
        };
        let rest = rest.strip_prefix("//").ok_or(UrlFault::Host)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(UrlFault::User);
        }
        let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
            let (address, port) = rest.split_once(']').ok_or(UrlFault::Host)?;
            address.parse::<Ipv6Addr>().map_err(|_| UrlFault::Host)?;
            (address, port)
        } else {
            let end = authority.find(':').unwrap_or(authority.len());
            let (host, port) = authority.split_at(end);
            let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            if host.is_empty() || host.len() > HOST_BYTES || !host.bytes().all(legal) {
                return Err(UrlFault::Host);
            }
            (host, port)
        };
        let port = match port.strip_prefix(':') {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| UrlFault::Port)?
            }
            None if port.is_empty() && secure => 443,
            None if port.is_empty() => 80,
            _ => return Err(UrlFault::Port),
        };
        Ok(Self {
            secure,
            host: host_name(host),
            port,
        })
    }

    /// Returns `true` if the host is this machine: `localhost`, or a loopback address.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_this_machine(&self.host)
    }

    /// Parses the origin of a URL of the scheme `https`.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and for another scheme.
    pub fn secure(url: &str) -> Result<Self, UrlFault> {
        let origin = Self::parse(url)?;
        if !origin.secure {
            return Err(UrlFault::Scheme("http".to_owned()));
        }
        Ok(origin)
    }

    /// Returns `true` if the host is one of these, which are in the form of [`host_name`].
    #[must_use]
    pub fn is_among(&self, hosts: &[String]) -> bool {
        hosts.contains(&self.host)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

/// Returns `true` for `localhost` and for loopback addresses, without brackets. Names below
/// `localhost` do not count: the system may resolve them to other machines.
pub(crate) fn is_this_machine(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

/// Returns `true` if the host of a URL of the scheme `http` or `https` is this machine:
/// `localhost`, or a loopback address. Only there may a program send secrets over plain `http`.
///
/// ```
/// use mcp_fetch::is_loopback_url;
///
/// assert!(is_loopback_url("http://localhost:8080/mcp") && is_loopback_url("https://[::1]/"));
/// assert!(!is_loopback_url("http://example.com/") && !is_loopback_url("localhost"));
/// assert!(!is_loopback_url("http://localhost.example.com/"));
/// ```
#[must_use]
pub fn is_loopback_url(url: &str) -> bool {
    Origin::parse(url).is_ok_and(|origin| origin.is_loopback())
}

/// Normalizes the name or address of a host, so that [`Origin::is_among`] can compare it.
///
/// ```
/// assert_eq!(mcp_fetch::host_name("Example.com"), "example.com");
/// assert_eq!(mcp_fetch::host_name("[2001:DB8::0]"), "2001:db8::");
/// ```
#[must_use]
pub fn host_name(name: &str) -> String {
    let name = name.strip_prefix('[').unwrap_or(name);
    let name = name.strip_suffix(']').unwrap_or(name);
    match name.parse::<Ipv6Addr>() {
        Ok(address) => address.to_string(),
        Err(_) => name.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_normalized() {
        for (url, origin) in [
            ("https://Example.COM/a?b#c", "https://example.com:443"),
            ("HTTP://example.com", "http://example.com:80"),
            ("https://example.com:8443?x", "https://example.com:8443"),
            ("https://[2001:DB8:0::1]:1/", "https://[2001:db8::1]:1"),
            ("https://127.0.0.1#x", "https://127.0.0.1:443"),
        ] {
            let found = Origin::parse(url).map(|origin| origin.to_string());
            assert_eq!(found.as_deref(), Ok(origin), "{url}");
        }
    }

    #[test]
    fn names_below_localhost_are_not_this_machine() {
        for host in [
            "localhost",
            "LocalHost",
            "127.0.0.2",
            "::1",
            "::ffff:127.0.0.1",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["a.localhost", "localhost.", "192.168.0.1", "::2", ""] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn ambiguous_urls_are_rejected() {
        for (url, fault) in [
            ("https://evil.example\\@good.example/", UrlFault::Characters),
            ("https://exa mple.com/", UrlFault::Characters),
            ("https://example.com/\u{e9}", UrlFault::Characters),
            ("https://example.com/\n", UrlFault::Characters),
            ("https://example.com/\"x", UrlFault::Characters),
            ("/icon.png", UrlFault::Relative),
            ("//example.com/x", UrlFault::Relative),
            (
                "javascript:alert(1)",
                UrlFault::Scheme("javascript".to_owned()),
            ),
            ("https://me@example.com/", UrlFault::User),
            ("https://me:word@example.com/", UrlFault::User),
            ("https:example.com", UrlFault::Host),
            ("https:///x", UrlFault::Host),
            ("https://:1/x", UrlFault::Host),
            ("https://exa%6Dple.com/", UrlFault::Host),
            (&format!("https://{}/", "x".repeat(254)), UrlFault::Host),
            ("https://[::1/", UrlFault::Host),
            ("https://[::1%25eth0]/", UrlFault::Host),
            ("https://example.com:/", UrlFault::Port),
            ("https://example.com:x/", UrlFault::Port),
            ("https://example.com:65536/", UrlFault::Port),
            ("https://[::1]443/", UrlFault::Port),
        ] {
            assert_eq!(Origin::parse(url), Err(fault), "{url}");
        }
        let plain = UrlFault::Scheme("http".to_owned());
        assert_eq!(Origin::secure("http://example.com/"), Err(plain));
    }
}
