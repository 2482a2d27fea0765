//! `data:` URIs (RFC 2397).

use mcp_types::base64::Base64Text;
use mcp_types::uri::percent_decode;

use super::error::{DataFault, IconError};

/// The content of a `data:` URI.
pub(super) struct DataUri {
    /// The media type with its parameters; empty if the URI has none.
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

/// Returns the part after `data:`; `None` for other URIs.
pub(super) fn strip_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// Returns the media type of a `data:` URI, without reading the data.
pub(super) fn media_type(uri: &str) -> Option<&str> {
    let (head, _) = strip_scheme(uri)?.split_once(',')?;
    Some(head.split(';').next().unwrap_or_default())
}

/// Decodes the part after `data:`, with at most `limit` bytes of data.
pub(super) fn decode(rest: &str, limit: usize) -> Result<DataUri, IconError> {
    let (head, data) = rest.split_once(',').ok_or(DataFault::NoData)?;
    if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(DataFault::Characters.into());
    }
    if data.contains('#') {
        return Err(DataFault::Fragment.into());
    }
    let (media_type, base64) = match head.rsplit_once(';') {
        Some((media_type, last)) if last.eq_ignore_ascii_case("base64") => (media_type, true),
        _ => (head, false),
    };
    // Base64 encodes three bytes as four characters, and `%` escapes one character as three.
    let most = if base64 {
        (limit / 3 + 1).saturating_mul(12)
    } else {
        limit.saturating_mul(3)
    };
    if data.len() > most {
        return Err(IconError::TooLarge { limit });
    }
    let mut bytes = percent_decode(data).ok_or(DataFault::Characters)?;
    if base64 {
        let text = String::from_utf8(bytes).map_err(|_| DataFault::Characters)?;
        bytes = Base64Text::from(text).decode().map_err(DataFault::Base64)?;
    }
    if bytes.len() > limit {
        return Err(IconError::TooLarge { limit });
    }
    let media_type = media_type.to_owned();
    Ok(DataUri { media_type, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str) -> Result<(String, Vec<u8>), IconError> {
        let rest = strip_scheme(uri).expect("`data:`");
        decode(rest, 8).map(|data| (data.media_type, data.bytes))
    }

    #[test]
    fn both_forms_are_decoded() {
        for (uri, media_type, bytes) in [
            ("data:,abc", "", &b"abc"[..]),
            ("data:;base64,YWJj", "", b"abc"),
            ("DATA:image/png;BASE64,YWJj", "image/png", b"abc"),
            ("data:image/png;base64,YQ%3D%3d", "image/png", b"a"),
            ("data:image/png;base64,YQ", "image/png", b"a"),
            (
                "data:image/svg+xml;a=b,%3Csvg/%3e",
                "image/svg+xml;a=b",
                b"<svg/>",
            ),
            ("data:text/plain,a,b", "text/plain", b"a,b"),
            ("data:,%00%FF", "", b"\0\xff"),
            ("data:,", "", b""),
        ] {
            let found = read(uri).expect("data");
            assert_eq!(found, (media_type.to_owned(), bytes.to_vec()), "{uri}");
        }
        assert_eq!(media_type("data:image/png;base64,"), Some("image/png"));
        assert_eq!(media_type("https://example.com/,"), None);
    }

    #[test]
    fn invalid_uris_are_errors() {
        for (uri, fault) in [
            ("data:image/png", DataFault::NoData),
            ("data:,a b", DataFault::Characters),
            ("data:,a\n", DataFault::Characters),
            ("data:,\u{e9}", DataFault::Characters),
            ("data:,%4", DataFault::Characters),
            ("data:,%zz", DataFault::Characters),
            ("data:,%+1", DataFault::Characters),
            ("data:;base64,%FF", DataFault::Characters),
            ("data:,a#b", DataFault::Fragment),
        ] {
            match read(uri) {
                Err(IconError::Data(found)) => assert_eq!(found, fault, "{uri}"),
                other => panic!("{uri}: {other:?}"),
            }
        }
        for uri in ["data:;base64,a", "data:;base64,Y-_j", "data:;base64,YW=j"] {
            let error = read(uri).expect_err("no base64");
            assert!(
                matches!(error, IconError::Data(DataFault::Base64(_))),
                "{uri}"
            );
        }
    }

    #[test]
    fn large_data_is_not_decoded() {
        assert!(read("data:,12345678").is_ok());
        assert!(read("data:,%31%32%33%34%35%36%37%38").is_ok());
        assert!(read("data:;base64,MTIzNDU2Nzg=").is_ok());
        for uri in [
            "data:,123456789",
            "data:;base64,MTIzNDU2Nzg5",
            // Rejected before the invalid data is read.
            &format!("data:,{}%", "1".repeat(30)),
            &format!("data:;base64,{}", "!".repeat(100)),
        ] {
            let error = read(uri).expect_err("too large");
            assert!(matches!(error, IconError::TooLarge { limit: 8 }), "{uri}");
        }
    }
}
