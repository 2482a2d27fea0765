//! `Content-Disposition`: the name of the file that a browser saves (RFC 6266).

use std::fmt::Write as _;

use http::HeaderValue;
use mcp_types::Resource;
use mcp_types::peer_text::is_unsafe;

use crate::proposals::metadata::metadata_view::last_segment;

/// The maximum number of characters of a name. Its end is kept, because of the extension.
const LONGEST: usize = 100;

/// Returns the header with the last segment of the resource's URI, or else its name. Without it, a
/// file would have the name of the token in the URL.
pub(crate) fn content_disposition(resource: &Resource) -> Option<HeaderValue> {
    let segment = last_segment(&resource.uri);
    let name = if segment == resource.uri {
        &resource.name
    } else {
        &segment
    };
    let characters = name.chars().map(|character| {
        let is_special = is_unsafe(character) || matches!(character, '/' | '\\' | '"' | ':');
        if is_special { '_' } else { character }
    });
    let mut characters: Vec<char> = characters.collect();
    let long = characters.len().saturating_sub(LONGEST);
    characters.drain(..long);
    if let Some(first) = characters.first_mut().filter(|first| **first == '.') {
        // Not a hidden file, nor the folder above.
        *first = '_';
    }
    if characters.is_empty() {
        return None;
    }
    let plain = |character: &char| match character {
        ' ' | '!'..='~' if *character != '%' => *character,
        _ => '_',
    };
    let ascii: String = characters.iter().map(plain).collect();
    let name: String = characters.into_iter().collect();
    let mut header = format!("inline; filename=\"{ascii}\"");
    if name != ascii {
        header.push_str("; filename*=UTF-8''");
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                header.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(header, "%{byte:02X}");
            }
        }
    }
    HeaderValue::try_from(header).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_keep_their_extension() {
        let long = format!("x:{}.txt", "a".repeat(200));
        let cut = format!("inline; filename=\"{}.txt\"", "a".repeat(96));
        for (uri, name, expected) in [
            ("file:///a/b.csv", "B", "inline; filename=\"b.csv\""),
            ("row:", "Row 1", "inline; filename=\"Row 1\""),
            ("x:..", "", "inline; filename=\"_.\""),
            (
                "x:%2Fetc%5C%22%0A%25",
                "",
                "inline; filename=\"_etc____\"; filename*=UTF-8''_etc___%25",
            ),
            (
                "x:caf%C3%A9%E2%80%AE.pdf",
                "",
                "inline; filename=\"caf__.pdf\"; filename*=UTF-8''caf%C3%A9_.pdf",
            ),
            (&*long, "", &*cut),
        ] {
            let header = content_disposition(&Resource::new(uri, name)).unwrap();
            assert_eq!(header.to_str().unwrap(), expected, "{uri}");
        }
        assert_eq!(content_disposition(&Resource::new("x:", "")), None);
    }
}
