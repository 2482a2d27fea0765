//! Accessors for the contents of resources.

use std::borrow::Cow;

use crate::base64::Base64Error;
use crate::{AnyResourceContents, ReadResourceResult};

#[cfg(feature = "proposals")]
mod judge;
mod preferred;

#[cfg(feature = "proposals")]
pub use judge::{ContentsOf, ContentsWarning};

impl AnyResourceContents {
    /// Returns the URI of the resource, or of the part of a resource, that the contents belong to.
    #[inline]
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(text) => &text.uri,
            Self::Blob(blob) => &blob.uri,
        }
    }

    /// Returns the media type, or `None` if the server does not know it.
    #[inline]
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.mime_type.as_deref(),
            Self::Blob(blob) => blob.mime_type.as_deref(),
        }
    }

    /// Returns the text, or `None` if the contents are binary.
    #[inline]
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            Self::Blob(_) => None,
        }
    }

    /// Returns the bytes: the text in UTF-8, or the decoded base64.
    ///
    /// # Errors
    ///
    /// Returns a [`Base64Error`] if the contents are not valid base64.
    #[inline]
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>, Base64Error> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text.text.as_bytes())),
            Self::Blob(blob) => blob.blob.decode().map(Cow::Owned),
        }
    }
}

impl ReadResourceResult {
    /// Returns the texts among the contents, joined by line breaks. Binary contents are skipped.
    #[inline]
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.contents.iter().filter_map(AnyResourceContents::text);
        texts.collect::<Vec<_>>().join("\n")
    }
}
