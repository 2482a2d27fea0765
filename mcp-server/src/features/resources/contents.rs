//! Results of the handlers of resources.

pub(crate) mod body;
#[cfg(feature = "proposals")]
pub(crate) mod stream;

use std::sync::Arc;

use mcp_types::{AnyResourceContents, Base64Text, BlobResourceContents, TextResourceContents};

use crate::protocol::error::handler_error::HandlerError;
use crate::util::uri_syntax;

/// The contents of a resource, or the error of its handler.
type ContentsResult = Result<Vec<AnyResourceContents>, HandlerError>;

/// The result of a handler of resources: text, bytes, or one or several contents with their own
/// URIs and media types; each of them plain or in a `Result` with any error that converts into a
/// [`HandlerError`].
///
/// Text and bytes get the requested URI and the media type of the definition.
pub trait IntoContents {
    /// `true` if a value is always one representation, so that the response at the URL of the
    /// resource is the same for every `Accept`.
    const IS_SINGLE: bool = false;

    /// Converts the value into contents.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_contents(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<Vec<AnyResourceContents>, HandlerError>;
}

/// Returns text as the contents of a resource.
pub(crate) fn text(
    text: impl Into<String>,
    uri: &str,
    mime_type: Option<&str>,
) -> AnyResourceContents {
    let mut contents = TextResourceContents::new(uri, text);
    contents.mime_type = mime_type.map(Into::into);
    contents.into()
}

/// Returns bytes as the contents of a resource.
pub(crate) fn bytes(bytes: &[u8], uri: &str, mime_type: Option<&str>) -> AnyResourceContents {
    let mut contents = BlobResourceContents::new(uri, Base64Text::encode(bytes));
    contents.mime_type = mime_type.map(Into::into);
    contents.into()
}

impl IntoContents for String {
    const IS_SINGLE: bool = true;

    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ContentsResult {
        Ok(vec![text(self, uri, mime_type)])
    }
}

impl IntoContents for &str {
    const IS_SINGLE: bool = true;

    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ContentsResult {
        self.to_owned().into_contents(uri, mime_type)
    }
}

impl IntoContents for &[u8] {
    const IS_SINGLE: bool = true;

    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ContentsResult {
        Ok(vec![bytes(self, uri, mime_type)])
    }
}

impl IntoContents for Vec<u8> {
    const IS_SINGLE: bool = true;

    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ContentsResult {
        self.as_slice().into_contents(uri, mime_type)
    }
}

/// Implements [`IntoContents`] for contents with a URI and a media type of their own.
macro_rules! own_contents {
    ($($contents:ty)*) => {$(
        impl IntoContents for $contents {
            const IS_SINGLE: bool = true;

            fn into_contents(self, _: &str, _: Option<&str>) -> ContentsResult {
                Ok(vec![self.into()])
            }
        }
    )*};
}

own_contents! { AnyResourceContents TextResourceContents BlobResourceContents }

impl IntoContents for Vec<AnyResourceContents> {
    fn into_contents(self, _: &str, _: Option<&str>) -> ContentsResult {
        Ok(self)
    }
}

impl<C: IntoContents, E: Into<HandlerError>> IntoContents for Result<C, E> {
    const IS_SINGLE: bool = C::IS_SINGLE;

    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> ContentsResult {
        self.map_err(Into::into)?.into_contents(uri, mime_type)
    }
}

/// Gives contents the canonical URIs of their resources.
pub(crate) fn make_canonical(contents: &mut [AnyResourceContents]) {
    for contents in contents {
        match contents {
            AnyResourceContents::Text(text) => uri_syntax::make_canonical(&mut text.uri),
            AnyResourceContents::Blob(blob) => uri_syntax::make_canonical(&mut blob.uri),
            _ => {}
        }
    }
}

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
            Self::Text(fixed) => text(&**fixed, uri, mime_type),
            Self::Bytes(fixed) => bytes(fixed, uri, mime_type),
        }
    }
}

impl AsRef<[u8]> for FixedContents {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}
