//! [`ResourceBody`] and [`IntoBody`]: what a handler that reads a resource returns.

use mcp_types::AnyResourceContents;

use crate::features::resources::contents::IntoContents;
#[cfg(feature = "proposals")]
use crate::features::resources::contents::stream::ResourceStream;
use crate::protocol::error::handler_error::HandlerError;

/// The result of a handler that reads a resource. A handler that streams some of its resources, and
/// returns the contents of others, has this type.
#[non_exhaustive]
pub enum ResourceBody {
    /// The contents of the resource.
    Contents(Vec<AnyResourceContents>),
    /// The bytes of the resource.
    #[cfg(feature = "proposals")]
    Stream(ResourceStream),
}

impl From<Vec<AnyResourceContents>> for ResourceBody {
    fn from(contents: Vec<AnyResourceContents>) -> Self {
        Self::Contents(contents)
    }
}

/// What a handler that reads a resource may return: everything that is [`IntoContents`], a
/// `ResourceStream` with the feature `proposals`, or a [`ResourceBody`]; each of them plain or in a
/// `Result` with any error that converts into a [`HandlerError`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    note = "expected text, bytes, contents, a `ResourceStream`, or a `Result` with one of them"
)]
pub trait IntoBody {
    /// `true` if a value is always one representation, so that the response at the URL of the
    /// resource is the same for every `Accept`.
    const IS_SINGLE: bool = false;

    /// Converts the value. Text and bytes get the requested URI and the media type of the
    /// definition.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_body(self, uri: &str, mime_type: Option<&str>) -> Result<ResourceBody, HandlerError>;
}

impl<C: IntoContents> IntoBody for C {
    const IS_SINGLE: bool = C::IS_SINGLE;

    fn into_body(self, uri: &str, mime_type: Option<&str>) -> Result<ResourceBody, HandlerError> {
        self.into_contents(uri, mime_type)
            .map(ResourceBody::Contents)
    }
}

impl IntoBody for ResourceBody {
    fn into_body(self, _: &str, _: Option<&str>) -> Result<ResourceBody, HandlerError> {
        Ok(self)
    }
}

impl<E: Into<HandlerError>> IntoBody for Result<ResourceBody, E> {
    fn into_body(self, _: &str, _: Option<&str>) -> Result<ResourceBody, HandlerError> {
        self.map_err(Into::into)
    }
}
