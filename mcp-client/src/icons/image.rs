//! [`Image`]: an icon that was loaded.

use super::format::ImageFormat;

/// An image of a known format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// What it is, by its bytes.
    pub format: ImageFormat,
    /// Its bytes. That they begin as the format asks for has been looked at, and nothing else.
    pub bytes: Vec<u8>,
}
