//! [`FixedContents`]: contents that are part of a definition.

use std::sync::Arc;

use mcp_types::AnyResourceContents;

use crate::features::resources::contents;

/// The text or the bytes of a definition. Cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum FixedContents {
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
}

impl FixedContents {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns the contents of the resource with a URI and a media type.
    pub(crate) fn contents(&self, uri: &str, mime_type: Option<&str>) -> AnyResourceContents {
        match self {
            Self::Text(text) => contents::text(&**text, uri, mime_type),
            Self::Bytes(bytes) => contents::bytes(bytes, uri, mime_type),
        }
    }
}

impl AsRef<[u8]> for FixedContents {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}
