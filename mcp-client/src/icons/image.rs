//! [`Image`]: a loaded icon.

use super::format::ImageFormat;

/// An image of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The format, detected from the bytes.
    pub format: ImageFormat,
    /// The bytes. Only the beginning is validated: the format and the size in pixels.
    pub bytes: Vec<u8>,
}
