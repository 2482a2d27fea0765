//! What programs want of the contents of resources.

use std::borrow::Cow;

use crate::base64::Base64Error;
use crate::{AnyResourceContents, ReadResourceResult};

#[cfg(feature = "sep-2093")]
mod judge;

#[cfg(feature = "sep-2093")]
pub use judge::{ContentsOf, ContentsWarning};

impl AnyResourceContents {
    /// Which resource, or which part of one, this belongs to.
    #[inline]
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(text) => &text.uri,
            Self::Blob(blob) => &blob.uri,
        }
    }

    /// The media type; absent where the server does not know it.
    #[inline]
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.mime_type.as_deref(),
            Self::Blob(blob) => blob.mime_type.as_deref(),
        }
    }

    /// The text, where it is one.
    #[inline]
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            Self::Blob(_) => None,
        }
    }

    /// The bytes: those of the text in UTF-8, or what the base64 stands for.
    ///
    /// # Errors
    ///
    /// Where it is not the base64 of anything.
    #[inline]
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Base64Error> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text.text.as_bytes())),
            Self::Blob(blob) => blob.blob.decode().map(Cow::Owned),
        }
    }
}

impl ReadResourceResult {
    /// The texts among the contents, a line break between them. What is not text is left out.
    #[inline]
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.contents.iter().filter_map(AnyResourceContents::text);
        texts.collect::<Vec<_>>().join("\n")
    }
}
