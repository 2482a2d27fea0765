//! Accessors for the contents of resources.

use std::borrow::Cow;

use crate::base64::{Base64Error, Base64Text};
use crate::json::optional;
use crate::{AnyResourceContents, ReadResourceResult};

#[cfg(feature = "sep-2093")]
mod judge;
mod preferred;

#[cfg(feature = "sep-2093")]
pub use judge::{ContentsOf, ContentsWarning};

impl AnyResourceContents {
    /// Returns the URI of the resource, or of the part of a resource, that the contents belong to.
    #[inline]
    #[must_use]
    pub fn uri(&self) -> &str {
        let uri = match self {
            Self::Text(text) => optional(&text.uri),
            Self::Blob(blob) => optional(&blob.uri),
        };
        uri.map_or("", String::as_str)
    }

    /// Returns the media type, or `None` if the server does not know it.
    #[inline]
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        let mime_type = match self {
            Self::Text(text) => optional(&text.mime_type),
            Self::Blob(blob) => optional(&blob.mime_type),
        };
        mime_type.map(String::as_str)
    }

    /// Returns the text, or `None` if the contents are binary.
    #[inline]
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => optional(&text.text).map(String::as_str),
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
            Self::Text(_) => Ok(Cow::Borrowed(self.text().unwrap_or_default().as_bytes())),
            Self::Blob(blob) => {
                let bytes = optional(&blob.blob).map(Base64Text::decode).transpose()?;
                Ok(Cow::Owned(bytes.unwrap_or_default()))
            }
        }
    }
}

impl ReadResourceResult {
    /// Returns the texts among the contents, joined by line breaks. Binary contents are skipped.
    #[inline]
    #[must_use]
    pub fn text(&self) -> String {
        let contents = optional(&self.contents).map_or(&[][..], Vec::as_slice);
        let texts = contents.iter().filter_map(AnyResourceContents::text);
        texts.collect::<Vec<_>>().join("\n")
    }
}
