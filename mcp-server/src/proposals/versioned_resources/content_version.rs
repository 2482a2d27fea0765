//! Versions that are derived from the contents of a resource.

use std::sync::OnceLock;

use mcp_types::{AnyResourceContents, Proposal, Resource, json};
use sha2::{Digest, Sha256};

use crate::features::resources::defined::Defined;
use crate::features::resources::definition::ResourceDef;
use crate::features::resources::resolved::{AuthorizedResource, ResolvedResource};
use crate::protocol::core::Context;
use crate::util::hex;

/// The version of contents that are part of a definition. Derived on first use: the definition is
/// complete by then, and programs that did not opt in never use it.
#[derive(Default)]
struct FixedVersion(OnceLock<String>);

impl ResourceDef {
    /// Returns the version of contents that are part of the definition.
    pub(crate) fn fixed_version(&self) -> Option<String> {
        let (fixed, resource) = (self.fixed.as_ref()?, &self.resource);
        let derive = || derived(&[fixed.contents(&resource.uri, resource.mime_type.as_deref())]);
        let FixedVersion(version) = self.extras.get();
        Some(version.get_or_init(derive).clone())
    }
}

impl ResolvedResource {
    /// Returns `true` if the contents are part of the definition, so that their version is known.
    pub(crate) fn has_fixed_contents(&self) -> bool {
        matches!(&self.definition, Defined::Resource(definition) if definition.fixed.is_some())
    }
}

impl AuthorizedResource {
    /// Sets the version, if it is known without reading, and the client may get one.
    pub(crate) fn versioned(&self, mut resource: Resource, cx: &Context) -> Resource {
        if resource.version.is_none()
            && cx.offered(Proposal::VersionedResources)
            && let Defined::Resource(definition) = &self.0.definition
        {
            resource.version = definition.fixed_version();
        }
        resource
    }
}

/// The number of bytes of the digest in a version: enough to exclude collisions, also deliberate
/// ones.
const KEPT: usize = 16;

/// Returns the version of contents. It is the same in every process, and differs if a byte, a media
/// type or a URI differs.
pub(crate) fn derived(contents: &[AnyResourceContents]) -> String {
    let mut digest = Sha256::new();
    for part in contents {
        match part {
            AnyResourceContents::Text(text) => {
                hash_name(&mut digest, &text.uri, text.mime_type.as_deref());
                content(&mut digest, text.text.as_bytes());
            }
            AnyResourceContents::Blob(blob) => {
                hash_name(&mut digest, &blob.uri, blob.mime_type.as_deref());
                match blob.blob.decode() {
                    Ok(bytes) => content(&mut digest, &bytes),
                    // Invalid base64 is hashed unchanged.
                    Err(_) => content(&mut digest, blob.blob.as_str().as_bytes()),
                }
            }
            // Contents of a future kind are hashed as JSON.
            other => content(
                &mut digest,
                json::to_string(other).unwrap_or_default().as_bytes(),
            ),
        }
    }
    let digest = digest.finalize();
    hex::encode(digest.get(..KEPT).unwrap_or_default())
}

fn hash_name(digest: &mut Sha256, uri: &str, mime_type: Option<&str>) {
    content(digest, uri.as_bytes());
    digest.update([u8::from(mime_type.is_some())]);
    content(digest, mime_type.unwrap_or_default().as_bytes());
}

/// The length separates the parts.
fn content(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_be_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use mcp_types::{Base64Text, BlobResourceContents, TextResourceContents};

    use super::*;

    fn text(uri: &str, mime_type: Option<&str>, text: &str) -> AnyResourceContents {
        let mut contents = TextResourceContents::new(uri, text);
        contents.mime_type = mime_type.map(Into::into);
        contents.into()
    }

    #[test]
    fn derived_versions_are_stable() {
        let contents = [text("x:a", Some("text/plain"), "hello")];
        // Clients store versions for longer than a process lives, so this must never change.
        assert_eq!(derived(&contents), "81c47a18fe0b4ed61d88b20b10c0526e");
        let same = BlobResourceContents::new("x:a", Base64Text::encode(b"hello"));
        let same = [same.mime_type("text/plain").into()];
        assert_eq!(derived(&same), derived(&contents));
    }

    #[test]
    fn different_contents_have_different_versions() {
        let all = [
            vec![],
            vec![text("x:a", None, "")],
            vec![text("x:a", Some(""), "")],
            vec![text("x:a", None, "a")],
            vec![text("x:a", Some("a"), "")],
            vec![text("x:b", None, "a")],
            vec![text("x:a", None, "a"), text("x:a", None, "b")],
            vec![text("x:a", None, "b"), text("x:a", None, "a")],
            vec![text("x:a", None, "ab"), text("x:a", None, "")],
            vec![BlobResourceContents::new("x:a", Base64Text::from("?".to_owned())).into()],
        ];
        let mut versions: Vec<_> = all.iter().map(|contents| derived(contents)).collect();
        versions.sort();
        versions.dedup();
        assert_eq!(versions.len(), all.len());
    }
}
