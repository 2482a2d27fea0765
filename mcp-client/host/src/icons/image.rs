//! [`Image`]: the bytes of an image whose format is known.

use super::format::ImageFormat;
use super::pixels::pixels;

/// An image of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The format, detected from the bytes.
    pub format: ImageFormat,
    /// The bytes. Only the beginning is validated: the format and the size in pixels.
    pub bytes: Vec<u8>,
}

impl Image {
    /// Returns width and height in pixels; `None` for SVG.
    #[must_use]
    pub fn pixels(&self) -> Option<(u32, u32)> {
        pixels(self.format, &self.bytes)
    }
}
