//! [`MetadataView`]: the metadata in text and binary contents. SEP-2093 adds the members of resources
//! to contents, and with them what other proposals add to resources.

use mcp_types::peer_text::PeerText;
use mcp_types::{
    Annotations, AnyResourceContents, Icon, JsonObject, Proposal, Resource, ResourceType,
};

use crate::protocol::core::Context;
use crate::util::uri_syntax::decode;

/// The members that contents share with resources.
pub(crate) struct MetadataView<'a> {
    pub(crate) uri: &'a str,
    pub(crate) annotations: &'a mut Option<Box<Annotations>>,
    name: &'a mut Option<String>,
    resource_type: &'a mut Option<ResourceType>,
    mime_type: &'a mut Option<String>,
    title: &'a mut Option<String>,
    description: &'a mut Option<String>,
    icons: &'a mut Option<Vec<Icon>>,
    size: &'a mut Option<i64>,
    /// The length of the contents in bytes.
    length: Option<i64>,
    // The members of `versioned-resources`.
    kind: &'a mut Option<String>,
    version: &'a mut Option<String>,
    metadata: &'a mut Option<JsonObject>,
    // The members of `https-url`.
    http_url: &'a mut Option<String>,
    http_url_expires_at: &'a mut Option<String>,
}

/// Returns the metadata of contents; `None` for contents of an unknown kind.
pub(crate) fn read_metadata(contents: &mut AnyResourceContents) -> Option<MetadataView<'_>> {
    let length = length(contents);
    macro_rules! read_metadata {
        ($contents:ident) => {
            MetadataView {
                uri: &$contents.uri,
                annotations: &mut $contents.annotations,
                name: &mut $contents.name,
                resource_type: &mut $contents.resource_type,
                mime_type: &mut $contents.mime_type,
                title: &mut $contents.title,
                description: &mut $contents.description,
                icons: &mut $contents.icons,
                size: &mut $contents.size,
                length,
                kind: &mut $contents.kind,
                version: &mut $contents.version,
                metadata: &mut $contents.metadata,
                http_url: &mut $contents.http_url,
                http_url_expires_at: &mut $contents.http_url_expires_at,
            }
        };
    }
    Some(match contents {
        AnyResourceContents::Text(text) => read_metadata!(text),
        AnyResourceContents::Blob(blob) => read_metadata!(blob),
        _ => return None,
    })
}

/// Returns the number of bytes of contents, before base64 encoding.
pub(crate) fn length(contents: &AnyResourceContents) -> Option<i64> {
    match contents {
        AnyResourceContents::Text(text) => i64::try_from(text.text.len()).ok(),
        AnyResourceContents::Blob(blob) => decoded(blob.blob.as_str()),
        _ => None,
    }
}

/// Returns the number of bytes that a base64 text encodes; `None` if it is not padded.
fn decoded(text: &str) -> Option<i64> {
    let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
    let bytes = (text.len() / 4 * 3).checked_sub(padding)?;
    let is_padded = text.len().is_multiple_of(4) && padding <= 2;
    i64::try_from(bytes).ok().filter(|_| is_padded)
}

impl MetadataView<'_> {
    /// Removes what the client must not see.
    pub(crate) fn withhold(self, cx: &Context) {
        if !cx.offered(Proposal::Sep2093) {
            *self.annotations = None;
            *self.name = None;
            *self.title = None;
            *self.description = None;
            *self.icons = None;
            *self.size = None;
            *self.resource_type = None;
        }
        if !cx.offered(Proposal::VersionedResources) {
            *self.kind = None;
            *self.version = None;
            *self.metadata = None;
        }
        let offers_urls = cx.offered(Proposal::HttpsUrl);
        let url = self.http_url.as_deref();
        if offers_urls && url.is_some_and(is_https) {
            return;
        }
        if offers_urls && url.is_some() {
            // Logs the URI, not the URL, which may grant access.
            let uri = PeerText(self.uri);
            tracing::error!(%uri, "an `httpUrl` that is not https was left out");
        }
        *self.http_url = None;
        *self.http_url_expires_at = None;
    }

    /// Copies the metadata of the resource into members that are empty. The media type of a
    /// resource and its URL are those of the preferred representation; the media type is only
    /// copied to the only contents of the resource. An index in a collection is not one of its
    /// representations.
    pub(crate) fn fill(&mut self, resource: &Resource, is_only: bool, is_preferred: bool) {
        if is_only && resource.resource_type != Some(ResourceType::Collection) {
            fill(self.mime_type, resource.mime_type.as_ref());
        }
        fill(self.name, Some(&resource.name));
        fill(self.title, resource.title.as_ref());
        fill(self.description, resource.description.as_ref());
        fill(self.icons, resource.icons.as_ref());
        if self.annotations.is_none() {
            *self.annotations = resource.annotations.clone().map(Box::new);
        }
        self.fill_version(resource);
        if is_preferred && self.http_url.is_none() {
            self.http_url.clone_from(&resource.http_url);
            let expires_at = &resource.http_url_expires_at;
            self.http_url_expires_at.clone_from(expires_at);
        }
    }

    /// Sets the name, if nothing else does: to the last segment of the URI.
    pub(crate) fn fill_name(&mut self) {
        self.name.get_or_insert_with(|| last_segment(self.uri));
    }

    /// Returns `true` if the contents lack the name or the type of their resource.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.name.is_none() || self.resource_type.is_none()
    }

    /// Sets the size, if it is empty.
    pub(crate) fn set_size(&mut self) {
        fill(self.size, self.length.as_ref());
    }

    /// Copies the type, the version and what belongs to it, as far as the contents do not have it.
    pub(crate) fn fill_version(&mut self, resource: &Resource) {
        fill(self.resource_type, resource.resource_type.as_ref());
        fill(self.kind, resource.kind.as_ref());
        fill(self.version, resource.version.as_ref());
        fill(self.metadata, resource.metadata.as_ref());
    }

    /// The reverse of [`fill_version`](Self::fill_version).
    pub(crate) fn copy_version_to(self, resource: &mut Resource) {
        fill(&mut resource.resource_type, self.resource_type.as_ref());
        fill(&mut resource.kind, self.kind.as_ref());
        fill(&mut resource.version, self.version.as_ref());
        fill(&mut resource.metadata, self.metadata.as_ref());
    }
}

/// Returns the last segment of the path of a URI, decoded; the whole URI if it has none.
pub(crate) fn last_segment(uri: &str) -> String {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let path = uri.get(..end).unwrap_or(uri).trim_end_matches('/');
    let segment = path.rsplit(['/', ':']).next().unwrap_or_default();
    let decoded = decode(segment).filter(|segment| !segment.is_empty());
    decoded.unwrap_or_else(|| uri.to_owned())
}

fn fill<T: Clone>(member: &mut Option<T>, value: Option<&T>) {
    if member.is_none() {
        *member = value.cloned();
    }
}

/// Returns `true` if the scheme of a URL is `https`.
pub(crate) fn is_https(url: &str) -> bool {
    let scheme = url.get(..8).unwrap_or_default();
    scheme.eq_ignore_ascii_case("https://")
}

/// Returns `true` for a collection, which has no URL.
pub(crate) fn is_collection(resource: &Resource) -> bool {
    resource.resource_type == Some(mcp_types::ResourceType::Collection)
}

#[cfg(test)]
mod tests {
    use mcp_types::Base64Text;

    use super::{decoded, last_segment};

    #[test]
    fn name_is_the_last_segment() {
        for (uri, expected) in [
            ("file:///a/caf%C3%A9.txt", "caf\u{e9}.txt"),
            ("file:///a/b/?q=/c#/d", "b"),
            ("x:a", "a"),
            ("row://abc", "abc"),
            ("x:", "x:"),
            ("x:a/%ff", "x:a/%ff"),
        ] {
            assert_eq!(last_segment(uri), expected, "{uri}");
        }
    }

    #[test]
    fn blob_size_is_the_decoded_length() {
        for length in 0..20 {
            let text = Base64Text::encode(vec![7; length]);
            assert_eq!(
                decoded(text.as_str()),
                i64::try_from(length).ok(),
                "{text:?}"
            );
        }
        for wrong in ["=", "====", "abc", "abcde"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
