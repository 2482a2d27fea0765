//! The domains that an app may use: sources of a content security policy.

use thiserror::Error;

use mcp_types::peer_text::PeerText;

/// The maximum number of domains for one purpose.
pub const MAX_DOMAINS: usize = 64;
/// The longest name that a host can have (RFC 1035, section 3.1, without the last dot).
const HOST_BYTES: usize = 253;

/// A domain in the metadata of an app is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid domain `{}` in `{member}`: {fault}", PeerText(domain))]
#[non_exhaustive]
pub struct DomainError {
    /// The member of the metadata, such as `connectDomains`.
    pub member: &'static str,
    /// The domain.
    pub domain: String,
    /// Why it is invalid.
    pub fault: DomainFault,
}

/// Why a domain is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DomainFault {
    /// It does not begin with a supported scheme.
    #[error("expected `https://`, `wss://`, `http://` or `ws://` and a host")]
    Scheme,
    /// The host is missing, or has characters that hosts do not have. Paths are not permitted.
    #[error("expected a host of letters, digits, hyphens and dots, and an optional port")]
    Host,
    /// A wildcard stands for more than the subdomains of a domain.
    #[error("`*` must be followed by a dot and a domain of at least two labels")]
    Wildcard,
    /// The port is invalid.
    #[error("the port is invalid")]
    Port,
    /// There are too many domains.
    #[error("more than {MAX_DOMAINS} domains")]
    Number,
}

/// Checks an origin, such as `https://*.example.com:8443`. What passes contains no character that
/// ends a source or a directive of a policy, or an attribute of HTML.
pub(super) fn check_source(source: &str) -> Result<(), DomainFault> {
    let (scheme, rest) = source.split_once("://").ok_or(DomainFault::Scheme)?;
    if !["https", "wss", "http", "ws"].contains(&scheme) {
        return Err(DomainFault::Scheme);
    }
    let (host, port) = match rest.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (rest, None),
    };
    match host.strip_prefix('*') {
        Some(domain) => {
            let domain = domain.strip_prefix('.').ok_or(DomainFault::Wildcard)?;
            check_host(domain)?;
            if !domain.contains('.') {
                return Err(DomainFault::Wildcard);
            }
        }
        None => check_host(host)?,
    }
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    if port.is_some_and(|port| !is_port(port)) {
        return Err(DomainFault::Port);
    }
    Ok(())
}

/// Checks the dedicated origin of an app, whose form depends on the host: a name, with or without
/// `https://`.
pub(super) fn check_dedicated(domain: &str) -> Result<(), DomainFault> {
    check_host(domain.strip_prefix("https://").unwrap_or(domain))
}

fn check_host(host: &str) -> Result<(), DomainFault> {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    if host.len() <= HOST_BYTES && host.split('.').all(is_label) {
        Ok(())
    } else {
        Err(DomainFault::Host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_origins() {
        for source in [
            "https://api.example.com",
            "https://*.example.com",
            "wss://example.com:8443",
            "http://localhost:3000",
            "http://127.0.0.1",
        ] {
            assert_eq!(check_source(source), Ok(()), "{source}");
        }
        for (source, fault) in [
            ("", DomainFault::Scheme),
            ("*", DomainFault::Scheme),
            ("data:", DomainFault::Scheme),
            ("example.com", DomainFault::Scheme),
            ("'unsafe-eval'", DomainFault::Scheme),
            ("ftp://example.com", DomainFault::Scheme),
            ("https://", DomainFault::Host),
            ("https://a.example/path", DomainFault::Host),
            ("https://a.example; script-src *", DomainFault::Host),
            ("https://a.example 'unsafe-eval'", DomainFault::Host),
            ("https://a.example\nx", DomainFault::Host),
            ("https://a.example\"", DomainFault::Host),
            ("https://a.example,b", DomainFault::Host),
            ("https://user@a.example", DomainFault::Host),
            ("https://a..example", DomainFault::Host),
            ("https://ex\u{e4}mple.com", DomainFault::Host),
            ("https://[::1]", DomainFault::Host),
            ("https://*", DomainFault::Wildcard),
            ("https://*example.com", DomainFault::Wildcard),
            ("https://*.com", DomainFault::Wildcard),
            ("https://a.*.example.com", DomainFault::Host),
            ("https://a.example:", DomainFault::Port),
            ("https://a.example:0", DomainFault::Port),
            ("https://a.example:+1", DomainFault::Port),
            ("https://a.example:80;", DomainFault::Port),
            ("https://a.example:65536", DomainFault::Port),
        ] {
            assert_eq!(check_source(source), Err(fault), "{source}");
        }
        let long = format!("https://{}", "a".repeat(254));
        assert_eq!(check_source(&long), Err(DomainFault::Host));
    }
}
