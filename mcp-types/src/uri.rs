//! Compares URIs by their canonical form.

use std::borrow::Cow;

/// Returns `true` if two URIs are equivalent: if they have the same [canonical] form.
#[must_use]
pub fn is_equivalent(one: &str, other: &str) -> bool {
    one == other || canonical(one) == canonical(other)
}

/// Returns the canonical form of a URI, which all equivalent URIs share (RFC 3986, 6.2.2):
///
/// * The scheme is lower-case. So is the host, if the scheme is one of `file`, `ftp`, `http`,
///   `https`, `ws` and `wss`. Other schemes often have a name at this place, such as `note://Anna`,
///   so its case is kept.
/// * Percent-encoding is decoded where it is not needed: `%61` becomes `a`. Elsewhere its digits
///   are upper-case.
/// * Characters that are not permitted in a URI, such as spaces and letters outside of ASCII, are
///   percent-encoded as UTF-8 (RFC 3987, 3.1).
/// * An absolute path has no segments `.` and `..`.
///
/// A text that is not a URI is only encoded. The length is at most three times that of `uri`, plus
/// two bytes.
///
/// ```
/// use mcp_types::uri::canonical;
///
/// assert_eq!(canonical("FILE:///a/../caf%c3%a9/%7Euser"), "file:///caf%C3%A9/~user");
/// assert_eq!(canonical("note://Anna/my café"), "note://Anna/my%20caf%C3%A9");
/// ```
#[must_use]
pub fn canonical(uri: &str) -> Cow<'_, str> {
    if uri.bytes().all(is_plain) && !uri.contains("/.") {
        return Cow::Borrowed(uri);
    }
    let mut canonical = String::with_capacity(uri.len());
    let rest = push_beginning(&mut canonical, uri);
    let has_scheme = !canonical.is_empty();
    let (path, rest) = split_before(rest, &['?', '#']);
    if path.starts_with('/') && has_scheme {
        let mut escaped = String::with_capacity(path.len());
        push_part(&mut escaped, path, Part::Path);
        push_without_dots(&mut canonical, &escaped);
    } else {
        push_part(&mut canonical, path, Part::Path);
    }
    push_rest(&mut canonical, rest);
    if !has_scheme && scheme(&canonical).is_some() {
        // The scheme was percent-encoded, so what follows it was not read as what it is.
        return Cow::Owned(self::canonical(&canonical).into_owned());
    }
    Cow::Owned(canonical)
}

/// Returns the scheme of a URI and what follows its colon.
fn scheme(uri: &str) -> Option<(&str, &str)> {
    uri.split_once(':').filter(|(scheme, _)| is_scheme(scheme))
}

/// Returns the form that a text between the variables of a URI template has in the [`canonical`]
/// URIs that the template matches. The first text begins with the scheme.
#[doc(hidden)]
#[must_use]
pub fn canonical_literal(text: &str, is_first: bool) -> String {
    let mut canonical = String::with_capacity(text.len());
    let rest = if is_first {
        push_beginning(&mut canonical, text)
    } else {
        text
    };
    push_rest(&mut canonical, rest);
    canonical
}

/// Decodes percent-encoding. Returns `None` if an escape is incomplete.
#[doc(hidden)]
#[must_use]
pub fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (digits, tail) = rest.split_first_chunk()?;
            bytes.push(hexadecimal(*digits)?);
            rest = tail;
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

/// Returns `true` if a text is the scheme of a URI (RFC 3986, 3.1).
#[must_use]
pub fn is_scheme(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

/// Returns `true` for a byte that stands for itself in the path and in the query (RFC 3986, 3.3).
#[must_use]
pub fn is_permitted(byte: u8) -> bool {
    let is_delimiter = matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
    );
    is_unreserved(byte) || is_delimiter || matches!(byte, b':' | b'@' | b'/' | b'?')
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns `true` for a byte that stands for itself in every part of a canonical URI.
fn is_plain(byte: u8) -> bool {
    is_permitted(byte) && !byte.is_ascii_uppercase()
}

/// The parts of a URI that differ in what is permitted.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Authority,
    /// An authority whose host is compared without regard to case.
    Host,
    /// The path, the query or the fragment.
    Path,
}

/// Appends the scheme and the authority of a URI. Returns what follows them.
fn push_beginning<'a>(canonical: &mut String, uri: &'a str) -> &'a str {
    let Some((scheme, rest)) = scheme(uri) else {
        return uri;
    };
    canonical.push_str(&scheme.to_ascii_lowercase());
    let part = match canonical.as_str() {
        "file" | "ftp" | "http" | "https" | "ws" | "wss" => Part::Host,
        _ => Part::Authority,
    };
    canonical.push(':');
    let Some(rest) = rest.strip_prefix("//") else {
        return rest;
    };
    canonical.push_str("//");
    let (authority, rest) = split_before(rest, &['/', '?', '#']);
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    let (user, host) = authority.split_at(user);
    push_part(canonical, user, Part::Authority);
    push_part(canonical, host, part);
    rest
}

/// Appends the query and the fragment.
fn push_rest(canonical: &mut String, rest: &str) {
    let (query, fragment) = split_before(rest, &['#']);
    push_part(canonical, query, Part::Path);
    if let Some(fragment) = fragment.strip_prefix('#') {
        canonical.push('#');
        push_part(canonical, fragment, Part::Path);
    }
}

fn push_part(canonical: &mut String, text: &str, part: Part) {
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let decoded = tail.split_first_chunk().filter(|_| byte == b'%');
        let decoded = decoded.and_then(|(digits, tail)| Some((hexadecimal(*digits)?, tail)));
        let (byte, stands_for_itself) = if let Some((decoded, tail)) = decoded {
            rest = tail;
            (decoded, is_unreserved(decoded))
        } else {
            let is_bracket = part != Part::Path && matches!(byte, b'[' | b']');
            (byte, is_permitted(byte) || is_bracket)
        };
        if !stands_for_itself {
            canonical.push('%');
            for digit in [byte >> 4, byte & 15] {
                let digit = char::from_digit(digit.into(), 16).unwrap_or_default();
                canonical.push(digit.to_ascii_uppercase());
            }
        } else if part == Part::Host {
            canonical.push(char::from(byte.to_ascii_lowercase()));
        } else {
            canonical.push(char::from(byte));
        }
    }
}

fn hexadecimal(digits: [u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? * 16 + low?).ok()
}

/// Appends an absolute path without the segments `.` and `..`.
fn push_without_dots(canonical: &mut String, path: &str) {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            _ => kept.push(segment),
        }
        if matches!(segment, "." | "..") && segments.peek().is_none() {
            kept.push("");
        }
    }
    // Without this, the path would become an authority.
    if canonical.ends_with(':') && kept.len() > 1 && kept.first() == Some(&"") {
        canonical.push_str("/.");
    }
    for segment in kept {
        canonical.push('/');
        canonical.push_str(segment);
    }
}

fn split_before<'a>(text: &'a str, ends: &[char]) -> (&'a str, &'a str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_is_decoded_to_bytes() {
        for (text, expected) in [
            ("a%20b%c3%A9+", Some("a b\u{e9}+".as_bytes())),
            ("%FF", Some(b"\xFF")),
            ("", Some(b"")),
            ("%", None),
            ("%4", None),
            ("%+1", None),
            ("%4g", None),
        ] {
            assert_eq!(percent_decode(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn equivalent_uris_have_one_canonical_form() {
        for (uri, expected) in [
            ("row://secret", "row://secret"),
            ("row://%73ecret", "row://secret"),
            ("ROW://secret", "row://secret"),
            ("row://Secret", "row://Secret"),
            (
                "HTTP://User@EXAMPLE.com:80/A",
                "http://User@example.com:80/A",
            ),
            ("http://%45x%c3/", "http://ex%C3/"),
            ("http://[2001:DB8::1]/[", "http://[2001:db8::1]/%5B"),
            ("x:a/%2e%2E/b", "x:a/../b"),
            ("x:/a/./b/%2e%2e/c", "x:/a/c"),
            ("file:///a/..", "file:///"),
            ("file:///../../a/.", "file:///a/"),
            ("file:///a//../b/", "file:///a/b/"),
            ("x:/.//host", "x:/.//host"),
            ("x:/a/..//host", "x:/.//host"),
            ("x:y?q=/./%61&b=%2f#%2e/..", "x:y?q=/./a&b=%2F#./.."),
            ("x:a b|\n\u{e9}{}#a#b", "x:a%20b%7C%0A%C3%A9%7B%7D#a%23b"),
            ("x:%", "x:%25"),
            ("x:%4%31", "x:%2541"),
            ("x:%zz%ff", "x:%25zz%FF"),
            ("x:a%2Fb%21!", "x:a%2Fb%21!"),
            ("/a/../b", "/a/../b"),
            ("%66ile:///A/../b", "file:///b"),
            ("%46ile:///../%2e%2e/x", "file:///x"),
            ("a%3A/../b", "a%3A/../b"),
            ("", ""),
        ] {
            assert_eq!(canonical(uri), expected, "{uri}");
            assert_eq!(canonical(expected), expected, "{uri}");
        }
    }

    #[test]
    fn literals_have_the_form_that_they_have_in_uris() {
        for (literal, is_first, expected) in [
            (
                "HTTPS://Example.com/%61 b/",
                true,
                "https://example.com/a%20b/",
            ),
            ("/%c3%a9|", false, "/%C3%A9%7C"),
            ("A:", false, "A:"),
            ("?x=%2b#", false, "?x=%2B#"),
        ] {
            assert_eq!(canonical_literal(literal, is_first), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn canonical_form_is_its_own(
            uri in "(%?(66|46|3A|2e|2F|41)|file|x|A|[:/?#@.%~]|\\.\\.|\\PC){0,16}",
        ) {
            let once = canonical(&uri);
            proptest::prop_assert_eq!(canonical(&once), once.clone());
        }
    }
}
