//! Redirect URIs: which ones a client can have, and how a request is compared with them.

use mcp_fetch::{Origin, UrlFault};

/// The maximum length of a redirect URI, in bytes.
const BYTES: usize = 1_024;

/// The schemes that execute what follows, show it as a document of another origin, open files, or
/// send it to somebody.
const FORBIDDEN_SCHEMES: &str = "about blob callto chrome data facetime feed file filesystem ftp \
    intent itms-services jar javascript ldap mailto news rdp search search-ms sip smb sms ssh steam \
    tel telnet vbscript view-source vnc webcal ws wss";

/// Where a redirect URI leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// To a website.
    Https,
    /// To a program of the device, at a loopback address or `localhost`.
    Loopback,
    /// To a program of the device that has registered a scheme of its own.
    PrivateScheme,
}

/// Why a client cannot have a redirect URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RedirectError {
    #[error("it is longer than {BYTES} bytes")]
    TooLong,
    #[error("it has characters that are not allowed in URIs")]
    Characters,
    #[error("it has a fragment")]
    Fragment,
    #[error("it has a user name")]
    User,
    #[error("it is not an absolute URI, or its host or port is invalid")]
    Syntax,
    #[error("its scheme is not allowed: expected `https`, `http` on this device, or an own scheme")]
    Scheme,
}

/// Checks a redirect URI that a client wants to have (RFC 6749, section 3.1.2; RFC 8252, section 7).
pub(crate) fn check(uri: &str) -> Result<RedirectKind, RedirectError> {
    if uri.len() > BYTES {
        return Err(RedirectError::TooLong);
    }
    let is_legal = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&byte);
    if !uri.bytes().all(is_legal) {
        return Err(RedirectError::Characters);
    }
    if uri.contains('#') {
        return Err(RedirectError::Fragment);
    }
    let (scheme, rest) = uri.split_once(':').ok_or(RedirectError::Syntax)?;
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "https" => origin(uri).map(|_| RedirectKind::Https),
        "http" => {
            let is_loopback = origin(uri)?.is_loopback();
            let kind = is_loopback.then_some(RedirectKind::Loopback);
            kind.ok_or(RedirectError::Scheme)
        }
        scheme => private_scheme(scheme, rest).map(|()| RedirectKind::PrivateScheme),
    }
}

fn origin(uri: &str) -> Result<Origin, RedirectError> {
    Origin::parse(uri).map_err(|fault| match fault {
        UrlFault::User => RedirectError::User,
        UrlFault::Characters => RedirectError::Characters,
        _ => RedirectError::Syntax,
    })
}

/// Checks a URI with the scheme of a program. Schemes with a dot are recommended (RFC 8252, section
/// 7.1), but several widespread programs have none.
fn private_scheme(scheme: &str, rest: &str) -> Result<(), RedirectError> {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.len() >= 2
        && scheme.bytes().all(is_legal);
    if !is_scheme {
        return Err(RedirectError::Syntax);
    }
    // Windows has many handlers of schemes that begin with `ms-`, which do something with the URI.
    let mut forbidden = FORBIDDEN_SCHEMES.split_ascii_whitespace();
    let is_forbidden = forbidden.any(|other| other == scheme) || scheme.starts_with("ms-");
    // `scheme:/path` or `scheme://host/path`: other forms are not hierarchical.
    if is_forbidden || !rest.starts_with('/') {
        return Err(RedirectError::Scheme);
    }
    let authority = rest.strip_prefix("//").unwrap_or_default();
    let authority = authority.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(RedirectError::User);
    }
    Ok(())
}

/// Returns `true` if a request may redirect to a URI: if it is one of the client, byte by byte (RFC
/// 9700, section 2.1). Only the port on this device is free, because the system chooses it (RFC 8252,
/// section 7.3): also that of `localhost`, for which widespread clients register no port, either.
pub(crate) fn matches(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return true;
    }
    match (
        without_loopback_port(registered),
        without_loopback_port(requested),
    ) {
        (Some(registered), Some(requested)) => registered == requested,
        _ => false,
    }
}

/// Returns the parts before and after the port of a URI with a loopback address or `localhost`. `None`
/// for others.
fn without_loopback_port(uri: &str) -> Option<(&str, &str)> {
    if check(uri) != Ok(RedirectKind::Loopback) {
        return None;
    }
    let rest = uri.strip_prefix("http://")?;
    let (authority, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    // The address is not split at its own colons.
    let address_end = authority.find(']').map_or(0, |end| end + 1);
    let (address, port) = authority.split_at(address_end);
    let host_end = port.find(':').unwrap_or(port.len()) + address.len();
    Some((authority.get(..host_end)?, rest))
}

/// Returns where a redirect URI leads, for users.
pub(crate) fn destination(uri: &str) -> String {
    match (check(uri), Origin::parse(uri)) {
        (Ok(RedirectKind::Https), Ok(origin)) => origin.host,
        (Ok(RedirectKind::Loopback), _) => "a program on this device".to_owned(),
        _ => {
            let scheme = uri.split(':').next().unwrap_or_default();
            format!("the program that opens links that begin with {scheme}:")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_redirect_uris_can_be_registered() {
        use RedirectKind::{Https, Loopback, PrivateScheme};

        for (uri, kind) in [
            ("https://a.example/cb?x=1", Https),
            ("https://a.example:8443", Https),
            ("http://127.0.0.1/cb", Loopback),
            ("http://127.0.0.1:33418/", Loopback),
            ("http://[::1]:1/cb", Loopback),
            ("http://localhost:6274/cb", Loopback),
            ("cursor://anysphere.cursor-mcp/oauth", PrivateScheme),
            ("com.example.app:/cb", PrivateScheme),
        ] {
            assert_eq!(check(uri), Ok(kind), "{uri}");
        }
        for (uri, error) in [
            ("http://a.example/cb", RedirectError::Scheme),
            ("http://127.0.0.1.a.example/", RedirectError::Scheme),
            ("http://localhost.a.example/", RedirectError::Scheme),
            ("http://192.168.0.1/", RedirectError::Scheme),
            ("http://127.1/", RedirectError::Scheme),
            ("https://me@a.example/", RedirectError::User),
            ("http://127.0.0.1@a.example/", RedirectError::User),
            ("app://me@host/cb", RedirectError::User),
            ("https://a.example/#x", RedirectError::Fragment),
            ("https://a.example/\\b", RedirectError::Characters),
            ("https://a.example/ b", RedirectError::Characters),
            ("https://a.example/\u{e9}", RedirectError::Characters),
            ("https://a.example/'", RedirectError::Characters),
            ("https:a.example", RedirectError::Syntax),
            ("https://", RedirectError::Syntax),
            ("/cb", RedirectError::Syntax),
            ("", RedirectError::Syntax),
            ("javascript:alert(1)", RedirectError::Scheme),
            ("JavaScript://%0aalert(1)", RedirectError::Scheme),
            ("data:text/html,x", RedirectError::Scheme),
            ("mailto:a@b.example", RedirectError::Scheme),
            ("file:///etc/passwd", RedirectError::Scheme),
            ("ms-msdt:/id", RedirectError::Scheme),
            ("smb://a.example/x", RedirectError::Scheme),
            ("wss://a.example/x", RedirectError::Scheme),
            ("Telnet://a.example", RedirectError::Scheme),
            ("search://x", RedirectError::Scheme),
            ("sip:/x", RedirectError::Scheme),
            ("callto:/x", RedirectError::Scheme),
            ("itms-services://?action=x", RedirectError::Scheme),
            ("steam://run/1", RedirectError::Scheme),
            ("vnc://a.example", RedirectError::Scheme),
            ("rdp://a.example", RedirectError::Scheme),
            ("webcal://a.example/x", RedirectError::Scheme),
            ("app:cb", RedirectError::Scheme),
            ("c:/x", RedirectError::Syntax),
            ("1a:/x", RedirectError::Syntax),
        ] {
            assert_eq!(check(uri), Err(error), "{uri}");
        }
        let long = format!("https://a.example/{}", "x".repeat(BYTES));
        assert_eq!(check(&long), Err(RedirectError::TooLong));
    }

    #[test]
    fn only_the_port_on_this_device_is_free() {
        for (registered, requested, is_match) in [
            ("https://a.example/cb", "https://a.example/cb", true),
            ("https://a.example/cb", "https://a.example/CB", false),
            ("https://a.example/cb", "https://A.example/cb", false),
            ("https://a.example/cb", "https://a.example:443/cb", false),
            ("https://a.example/cb", "https://a.example/cb/", false),
            ("https://a.example/cb", "https://a.example/cb?x", false),
            ("https://a.example/cb", "https://a.example/cb#x", false),
            ("https://a.example/cb", "https://a.example/cb/../x", false),
            ("https://a.example/cb", "https://x@a.example/cb", false),
            (
                "https://a.example/cb",
                "https://a.example.evil.example/cb",
                false,
            ),
            ("https://a.example/cb", "http://a.example/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1/cb", true),
            ("http://127.0.0.1:2/cb", "http://127.0.0.1/cb", true),
            (
                "http://127.0.0.1:2/cb?x=1",
                "http://127.0.0.1:3/cb?x=1",
                true,
            ),
            ("http://127.0.0.1:2/cb", "http://127.0.0.1:3/cb?x=1", false),
            ("http://127.0.0.1:2/cb", "http://127.0.0.1:3/CB", false),
            ("http://127.0.0.1:2/cb", "http://127.0.0.1:99999/cb", false),
            (
                "http://127.0.0.1:2/cb",
                "http://127.0.0.1:3@a.example/cb",
                false,
            ),
            ("http://127.0.0.1:2/cb", "http://127.0.0.2:2/cb", false),
            ("http://127.0.0.1:2/cb", "http://localhost:2/cb", false),
            ("http://127.0.0.1:2/cb", "https://127.0.0.1:3/cb", false),
            ("http://127.0.0.1:2", "http://127.0.0.1:3/", false),
            ("http://[::1]/cb", "http://[::1]:3/cb", true),
            ("http://[::1]:1/cb", "http://127.0.0.1:1/cb", false),
            ("http://localhost:1/cb", "http://localhost:1/cb", true),
            ("http://localhost:1/cb", "http://localhost:2/cb", true),
            ("http://localhost/cb", "http://localhost:2/cb", true),
            ("http://localhost/cb", "http://localhost:2/cb/x", false),
            ("http://localhost/cb", "http://LOCALHOST:2/cb", false),
            ("http://localhost/cb", "https://localhost:2/cb", false),
            (
                "http://localhost/cb",
                "http://localhost.a.example:2/cb",
                false,
            ),
            (
                "http://localhost/cb",
                "http://localhost:2@a.example/cb",
                false,
            ),
            ("http://localhost/cb", "http://127.0.0.1/cb", false),
            ("app:/cb", "app:/cb", true),
            ("app:/cb", "APP:/cb", false),
        ] {
            assert_eq!(
                matches(registered, requested),
                is_match,
                "{registered} {requested}"
            );
        }
    }
}
