//! What reading a resource may give.

#[cfg(feature = "_proposals")]
use mcp_types::Resource;
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

/// Gives contents the media type of their resource, where only one element is the resource's and
/// has none. That of a collection is not that of an index it may hold.
#[cfg(feature = "_proposals")]
pub(crate) fn complete(contents: &mut [AnyResourceContents], resource: &Resource) {
    #[cfg(feature = "sep-2093")]
    if resource.resource_type == Some(mcp_types::ResourceType::Collection) {
        return;
    }
    let own = contents.iter_mut().filter_map(|contents| match contents {
        AnyResourceContents::Text(text) => Some((&text.uri, &mut text.mime_type)),
        AnyResourceContents::Blob(blob) => Some((&blob.uri, &mut blob.mime_type)),
        _ => None,
    });
    let mut own = own.filter(|(uri, _)| **uri == resource.uri);
    if let (Some((_, mime_type @ None)), None) = (own.next(), own.next()) {
        mime_type.clone_from(&resource.mime_type);
    }
}
