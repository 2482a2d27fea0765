//! [`MetadataView`]: the metadata in text and binary contents, by SEP-2093.

use mcp_types::{Annotations, AnyResourceContents, Icon, Resource, ResourceType};

/// The members that contents share with resources.
pub(crate) struct MetadataView<'a> {
    pub(crate) uri: &'a str,
    pub(crate) name: &'a mut Option<String>,
    pub(crate) annotations: &'a mut Option<Annotations>,
    pub(crate) resource_type: &'a mut Option<ResourceType>,
    mime_type: &'a mut Option<String>,
    title: &'a mut Option<String>,
    description: &'a mut Option<String>,
    icons: &'a mut Option<Vec<Icon>>,
    size: &'a mut Option<i64>,
    /// The length of the contents in bytes.
    length: Option<usize>,
}

/// Returns the metadata of contents; `None` for contents of an unknown kind.
pub(crate) fn read_metadata(contents: &mut AnyResourceContents) -> Option<MetadataView<'_>> {
    macro_rules! read_metadata {
        ($contents:ident, $length:expr) => {
            MetadataView {
                length: $length,
                uri: &$contents.uri,
                name: &mut $contents.name,
                annotations: &mut $contents.annotations,
                resource_type: &mut $contents.resource_type,
                mime_type: &mut $contents.mime_type,
                title: &mut $contents.title,
                description: &mut $contents.description,
                icons: &mut $contents.icons,
                size: &mut $contents.size,
            }
        };
    }
    Some(match contents {
        AnyResourceContents::Text(text) => read_metadata!(text, Some(text.text.len())),
        AnyResourceContents::Blob(blob) => read_metadata!(blob, decoded(blob.blob.as_str())),
        _ => return None,
    })
}

/// Returns the number of bytes that a base64 text encodes; `None` if it is not padded.
fn decoded(text: &str) -> Option<usize> {
    let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
    let bytes = (text.len() / 4 * 3).checked_sub(padding)?;
    (text.len().is_multiple_of(4) && padding <= 2).then_some(bytes)
}

impl MetadataView<'_> {
    /// Copies the metadata of the resource into members that are empty. The media type of a
    /// resource is that of its preferred format, so it is only copied to contents that are `alone`.
    /// An index in a collection is not one of its formats.
    pub(crate) fn fill(self, resource: &Resource, alone: bool) {
        if alone && resource.resource_type != Some(ResourceType::Collection) {
            fill(self.mime_type, resource.mime_type.as_ref());
        }
        fill(self.name, Some(&resource.name));
        fill(self.title, resource.title.as_ref());
        fill(self.description, resource.description.as_ref());
        fill(self.icons, resource.icons.as_ref());
        fill(self.annotations, resource.annotations.as_ref());
        fill(self.resource_type, resource.resource_type.as_ref());
    }

    /// Returns `true` if the contents do not say which resource they belong to.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.name.is_none() || self.resource_type.is_none()
    }

    /// Sets the size, if it is empty.
    pub(crate) fn set_size(&mut self) {
        let length = self.length.and_then(|length| i64::try_from(length).ok());
        fill(self.size, length.as_ref());
    }

    /// Removes all metadata.
    pub(crate) fn clear(self) {
        *self.name = None;
        *self.title = None;
        *self.description = None;
        *self.icons = None;
        *self.annotations = None;
        *self.size = None;
        *self.resource_type = None;
    }
}

fn fill<T: Clone>(member: &mut Option<T>, value: Option<&T>) {
    if member.is_none() {
        *member = value.cloned();
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::Base64Text;

    use super::decoded;

    #[test]
    fn blob_size_is_the_decoded_length() {
        for length in 0..20 {
            let text = Base64Text::encode(vec![7; length]);
            assert_eq!(decoded(text.as_str()), Some(length), "{text:?}");
        }
        for wrong in ["=", "====", "abc", "abcde"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
