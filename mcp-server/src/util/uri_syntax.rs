//! The syntax of the URIs of definitions (RFC 3986), and their canonical form.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use mcp_types::uri::{canonical, is_permitted, is_scheme};

/// Why a text is not a URI.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum UriError {
    #[error("not a URI: it does not begin with a scheme")]
    Scheme,
    #[error("not a URI: the host or port of {0:?} is invalid")]
    Authority(String),
    #[error("not a URI: {0:?} has to be percent-encoded")]
    Character(char),
    #[error("not a URI: `%` is not followed by two hexadecimal digits")]
    Escape,
}

/// Checks that a text is a URI. Spaces and letters outside of ASCII are accepted: the canonical
/// form has them percent-encoded.
pub(crate) fn check(uri: &str) -> Result<(), UriError> {
    let (scheme, rest) = uri.split_once(':').ok_or(UriError::Scheme)?;
    if !is_scheme(scheme) {
        return Err(UriError::Scheme);
    }
    let rest = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (authority, rest) = rest.split_at(end);
            check_authority(authority)?;
            rest
        }
        None => rest,
    };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    check_characters(rest)?;
    check_characters(fragment)
}

fn check_authority(authority: &str) -> Result<(), UriError> {
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    check_characters(user)?;
    let invalid = || UriError::Authority(authority.to_owned());
    let port = if let Some(literal) = host.strip_prefix('[') {
        let (address, port) = literal.split_once(']').ok_or_else(invalid)?;
        // A future form of addresses begins with `v`.
        if address.parse::<Ipv6Addr>().is_err() && !address.starts_with(['v', 'V']) {
            return Err(invalid());
        }
        check_characters(address)?;
        port
    } else {
        let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
        check_characters(name)?;
        port
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    let is_port = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_port && (port.is_empty() || port.starts_with(':')) {
        return Ok(());
    }
    Err(invalid())
}

fn check_characters(text: &str) -> Result<(), UriError> {
    let is_valid = |character: char| match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => is_permitted(byte) || matches!(byte, b' ' | b'%'),
        _ => !character.is_control(),
    };
    if let Some(character) = text.chars().find(|character| !is_valid(*character)) {
        return Err(UriError::Character(character));
    }
    let mut escapes = text.split('%').skip(1);
    let is_escape = |after: &str| {
        let digits = after.as_bytes().first_chunk::<2>();
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if escapes.all(is_escape) {
        return Ok(());
    }
    Err(UriError::Escape)
}

/// Replaces a URI by its canonical form.
pub(crate) fn make_canonical(uri: &mut String) {
    if let Cow::Owned(canonical) = canonical(uri) {
        *uri = canonical;
    }
}

/// Decodes percent-encoding; `None` if it is incomplete or not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    String::from_utf8(mcp_types::uri::percent_decode(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_not_uris_are_rejected() {
        use UriError::*;
        for uri in [
            "x:",
            "x:a b",
            "x:é",
            "x://a@b:1/c?d=/?#e",
            "x://[::1]:80/",
            "x://[v1.a]",
            "urn:a:b",
            "file:///a%20b",
            "x:?#",
            "row://a:b@c",
        ] {
            assert_eq!(check(uri), Ok(()), "{uri}");
        }
        for (uri, error) in [
            ("", Scheme),
            ("a", Scheme),
            (":a", Scheme),
            ("1:a", Scheme),
            ("é:a", Scheme),
            ("http://[", Authority("[".to_owned())),
            ("http://[::g]/", Authority("[::g]".to_owned())),
            ("http://[::1]a/", Authority("[::1]a".to_owned())),
            ("http://a:b/", Authority("a:b".to_owned())),
            ("http://a[/", Character('[')),
            ("x://a|b", Character('|')),
            ("x:a[0]", Character('[')),
            ("x:a\nb", Character('\n')),
            ("x:a\u{85}b", Character('\u{85}')),
            ("x:a#b#c", Character('#')),
            ("x:{a}", Character('{')),
            ("x:%", Escape),
            ("x:%2", Escape),
            ("x:%2%20", Escape),
            ("x:%zz", Escape),
        ] {
            assert_eq!(check(uri), Err(error), "{uri}");
        }
    }
}
