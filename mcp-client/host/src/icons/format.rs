//! [`ImageFormat`]: detects the format of an image from its bytes.

use std::fmt;

/// A format of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// GIF.
    Gif,
    /// SVG: a document, which can contain scripts and references to other documents.
    Svg,
}

impl ImageFormat {
    /// Returns the media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
            Self::Svg => "image/svg+xml",
        }
    }

    /// Detects the format from the first bytes of an image; `None` if it is unknown.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else {
            is_svg(bytes).then_some(Self::Svg)
        }
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type())
    }
}

/// Returns a media type without its parameters, in lower case, and `image/jpeg` for `image/jpg`.
pub(super) fn normalized(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    if essence == "image/jpg" {
        return ImageFormat::Jpeg.media_type().to_owned();
    }
    essence
}

/// Returns `true` if a media type does not name a format.
pub(super) fn is_generic(essence: &str) -> bool {
    matches!(
        essence,
        "" | "application/octet-stream" | "binary/octet-stream" | "text/plain"
    )
}

/// Returns `true` if the first element of a document is `svg`. A document with an internal DTD
/// subset is rejected.
fn is_svg(bytes: &[u8]) -> bool {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<!DOCTYPE") {
            b">"
        } else {
            break;
        };
        let Some(at) = rest.windows(end.len()).position(|part| part == end) else {
            return false;
        };
        let (skipped, after) = rest.split_at(at + end.len());
        if end == b">" && skipped.contains(&b'[') {
            return false;
        }
        rest = after;
    }
    let name = rest.strip_prefix(b"<svg");
    let next = name.and_then(|after| after.first());
    next.is_some_and(|next| next.is_ascii_whitespace() || b">/".contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_from_the_first_bytes() {
        for (bytes, format) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some(ImageFormat::Png)),
            (b"\xff\xd8\xff\xe0", Some(ImageFormat::Jpeg)),
            (b"GIF87a", Some(ImageFormat::Gif)),
            (b"GIF89a", Some(ImageFormat::Gif)),
            (b"RIFF\x04\0\0\0WEBPVP8 ", Some(ImageFormat::Webp)),
            (b"<svg xmlns=\"\">", Some(ImageFormat::Svg)),
            (
                b"\xef\xbb\xbf <?xml version=\"1.0\"?>\n<!-- > --><!DOCTYPE svg PUBLIC \"\">\n<svg\n>",
                Some(ImageFormat::Svg),
            ),
            (b"<svg/>", Some(ImageFormat::Svg)),
            (b"", None),
            (b"\x89PNG", None),
            (b"RIFF\x04\0\0\0WAVE", None),
            (b"GIF88a", None),
            (b"BM....", None),
            (b"<svgx>", None),
            (b"<svg", None),
            (b"<html><svg></svg></html>", None),
            (b"<!-- <svg> ", None),
            (b"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>", None),
            (b"text <svg>", None),
        ] {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(ImageFormat::of(bytes), format, "{text}");
        }
    }

    #[test]
    fn alternative_media_type_names_are_normalized() {
        assert_eq!(normalized(" Image/JPG; q=1"), "image/jpeg");
        assert_eq!(normalized("image/PNG"), "image/png");
        assert!(is_generic(&normalized("Application/Octet-Stream;x=y")));
        assert!(!is_generic("image/png"));
    }
}
