//! Checks the icons that a program defines.

use std::fmt;

use crate::Icon;

/// A member of an [`Icon`] that does not have the form of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidIcon {
    /// The source is neither an `https` URL nor a `data:` URI of an image.
    Source {
        /// The source of the icon, at most 80 characters.
        src: String,
    },
    /// The media type is not that of an image, such as `image/png`.
    MediaType {
        /// The source of the icon, at most 80 characters.
        src: String,
        /// The media type.
        found: String,
    },
    /// A size is neither `any` nor a width and a height in pixels, such as `48x48`.
    Size {
        /// The source of the icon, at most 80 characters.
        src: String,
        /// The size.
        found: String,
    },
}

impl fmt::Display for InvalidIcon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (src, name, found, expected) = match self {
            Self::Source { src } => {
                return write!(
                    f,
                    "icon `{src}`: invalid `src`, expected an `https` URL or a `data:` URI of an \
                     image"
                );
            }
            Self::MediaType { src, found } => {
                let expected = "the media type of an image, such as `image/png`";
                (src, "mimeType", found, expected)
            }
            Self::Size { src, found } => (src, "sizes", found, "`any` or a size such as `48x48`"),
        };
        write!(
            f,
            "icon `{src}`: invalid `{name}` {found:?}, expected {expected}"
        )
    }
}

impl std::error::Error for InvalidIcon {}

/// The maximum number of characters of a source in an error. A `data:` URI may be long.
const SHOWN: usize = 80;

impl Icon {
    /// Checks the source, the media type and the sizes. Servers and clients of this project check
    /// the icons that the program sets; received icons are checked when they are loaded.
    ///
    /// The source has to be an `https` URL without a user name, or a `data:` URI, because [clients
    /// must reject all others][page]. A `data:` URI names the media type of an image, or none if
    /// the icon does. The data itself is not decoded.
    ///
    /// [page]: https://modelcontextprotocol.io/specification/2026-07-28/basic#icons
    ///
    /// ```
    /// use mcp_types::Icon;
    ///
    /// let icon = Icon::new("https://example.com/icon.png").mime_type("image/png");
    /// assert!(icon.clone().sizes(["48x48".to_owned(), "any".to_owned()]).check().is_ok());
    /// assert!(icon.sizes(["48".to_owned()]).check().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first member that is invalid.
    pub fn check(&self) -> Result<(), InvalidIcon> {
        let src = || self.src.chars().take(SHOWN).collect();
        if !self.has_source() {
            return Err(InvalidIcon::Source { src: src() });
        }
        if let Some(found) = self.mime_type.as_ref().filter(|found| !is_image(found)) {
            let (src, found) = (src(), found.clone());
            return Err(InvalidIcon::MediaType { src, found });
        }
        let mut sizes = self.sizes.iter().flatten();
        match sizes.find(|size| !is_size(size)) {
            Some(found) => Err(InvalidIcon::Size {
                src: src(),
                found: found.clone(),
            }),
            None => Ok(()),
        }
    }
}

impl Icon {
    /// Returns `true` if a client may load the source.
    fn has_source(&self) -> bool {
        let is_legal = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        let Some((scheme, rest)) = self.src.split_once(':') else {
            return false;
        };
        if !rest.bytes().all(is_legal) {
            return false;
        }
        if scheme.eq_ignore_ascii_case("https") {
            let authority = rest.strip_prefix("//").unwrap_or_default();
            let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
            return !authority.is_empty()
                && !authority.starts_with(':')
                && !authority.contains('@');
        }
        let Some((head, _)) = rest.split_once(',') else {
            return false;
        };
        let media_type = head.split(';').next().unwrap_or_default();
        let is_declared = media_type.is_empty() && self.mime_type.is_some();
        scheme.eq_ignore_ascii_case("data") && (is_image(media_type) || is_declared)
    }
}

/// Returns `true` for `image/` and the token of a subtype (RFC 9110, 5.6.2).
fn is_image(media_type: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let (kind, subtype) = media_type.split_once('/').unwrap_or_default();
    kind.eq_ignore_ascii_case("image") && !subtype.is_empty() && subtype.bytes().all(is_token)
}

fn is_size(size: &str) -> bool {
    let is_side = |side: &str| {
        let is_number = side.bytes().all(|byte| byte.is_ascii_digit());
        is_number && side.parse::<u32>().is_ok_and(|side| side > 0)
    };
    size == "any"
        || size
            .split_once('x')
            .is_some_and(|(width, height)| is_side(width) && is_side(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_and_sizes_are_checked() {
        for (media_type, is_valid) in [
            ("image/png", true),
            ("IMAGE/svg+xml", true),
            ("image/vnd.microsoft.icon", true),
            ("png", false),
            ("image/", false),
            ("image/png; q=1", false),
            ("text/html", false),
            ("", false),
        ] {
            let icon = Icon::new("https://a.example/x").mime_type(media_type);
            assert_eq!(icon.check().is_ok(), is_valid, "{media_type}");
        }
        for (size, is_valid) in [
            ("any", true),
            ("48x48", true),
            ("1x4096", true),
            ("48", false),
            ("48x", false),
            ("0x48", false),
            ("+4x8", false),
            ("48X48", false),
            ("48x48 96x96", false),
            ("99999999999x1", false),
            ("", false),
        ] {
            let icon =
                Icon::new("https://a.example/x").sizes(["16x16".to_owned(), size.to_owned()]);
            assert_eq!(icon.check().is_ok(), is_valid, "{size}");
        }
    }

    #[test]
    fn sources_are_checked() {
        for (src, is_valid) in [
            ("https://example.com/i.png", true),
            ("HTTPS://example.com:8443?a=b#c", true),
            ("data:image/png;base64,AAAA", true),
            ("DATA:Image/svg+xml,%3Csvg/%3E", true),
            ("", false),
            ("i.png", false),
            ("/i.png", false),
            ("//example.com/i.png", false),
            ("http://example.com/i.png", false),
            ("javascript:alert(1)", false),
            ("file:///i.png", false),
            ("https:", false),
            ("https:///i.png", false),
            ("https://:443/i.png", false),
            ("https://a:b@example.com/i.png", false),
            ("https://example.com/a b.png", false),
            ("data:image/png", false),
            ("data:text/html,%3Cscript%3E", false),
            ("data:application/octet-stream;base64,AAAA", false),
            ("data:;base64,AAAA", false),
            ("data:image/svg+xml,<svg/>", false),
        ] {
            let found = Icon::new(src).check();
            assert_eq!(found.is_ok(), is_valid, "{src}");
            assert!(matches!(found, Ok(()) | Err(InvalidIcon::Source { .. })));
        }
        let icon = Icon::new("data:;base64,AAAA").mime_type("image/png");
        assert_eq!(icon.check(), Ok(()));
    }

    #[test]
    fn error_names_the_icon_and_the_expected_form() {
        let error = |icon: Icon| icon.check().unwrap_err().to_string();
        let long = format!("data:image/png,{}", "x".repeat(1_000));
        let src = &long[..80];
        let expected = "expected `any` or a size such as `48x48`";
        assert_eq!(
            error(Icon::new(&*long).sizes(["large".to_owned()])),
            format!("icon `{src}`: invalid `sizes` \"large\", {expected}")
        );
        let expected = "expected an `https` URL or a `data:` URI of an image";
        assert_eq!(
            error(Icon::new("x".repeat(1_000))),
            format!("icon `{}`: invalid `src`, {expected}", "x".repeat(80))
        );
    }
}
