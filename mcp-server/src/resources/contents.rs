//! What reading a resource may give.

use mcp_types::{AnyResourceContents, Base64Text, BlobResourceContents, TextResourceContents};

/// What a handler of resources may answer with: text, bytes, or contents with URIs and media types
/// of their own, one or several.
///
/// Text and bytes get the URI that was asked for and the media type of the definition.
pub trait IntoContents {
    /// Makes the contents.
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Vec<AnyResourceContents>;
}

impl IntoContents for String {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Vec<AnyResourceContents> {
        let mut text = TextResourceContents::new(uri, self);
        text.mime_type = mime_type.map(Into::into);
        vec![text.into()]
    }
}

impl IntoContents for &str {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Vec<AnyResourceContents> {
        self.to_owned().into_contents(uri, mime_type)
    }
}

impl IntoContents for &[u8] {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Vec<AnyResourceContents> {
        let mut blob = BlobResourceContents::new(uri, Base64Text::encode(self));
        blob.mime_type = mime_type.map(Into::into);
        vec![blob.into()]
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self, uri: &str, mime_type: Option<&str>) -> Vec<AnyResourceContents> {
        self.as_slice().into_contents(uri, mime_type)
    }
}

impl IntoContents for AnyResourceContents {
    fn into_contents(self, _: &str, _: Option<&str>) -> Vec<AnyResourceContents> {
        vec![self]
    }
}

impl IntoContents for TextResourceContents {
    fn into_contents(self, _: &str, _: Option<&str>) -> Vec<AnyResourceContents> {
        vec![self.into()]
    }
}

impl IntoContents for BlobResourceContents {
    fn into_contents(self, _: &str, _: Option<&str>) -> Vec<AnyResourceContents> {
        vec![self.into()]
    }
}

impl IntoContents for Vec<AnyResourceContents> {
    fn into_contents(self, _: &str, _: Option<&str>) -> Vec<AnyResourceContents> {
        self
    }
}
