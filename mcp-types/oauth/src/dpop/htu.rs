//! [`normalize_htu`]: the URL of a request in the form in which proofs are compared.

use std::net::Ipv6Addr;

/// Why a URL cannot be that of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an `http` or `https` URL that a proof can have")]
pub struct HtuError;

/// Normalizes a URL as RFC 9449, section 4.3, requires it before a comparison: without query and
/// fragment, and with the normalization of RFC 3986, sections 6.2.2 and 6.2.3, applied to it.
///
/// ```
/// use mcp_oauth::dpop::normalize_htu;
///
/// let url = normalize_htu("HTTPS://Example.COM:443/a/./%7euser/%2f?x=1#y")?;
/// assert_eq!(url, "https://example.com/a/~user/%2F");
/// # Ok::<(), mcp_oauth::dpop::HtuError>(())
/// ```
///
/// # Errors
///
/// Fails for other schemes, for user names, and for text that is not a URL.
pub fn normalize_htu(url: &str) -> Result<String, HtuError> {
    let legal = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    if !url.bytes().all(legal) {
        return Err(HtuError);
    }
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = url.split_once("://").ok_or(HtuError)?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "https" => "443",
        "http" => "80",
        _ => return Err(HtuError),
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let (host, port) = split_port(authority)?;
    let port = match port {
        "" => String::new(),
        port => {
            let number: u16 = port.parse().map_err(|_| HtuError)?;
            let number = number.to_string();
            if number == default_port {
                String::new()
            } else {
                format!(":{number}")
            }
        }
    };
    let path = without_dots(&decode_unreserved(path)?);
    Ok(format!("{scheme}://{host}{port}{path}"))
}

/// Returns the normalized host and the port.
fn split_port(authority: &str) -> Result<(String, &str), HtuError> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, rest) = rest.split_once(']').ok_or(HtuError)?;
        let address: Ipv6Addr = address.parse().map_err(|_| HtuError)?;
        let port = match rest {
            "" => "",
            rest => rest.strip_prefix(':').ok_or(HtuError)?,
        };
        return Ok((format!("[{address}]"), port));
    }
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let host = decode_unreserved(host)?.to_ascii_lowercase();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if host.is_empty() || !host.bytes().all(legal) {
        return Err(HtuError);
    }
    Ok((host, port))
}

/// Decodes escapes of unreserved characters, and writes all others in upper case.
fn decode_unreserved(text: &str) -> Result<String, HtuError> {
    let mut decoded = String::with_capacity(text.len());
    let mut pieces = text.split('%');
    decoded.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2).ok_or(HtuError)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(HtuError);
        }
        let byte = u8::from_str_radix(digits, 16).map_err(|_| HtuError)?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            decoded.push(char::from(byte));
        } else {
            decoded.push('%');
            decoded.push_str(&digits.to_ascii_uppercase());
        }
        decoded.push_str(rest);
    }
    Ok(decoded)
}

/// Removes the segments `.` and `..` (RFC 3986, section 5.2.4).
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut rest = path.split('/').skip(1).peekable();
    while let Some(segment) = rest.next() {
        let is_last = rest.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    segments.pop();
                }
                if is_last {
                    segments.push("");
                }
            }
            segment => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}
