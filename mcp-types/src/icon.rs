//! Checks the icons that a program defines.

use std::fmt;

use crate::Icon;

/// A member of an [`Icon`] that does not have the form of the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidIcon {
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
    /// Checks the media type and the sizes. Servers and clients of this project check the icons
    /// that the program sets; received icons are not checked.
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
            let icon = Icon::new("x").mime_type(media_type);
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
            let icon = Icon::new("x").sizes(["16x16".to_owned(), size.to_owned()]);
            assert_eq!(icon.check().is_ok(), is_valid, "{size}");
        }
    }

    #[test]
    fn error_names_the_icon_and_the_expected_form() {
        let icon = Icon::new("x".repeat(1_000)).sizes(["large".to_owned()]);
        let error = icon.check().unwrap_err().to_string();
        let src = "x".repeat(80);
        let expected = "expected `any` or a size such as `48x48`";
        assert_eq!(
            error,
            format!("icon `{src}`: invalid `sizes` \"large\", {expected}")
        );
    }
}
